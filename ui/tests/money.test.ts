import { describe, expect, it } from 'vitest'

import { grouped, isLong, isPayable, plainDigits, readAmount, safeText } from '../src/shared/money'
import amounts from './fixtures/MN2_accept_reject.json'
import markup from './fixtures/UI9_markup.json'

describe('an amount that is typed', () => {
  it.each([
    ['38.50', '38.50'],
    ['３８．５０', '38.50'],
    ['３８。５', '38.5'],
    ['007', '7'],
    ['00', '0'],
    ['.5', '0.5'],
    ['12.', '12.'],
    [' 12.5 ', '12.5'],
    ['100000000.00', '100000000.00'],
    ['', ''],
  ])('%s becomes %s', (typed, amount) => {
    expect(readAmount(typed)).toBe(amount)
  })

  it.each(['1,23', '¥12', '1.234', '1e3', '-5', '+5', 'abc', '1 2', '1.2.3', '0x10', '1234567890', '一百', '\u202e99.00', 'NaN', '٣'])('%s is refused', (typed) => {
    expect(readAmount(typed)).toBeNull()
  })

  it('is worth collecting from one fen on', () => {
    expect(['0.01', '5', '0.10'].every(isPayable)).toBe(true)
    expect(['', '0', '0.00', '.', 'x'].some(isPayable)).toBe(false)
  })

  it('MN2: is refused here where Rust would refuse it, and taken where Rust would take it', () => {
    expect(amounts.accept.map(({ text }) => text).filter((text) => !isPayable(text))).toEqual([])
    // Full-width digits are made plain before Rust sees them; the largest amount is Rust's to know.
    const ours = amounts.reject.filter((text) => text !== '１２.３４' && text !== '100000000.01')
    expect(ours.filter(isPayable)).toEqual([])
  })

  it('turns full-width digits into plain ones and leaves the rest alone', () => {
    expect(plainDigits('０１２３４５６７８９ａ')).toBe('0123456789ａ')
  })
})

describe('an amount that is read', () => {
  it.each([
    ['1234567.00', '1,234,567.00'],
    ['21474836.48', '21,474,836.48'],
    ['100000000.00', '100,000,000.00'],
    ['999.99', '999.99'],
    ['0.01', '0.01'],
  ])('%s is written %s', (amount, text) => {
    expect(grouped(amount)).toBe(text)
  })

  it('steps down one size from nine characters on', () => {
    expect(isLong('9999.00')).toBe(false)
    expect(isLong('123456.00')).toBe(true)
  })
})

describe('UI9: text that somebody else wrote', () => {
  it('cannot mirror an amount', () => {
    expect(markup.values.map(safeText).join('')).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
    expect(safeText('\u202e99.00')).toBe('99.00')
  })

  it('keeps every other character', () => {
    const plain = markup.values.filter((value) => !value.includes('\u202e'))
    expect(plain.map(safeText)).toEqual(plain)
  })
})
