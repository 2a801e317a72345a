import { describe, expect, it } from 'vitest'

import { BurstWatch, Debounce, isComposing, isPlainEnter } from '../src/counter/collect/keying'
import ime from './fixtures/UI1_ime_enter.json'

const enter = { key: 'Enter', keyCode: 13, isComposing: false, repeat: false }

describe('UI1: Enter while an input method composes', () => {
  it.each(ime.events.map((event) => [JSON.stringify(event), event] as const))('%s does not submit', (_, event) => {
    const key = { ...enter, isComposing: false, ...event }
    expect(isComposing(key)).toBe(true)
    expect(isPlainEnter(key)).toBe(false)
  })

  it('a plain Enter submits', () => {
    expect(isPlainEnter(enter)).toBe(true)
  })

  it('an Enter that is held down does not', () => {
    expect(isPlainEnter({ ...enter, repeat: true })).toBe(false)
  })
})

describe('a scanner', () => {
  const strokes = (watch: BurstWatch, count: number, gapMs: number, from = 0) => Array.from({ length: count }, (_, at) => watch.stroke(from + at * gapMs))

  it('is known by 24 characters in 30 ms, and its Enter belongs to it', () => {
    const watch = new BurstWatch()
    const seen = strokes(watch, 24, 30 / 23)
    expect(seen[0]).toEqual({ started: true, burst: false })
    expect(seen.slice(3).every((stroke) => stroke.burst)).toBe(true)
    expect(watch.endsBurst(31)).toBe(true)
  })

  it('is known at 30 ms between characters too', () => {
    expect(strokes(new BurstWatch(), 13, 30).at(-1)?.burst).toBe(true)
  })

  it('is over after a silence, and a person may type on', () => {
    const watch = new BurstWatch()
    strokes(watch, 24, 1)
    expect(watch.stroke(200)).toEqual({ started: true, burst: false })
    expect(watch.endsBurst(400)).toBe(false)
  })
})

describe('a person', () => {
  it('typing fast is never a scanner', () => {
    const watch = new BurstWatch()
    const gaps = [0, 90, 60, 55, 120, 45, 70]
    let at = 0
    for (const gap of gaps) expect(watch.stroke((at += gap)).burst).toBe(false)
  })

  it('rolling two keys together is never a scanner, and may press Enter after a moment', () => {
    const watch = new BurstWatch()
    expect([0, 12, 90, 102].map((at) => watch.stroke(at).burst)).toEqual([false, false, false, false])
    expect(watch.endsBurst(170)).toBe(false)
  })
})

describe('a double click', () => {
  it('80 ms apart is one click, and so is anything within a second and a half', () => {
    const debounce = new Debounce(1500)
    expect([0, 80, 700, 1499].map((at) => debounce.lets(at))).toEqual([true, false, false, false])
    expect(debounce.lets(1500)).toBe(true)
  })
})
