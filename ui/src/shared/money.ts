/**
 * Amounts as a person types and reads them: text, never a number.
 *
 * Only Rust turns an amount into fen. Here digits are made plain, refused when they cannot be an amount, and grouped for reading.
 */

/** The largest amount that Alipay takes for one order, in yuan. */
const LARGEST_YUAN_DIGITS = 9

const FULL_WIDTH_ZERO = 0xff10

/** Turns full-width digits and dots into plain ones; leaves everything else as it is. */
export function plainDigits(text: string): string {
  return text.replace(/[０-９．。]/g, (mark) =>
    mark === '．' || mark === '。' ? '.' : String.fromCharCode(mark.charCodeAt(0) - FULL_WIDTH_ZERO + 48),
  )
}

/** What the amount field shows after `typed` was put into it, or null when that cannot become an amount. */
export function readAmount(typed: string): string | null {
  const plain = plainDigits(typed).trim()
  if (!/^\d*(\.\d{0,2})?$/.test(plain)) return null
  const [whole = '', cents] = plain.split('.')
  const yuan = whole.replace(/^0+(?=\d)/, '')
  if (yuan.length > LARGEST_YUAN_DIGITS) return null
  return cents === undefined ? yuan : `${yuan === '' ? '0' : yuan}.${cents}`
}

/** Whether there is anything to collect: at least one fen. */
export function isPayable(amount: string): boolean {
  return readAmount(amount) !== null && /[1-9]/.test(amount)
}

/** Adds thousands commas: `1234567.00` → `1,234,567.00`. */
export function grouped(amount: string): string {
  const [whole = '', cents] = amount.split('.')
  const yuan = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',')
  return cents === undefined ? yuan : `${yuan}.${cents}`
}

/** An amount of nine or more characters steps down one size, so that it never wraps. */
export function isLong(amount: string): boolean {
  return grouped(amount).length >= 9
}

/** Text that a customer or a foreign system wrote, without the marks that could mirror an amount beside it. */
export function safeText(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
}
