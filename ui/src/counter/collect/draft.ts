/**
 * What the cashier is typing: an amount, and the click that will send it.
 *
 * The click id is minted at the first digit and lives as long as the draft, so a second press of the button is the same click.
 */
import { isPayable, readAmount } from '../../shared/money'

export interface Draft {
  readonly amount: string
  readonly click: string | null
}

export const emptyDraft: Draft = { amount: '', click: null }

type Mint = () => string

/** The draft after the field holds `text`; null when that text cannot be an amount. */
export function typed(draft: Draft, text: string, mint: Mint): Draft | null {
  const amount = readAmount(text)
  if (amount === null) return null
  if (amount === '') return emptyDraft
  return { amount, click: draft.click ?? mint() }
}

/** The draft after one key of the keypad. */
export function pressed(draft: Draft, key: string, mint: Mint): Draft | null {
  return typed(draft, draft.amount + key, mint)
}

/** The draft after the backspace key. */
export function shortened(draft: Draft): Draft {
  const amount = draft.amount.slice(0, -1)
  return amount === '' ? emptyDraft : { ...draft, amount }
}

/** A draft that may be sent: something to collect, and the click it was started with. */
export function isReady(draft: Draft): draft is { amount: string; click: string } {
  return draft.click !== null && isPayable(draft.amount)
}
