/** What is known of a terminal's journal, in one word. */
import type { Terminal } from '../api/api'

export type Verdict = 'complete' | 'missing' | 'silent' | 'revoked' | 'empty'

/** A counter tells its head at least every minute; after this it is off, or has no network. */
const silentAfterMs = 5 * 60_000

export function verdictOf(terminal: Terminal, now: number): Verdict {
  if (terminal.revoked_at !== null) return 'revoked'
  if (!terminal.is_complete) return 'missing'
  if (terminal.head_seq === 0) return 'empty'
  if (terminal.last_seen_at === null || now - terminal.last_seen_at > silentAfterMs) return 'silent'
  return 'complete'
}

/** How much of the bar is here, in 300 parts. */
export function shareHere(terminal: Terminal): number {
  if (terminal.head_seq === 0) return 0
  return Math.min(300, Math.round((terminal.acked_seq / terminal.head_seq) * 300))
}
