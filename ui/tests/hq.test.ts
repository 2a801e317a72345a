import { describe, expect, it } from 'vitest'

import type { Terminal, Unreported } from '../src/hq/api/api'
import { hearingOf, minutesSince, waitOf } from '../src/hq/notices/waiting'
import { addressOf, pageFrom } from '../src/hq/page'
import { shareHere, verdictOf } from '../src/hq/terminals/completeness'
import { barsOf, hoursOf } from '../src/hq/today/hours'
import { counted, yuan } from '../src/hq/yuan'

describe('money of headquarters', () => {
  it('is shown to the fen', () => {
    expect([0, 5, 50, 123, 123450, -41230, 10_000_000_000].map(yuan)).toEqual(['0.00', '0.05', '0.50', '1.23', '1,234.50', '-412.30', '100,000,000.00'])
    expect(counted(18204)).toBe('18,204')
  })
})

describe('a page', () => {
  it('comes back after a reload', () => {
    expect(pageFrom(addressOf('payments', 'S01T01E1_1'))).toEqual({ name: 'payments', of: 'S01T01E1_1' })
    expect(pageFrom('#nonsense')).toEqual({ name: 'today', of: null })
  })
})

describe('the hours of all stores', () => {
  const busy = (hours: Record<number, number>) => Array.from({ length: 24 }, (_, hour) => hours[hour] ?? 0)

  it('share one scale, so that stores can be compared', () => {
    const [small, large] = [busy({ 9: 100 }), busy({ 9: 1000, 14: 500 })]
    const hours = hoursOf([small, large])
    expect(hours).toEqual({ first: 9, last: 16, top: 1000 })
    expect(barsOf(large, hours).map((bar) => bar.height)).toEqual([26, 13])
    expect(barsOf(small, hours).map((bar) => bar.height)).toEqual([3])
  })

  it('stay within the day', () => {
    const hours = hoursOf([busy({ 22: 1 })])
    expect([hours.first, hours.last]).toEqual([16, 23])
    expect(barsOf(busy({ 22: 1 }), hours)).toHaveLength(1)
    expect(hoursOf([busy({ 0: 5, 23: 5 })])).toEqual({ first: 0, last: 23, top: 5 })
    expect(barsOf(busy({}), hoursOf([]))).toEqual([])
  })
})

describe('what headquarters waits for', () => {
  const told: Unreported = { out_trade_no: 'S01T01E1_1', trade_no: '2026', amount_fen: 100, terminal_id: 'S01T01', store_name: '南桥店', received_at: 0 }

  it('is a case after ten minutes, and at once if nobody knows whose it is', () => {
    expect([waitOf(told, 599_000), waitOf(told, 600_000), waitOf({ ...told, terminal_id: '' }, 0)]).toEqual(['soon', 'late', 'nobodys'])
    expect(minutesSince(0, 119_000)).toBe(1)
  })
})

describe('a terminal', () => {
  const now = 1_000_000_000
  const terminal: Terminal = {
    terminal_id: 'S01T01', store_id: 'S01', store_name: '', epoch: 1, mode: 'demo', revoked_at: null, last_seen_at: now, head_seq: 10, acked_seq: 10, head_hash: '', is_complete: true, missing_from: null, push_seq: 0, heard_seq: 0,
  }

  it('is complete only if everything it wrote is here and it was heard lately', () => {
    expect(verdictOf(terminal, now)).toBe('complete')
    expect(verdictOf({ ...terminal, acked_seq: 9, is_complete: false }, now)).toBe('missing')
    expect(verdictOf(terminal, now + 6 * 60_000)).toBe('silent')
    expect(verdictOf({ ...terminal, revoked_at: now }, now)).toBe('revoked')
    expect(verdictOf({ ...terminal, head_seq: 0, acked_seq: 0, last_seen_at: null }, now)).toBe('empty')
    expect(shareHere({ ...terminal, acked_seq: 5 })).toBe(150)
  })

  it('has heard everything only if its last number is the last one given', () => {
    expect([hearingOf(terminal), hearingOf({ ...terminal, push_seq: 3, heard_seq: 2 }), hearingOf({ ...terminal, push_seq: 3, heard_seq: 3 })]).toEqual(['silent', 'behind', 'heard'])
  })
})
