/**
 * Which key strokes come from a person.
 *
 * A scanner gun types like a keyboard, only faster: 24 characters in 30 ms and an Enter. None of it may reach the amount.
 * An input method reports Enter while it is composing; that Enter chooses a word and must not collect money.
 */

/** Two strokes of a person are further apart than this, even rolled over two fingers; a scanner's never are. */
const personGapMs = 35

/** From this many strokes in a row it is a scanner. Fewer can be two fingers landing together. */
const burstStrokes = 4

/** Silence that ends a burst, so that its Enter belongs to it. */
const burstEndMs = 80

/**
 * Silence before a sequence. A busy machine delivers a scanner's strokes unevenly, so a burst may be recognised late: then
 * all of the sequence is taken back, never a part of it, since a part of a number is another amount.
 */
const pauseMs = 100

type KeyLike = Pick<KeyboardEvent, 'key' | 'isComposing' | 'keyCode'>

/** Whether an input method, not the person, is using this key. WebKit says so only by key code 229. */
export function isComposing(event: KeyLike): boolean {
  return event.isComposing || event.keyCode === 229 || event.key === 'Process'
}

/** Enter that means "do it": not composing, not held down. */
export function isPlainEnter(event: KeyLike & Pick<KeyboardEvent, 'repeat'>): boolean {
  return event.key === 'Enter' && !event.repeat && !isComposing(event)
}

/** Tells a scanner's burst from a person's typing, by time alone. */
export class BurstWatch {
  private last = Number.NEGATIVE_INFINITY
  private run = 0
  private inBurst = false

  /**
   * Notes one stroke at `atMs`. `started` is true for the stroke that begins a sequence: what the field holds before it is
   * what a burst has to give back. `burst` is true once the run is a scanner's.
   */
  stroke(atMs: number): { started: boolean; burst: boolean } {
    const gap = atMs - this.last
    this.last = atMs
    if (this.inBurst && gap <= burstEndMs) return { started: false, burst: true }
    this.inBurst = false
    this.run = gap < personGapMs ? this.run + 1 : 1
    this.inBurst = this.run >= burstStrokes
    return { started: gap >= pauseMs, burst: this.inBurst }
  }

  /** Whether an Enter at `atMs` is the end of a burst, or too close to the last stroke to be a person's decision. */
  endsBurst(atMs: number): boolean {
    const gap = atMs - this.last
    return (this.inBurst && gap <= burstEndMs) || (this.run >= 2 && gap < personGapMs)
  }
}

/** Lets an act through, then nothing for `quietMs`: a double click is one click. */
export class Debounce {
  private last = Number.NEGATIVE_INFINITY

  constructor(private readonly quietMs: number) {}

  lets(atMs: number): boolean {
    if (atMs - this.last < this.quietMs) return false
    this.last = atMs
    return true
  }
}
