/**
 * The code on a customer's phone, as a scanner types it. It pays once and is worth money until then: it goes to Rust, and
 * is shown, kept and written nowhere.
 */

/** 16 to 24 digits beginning with 25 to 30, says Alipay; a face code is `fp` and 35 characters. */
export function isPaymentCode(scanned: string): boolean {
  return /^(2[5-9]|30)\d{14,22}$/.test(scanned) || /^fp[0-9a-z]{35}$/i.test(scanned)
}

/** The character of a key stroke, even while an input method is on: a scanner knows nothing of it. */
export function strokeText(event: Pick<KeyboardEvent, 'key' | 'code'>): string {
  if (event.key.length === 1) return event.key
  return /^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1] ?? ''
}
