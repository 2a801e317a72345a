/** A text in parts, of which at most one is what the hint says. */
export function marked(text: string, hint: string): { text: string; hit: boolean }[] {
  const words = hint.trim().split(/\s+/).filter((word) => word.length >= 2)
  const word = words.find((wanted) => text.includes(wanted))
  if (word === undefined) return [{ text, hit: false }]
  const at = text.lastIndexOf(word)
  const parts = [
    { text: text.slice(0, at), hit: false },
    { text: word, hit: true },
    { text: text.slice(at + word.length), hit: false },
  ]
  return parts.filter((part) => part.text !== '')
}
