/** The amount of a refund while it is typed: text, compared as text. Only Rust turns it into fen and has the last word. */
import { isPayable, readAmount } from '../../shared/money'

export const reasonKeys = ['unwanted', 'faulty', 'mistaken', 'other'] as const
export type ReasonKey = (typeof reasonKeys)[number]

/** What the field shows after `typed`, or null when that cannot be an amount. */
export const readPart = (typed: string): string | null => readAmount(typed)

/** Why this amount cannot go back: the key of its sentence. */
export function amountProblem(amount: string, left: string): 'nothing' | 'tooMuch' | null {
  if (!isPayable(amount)) return 'nothing'
  return isAbove(amount, left) ? 'tooMuch' : null
}

/** `12.5` → `12.50` */
export function fullAmount(amount: string): string {
  const [yuan = '', cents = ''] = amount.split('.')
  return `${yuan === '' ? '0' : yuan}.${cents.padEnd(2, '0')}`
}

/** Whether one amount is larger than another. Digits are compared as digits: no amount becomes a floating number. */
export function isAbove(amount: string, bound: string): boolean {
  const [one, other] = [digits(amount), digits(bound)]
  return one.length === other.length ? one > other : one.length > other.length
}

/** All digits down to the fen, without leading zeros. */
const digits = (amount: string) => fullAmount(amount).replace('.', '').replace(/^0+/, '')
