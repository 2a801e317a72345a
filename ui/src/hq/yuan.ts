/** Money as headquarters sends it: integer fen. It becomes text here and nowhere else; nothing is calculated with it. */
import { grouped } from '../shared/money'

/** `123450` → `1,234.50`. */
export function yuan(fen: number): string {
  const digits = String(Math.abs(fen)).padStart(3, '0')
  const text = `${digits.slice(0, -2)}.${digits.slice(-2)}`
  return `${fen < 0 ? '-' : ''}${grouped(text)}`
}

/** `18204` → `18,204`. */
export function counted(count: number): string {
  return grouped(String(count))
}
