/** Where the bars of the hour chart stand. Heights are only for the eye; the figures themselves stay text. */
import type { HourTotals } from '../../shared/bindings/HourTotals'

export interface Bar {
  hour: number
  x: number
  y: number
  width: number
  height: number
  totals: HourTotals
}

export interface Chart {
  bars: Bar[]
  grid: { y: number; label: string }[]
}

const sides = { left: 52, top: 10 }
const barWidth = 28
const gridLines = 3

/** Bars from the first to the last hour with money, at least twelve hours wide, on a picture `width` wide whose bars stand on `bottom`. */
export function chartOf(hours: readonly HourTotals[], width: number, bottom: number): Chart {
  const busy = hours.filter((hour) => hour.count > 0).map((hour) => hour.hour)
  const first = Math.min(...busy, 9)
  const last = Math.max(...busy, first + 11)
  const shown = Array.from({ length: last - first + 1 }, (_, at) => hours.find((hour) => hour.hour === first + at) ?? { hour: first + at, count: 0, gross: '0.00' })
  const top = roundUp(Math.max(1, ...shown.map((hour) => wholeYuan(hour.gross))))
  const step = (width - sides.left) / shown.length
  const tall = bottom - sides.top
  const bars = shown.map((totals, at) => {
    const height = Math.round((wholeYuan(totals.gross) / top) * tall)
    return { hour: totals.hour, totals, width: barWidth, height, x: Math.round(sides.left + step * at + (step - barWidth) / 2), y: bottom - height }
  })
  const grid = Array.from({ length: gridLines + 1 }, (_, at) => ({ y: Math.round(bottom - (tall * at) / gridLines), label: String((top / gridLines) * at) }))
  return { bars, grid }
}

/** The whole yuan of an amount: enough for the height of a bar. */
const wholeYuan = (amount: string) => Number.parseInt(amount, 10)

/** The next number that three grid lines divide into round labels. */
function roundUp(yuan: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(yuan)) - 1) * gridLines
  return Math.ceil(yuan / unit) * unit
}
