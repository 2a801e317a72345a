/** Which hours the little bars show, and how tall they may be: the same for all stores, so that they can be compared. */

export interface Hours {
  first: number
  last: number
  /** The largest net of any store in any hour, in fen. */
  top: number
}

const fewest = 8

/** From the first to the last hour with money in any store, at least eight. */
export function hoursOf(stores: readonly (readonly number[])[]): Hours {
  const busy = stores.flatMap((hours) => hours.flatMap((fen, hour) => (fen === 0 ? [] : [hour])))
  const first = Math.min(...busy, 16)
  const last = Math.min(23, Math.max(...busy, first + fewest - 1))
  const top = Math.max(1, ...stores.flat())
  return { first, last, top }
}

/** Where the bars of one store stand in a box of 132 × 28. */
export function barsOf(netByHour: readonly number[], hours: Hours) {
  const step = 132 / (hours.last - hours.first + 1)
  return netByHour.flatMap((fen, hour) => {
    if (hour < hours.first || hour > hours.last || fen <= 0) return []
    const height = Math.max(1, Math.round((fen / hours.top) * 26))
    return [{ hour, fen, x: Math.round((hour - hours.first) * step + step * 0.15), y: 28 - height, width: Math.max(2, Math.floor(step * 0.7)), height }]
  })
}
