import { describe, expect, it } from 'vitest'

import { waited } from '../src/counter/cases/waited'
import { amountProblem, fullAmount, isAbove, readPart } from '../src/counter/refund/draft'
import { marked } from '../src/counter/resolve/marked'

describe('the amount of a refund', () => {
  it.each([
    ['', 'nothing'],
    ['0.00', 'nothing'],
    ['38.5', null],
    ['38.50', null],
    ['38.51', 'tooMuch'],
    ['100', 'tooMuch'],
    ['9.99', null],
  ])('%s of 38.50: %s', (amount, problem) => {
    expect(amountProblem(amount, '38.50')).toBe(problem)
  })

  it('is compared digit by digit, beyond what a floating number could tell apart', () => {
    expect(isAbove('90071992547409.93', '90071992547409.92')).toBe(true)
    expect(isAbove('90071992547409.92', '90071992547409.92')).toBe(false)
    expect(isAbove('0.1', '0.10')).toBe(false)
    expect(isAbove('0100', '99.99')).toBe(true)
  })

  it('is sent with both decimals, and what cannot be one is not taken', () => {
    expect(fullAmount('12')).toBe('12.00')
    expect(fullAmount('.5')).toBe('0.50')
    expect(readPart('１２．５')).toBe('12.5')
    expect(readPart('12.345')).toBeNull()
    expect(readPart('-3')).toBeNull()
  })
})

describe('a hint', () => {
  it('is marked where it fits last, since the last digits are what people read out', () => {
    expect(marked('07-0707', '07').filter((part) => part.hit)).toEqual([{ text: '07', hit: true }])
    expect(marked('07-0707', '07').map((part) => part.text).join('')).toBe('07-0707')
    expect(marked('07-0707', '07').at(-1)?.hit).toBe(true)
  })

  it('marks nothing when it is one digit or does not fit', () => {
    expect(marked('07-0231', '1')).toEqual([{ text: '07-0231', hit: false }])
    expect(marked('07-0231', '0299')).toEqual([{ text: '07-0231', hit: false }])
  })

  it('of amount and time marks each where it stands', () => {
    expect(marked('38.50', '38.5 14:33').some((part) => part.hit && part.text === '38.5')).toBe(true)
  })
})

describe('how long a case waits', () => {
  it.each([
    [-5, 'minutes', 0],
    [59 * 60_000, 'minutes', 59],
    [60 * 60_000, 'hours', 1],
    [47 * 3_600_000, 'hours', 47],
    [48 * 3_600_000, 'days', 2],
  ])('%i ms', (ms, unit, n) => {
    expect(waited(ms)).toEqual({ unit, n })
  })
})
