/** What headquarters waits for, in one word. */
import type { IconName } from '../../shared/icons'
import type { Terminal, Unreported } from '../api/api'

/** A till that is on reports within seconds; after this headquarters makes a case of it. */
const patienceMs = 10 * 60_000

export type Wait = 'soon' | 'late' | 'nobodys'

export function waitOf(money: Unreported, now: number): Wait {
  if (money.terminal_id === '') return 'nobodys'
  return now - money.received_at >= patienceMs ? 'late' : 'soon'
}

export const waitIcons: Record<Wait, IconName> = { soon: 'hourglass', late: 'alert', nobodys: 'alert' }

/** Whole minutes that somebody has waited. */
export const minutesSince = (at: number, now: number) => Math.max(0, Math.floor((now - at) / 60_000))

export type Hearing = 'heard' | 'behind' | 'silent' | 'revoked'

/** Whether a till has handled everything it was told. */
export function hearingOf(terminal: Terminal): Hearing {
  if (terminal.revoked_at !== null) return 'revoked'
  if (terminal.push_seq === 0) return 'silent'
  return terminal.heard_seq >= terminal.push_seq ? 'heard' : 'behind'
}

export const hearingIcons: Record<Hearing, IconName> = { heard: 'check', behind: 'hourglass', silent: 'clock', revoked: 'cross' }
