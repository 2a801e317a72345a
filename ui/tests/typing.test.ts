import { flushPromises } from '@vue/test-utils'
import { afterEach, describe, expect, it } from 'vitest'

import { payments } from '../src/counter/api/fake/payments'
import { leaveDesks, seat } from './desk'
import ime from './fixtures/UI1_ime_enter.json'

afterEach(leaveDesks)

describe('UI1: an input method', () => {
  it.each(ime.events.map((event) => [JSON.stringify(event), event] as const))('never collects with %s', async (_, event) => {
    const { type, stroke, collects, screen } = await seat()
    await type('8')
    stroke(event.key, { ...event }, screen.get('[data-testid=subject]').element)
    stroke(event.key, { ...event })
    await flushPromises()
    expect(collects()).toBe(0)
    stroke('Enter', { keyCode: 13 }, screen.get('[data-testid=subject]').element)
    await flushPromises()
    expect(collects()).toBe(1)
  })

  it('swallows no digit: what it composed lands when it is done', async () => {
    const { field } = await seat()
    field().dispatchEvent(new CompositionEvent('compositionstart'))
    field().value = '３８'
    field().dispatchEvent(new Event('input'))
    expect(field().value).toBe('３８')
    field().dispatchEvent(new CompositionEvent('compositionend'))
    await flushPromises()
    expect(field().value).toBe('38')
  })
})

describe('UI12: the subject', () => {
  it('is blank when it is first focused; the usual goods are only its placeholder, and are sent', async () => {
    const sent: string[] = []
    const { screen, type, stroke } = await seat({}, (fake) => ({ collect: (amount, subject, click, another) => (sent.push(subject), fake.collect(amount, subject, click, another)) }))
    const subject = screen.get<HTMLInputElement>('[data-testid=subject]').element
    expect([subject.value, subject.placeholder]).toEqual(['', '日用百货'])
    await type('5')
    stroke('Enter')
    await flushPromises()
    expect(sent).toEqual(['日用百货'])
  })
})

describe('the code on a customer\'s phone', () => {
  const code = '281234567890123456'
  const scan = async (desk: Awaited<ReturnType<typeof seat>>, text = code) => {
    await desk.type(text, 2)
    desk.stroke('Enter', { afterMs: 2 })
    await flushPromises()
  }

  it('is charged with the amount that was typed before', async () => {
    const sent: string[][] = []
    const desk = await seat({}, (fake) => ({ collectWithCode: (amount, goods, click, another, scanned) => (sent.push([amount, scanned]), fake.collectWithCode(amount, goods, click, another, scanned)) }))
    await desk.type('12.5')
    await scan(desk)
    expect(sent).toEqual([['12.5', code]])
    expect(desk.screen.get('main').attributes('data-scene')).toBe('confirming')
    expect(desk.collects()).toBe(0)
    expect(desk.screen.html()).not.toContain(code)
  })

  it('is not charged without an amount: the screen says what comes first', async () => {
    const desk = await seat()
    await scan(desk)
    expect(desk.fake.asked).not.toContain('collect_with_code')
    expect(desk.screen.text()).toContain('先输金额')
  })

  it.each(['6901234567892', '311234567890123456', '2812345678901', '2812345678901234567890123'])('%s is none', async (scanned) => {
    const desk = await seat()
    await desk.type('8')
    await scan(desk, scanned)
    expect(desk.fake.asked).not.toContain('collect_with_code')
    expect(desk.screen.text()).toContain('扫到一串号码')
  })

  it('waits while another payment is on the screen', async () => {
    const desk = await seat({ current: payments.code })
    for (const key of code) desk.stroke(key, { afterMs: 2 }, document.body)
    desk.stroke('Enter', { afterMs: 2 }, document.body)
    await flushPromises()
    expect(desk.fake.asked).not.toContain('collect_with_code')
    expect(desk.counter.refusal.value?.kind).toBe('StopFirst')
  })
})

describe('the amount field', () => {
  it('makes full-width digits plain and refuses letters', async () => {
    const { type, field, screen } = await seat()
    await type('３８．５a')
    expect(field().value).toBe('38.5')
    expect(screen.text()).toContain('这里只收数字')
  })

  it('ignores a key that is held down', async () => {
    const { type, stroke, field } = await seat()
    await type('5')
    expect(stroke('5', { repeat: true }).defaultPrevented).toBe(true)
    expect(field().value).toBe('5')
  })

  it('never takes a scan of 24 characters in 30 ms, and its Enter collects nothing', async () => {
    const { type, stroke, field, collects } = await seat()
    await type('12')
    await type('991234567890123456789012', 30 / 23)
    stroke('Enter', { afterMs: 1 })
    await flushPromises()
    expect(field().value).toBe('12')
    expect(collects()).toBe(0)
  })

  it('takes back all of a scan that a busy machine delivers unevenly, and its Enter collects no part of it', async () => {
    const { stroke, insert, field, collects } = await seat()
    for (const [key, afterMs] of [['1', 500], ['.', 60], ['2', 5], ['5', 5], ['0', 5]] as const) {
      if (!stroke(key, { afterMs }).defaultPrevented) insert(key)
      await flushPromises()
    }
    stroke('Enter', { afterMs: 90 })
    await flushPromises()
    expect(field().value).toBe('')
    expect(collects()).toBe(0)
  })

  it('takes no scan while a payment runs, and the Enter of the scan presses nothing', async () => {
    const { screen, stroke, fake } = await seat({ current: payments.closing })
    for (const key of '281234567890') stroke(key, { afterMs: 2 }, document.body)
    stroke('Enter', { afterMs: 2 }, document.body)
    await flushPromises()
    expect(screen.get('main').attributes('data-scene')).toBe('closing')
    expect(fake.asked).not.toContain('dismiss')
  })

  it('takes no scan into the goods either', async () => {
    const { screen, stroke, fake } = await seat()
    const goods = screen.get<HTMLInputElement>('[data-testid=subject]').element
    for (const key of '6901234567892') {
      if (stroke(key, { afterMs: 2 }, goods).defaultPrevented) continue
      goods.value += key
      goods.dispatchEvent(new Event('input', { bubbles: true }))
      await flushPromises()
    }
    stroke('Enter', { afterMs: 2 }, goods)
    await flushPromises()
    expect(goods.value).toBe('')
    expect(fake.asked).not.toContain('collect')
  })

  it('starts the next customer with any digit after paid', async () => {
    const { screen, type, fake, field } = await seat({ current: payments.paid })
    expect(screen.get('main').attributes('data-scene')).toBe('paid')
    await type('7')
    expect(fake.asked).toContain('dismiss')
    expect(screen.get('main').attributes('data-scene')).toBe('idle')
    expect(field().value).toBe('7')
  })

  it('says what is missing instead of collecting nothing', async () => {
    const { screen, stroke, collects } = await seat()
    stroke('Enter')
    await flushPromises()
    expect(screen.text()).toContain('先输入金额')
    expect(collects()).toBe(0)
  })
})
