/**
 * Times as the shop reads them. The gateway and the business day run on Beijing time, so the screens do too,
 * whatever the computer's own zone is.
 */
const zone = 'Asia/Shanghai'

const part = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', { timeZone: zone, hourCycle: 'h23', ...options })
const clock = part({ hour: '2-digit', minute: '2-digit', second: '2-digit' })
const minute = part({ hour: '2-digit', minute: '2-digit' })
/** Beijing is eight hours ahead all year. No language of `Intl` writes a day like this in every web view. */
const ahead = 8 * 3_600_000

/** `14:33:28` */
export const clockTime = (atMs: number) => clock.format(atMs)

/** `14:33` */
export const minuteTime = (atMs: number) => minute.format(atMs)

/** `14:33:28.2` */
export const exactTime = (atMs: number) => `${clock.format(atMs)}.${Math.floor((atMs % 1000) / 100)}`

/** `2026-11-30` */
export const dayOf = (atMs: number) => new Date(atMs + ahead).toISOString().slice(0, 10)

/** `04:09`; an hour and more as `75:00`. Never negative. */
export function span(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  return `${two(Math.floor(whole / 60))}:${two(whole % 60)}`
}

/** The day before or after `text` (`2026-11-30`). */
export function dayBeside(text: string, days: number): string {
  return new Date(Date.parse(`${text}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
}

/** The name of the weekday of `text`, in the language of the screen. */
export function weekday(text: string, language: string): string {
  return new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', { weekday: language === 'zh' ? 'short' : 'long', timeZone: 'UTC' }).format(Date.parse(`${text}T00:00:00Z`))
}

const two = (n: number) => String(n).padStart(2, '0')
