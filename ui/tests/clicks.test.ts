import { flushPromises } from '@vue/test-utils'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { payments } from '../src/counter/api/fake/payments'
import { leaveDesks, seat } from './desk'

afterEach(leaveDesks)

describe('UI2: a double click', () => {
  it('80 ms apart makes one order', async () => {
    const { type, button, collects } = await seat()
    await type('12.5')
    await button().trigger('click')
    await button().trigger('click')
    await flushPromises()
    expect(collects()).toBe(1)
  })

  it('with Enter held down makes one order', async () => {
    const { type, stroke, collects } = await seat()
    await type('8')
    stroke('Enter')
    for (let i = 0; i < 20; i += 1) stroke('Enter', { repeat: true, afterMs: 33 }, document.body)
    await flushPromises()
    expect(collects()).toBe(1)
  })

  it('three seconds later, while the first call still runs, makes one order', async () => {
    let answer: () => void = () => undefined
    const { type, button, collects } = await seat({}, (fake) => ({
      collect: async (...order) => {
        const result = fake.collect(...order)
        await new Promise<void>((done) => (answer = done))
        return result
      },
    }))
    await type('8')
    await button().trigger('click')
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 3_000)
    button().element.disabled = false
    await button().trigger('click')
    answer()
    await flushPromises()
    vi.restoreAllMocks()
    expect(collects()).toBe(1)
  })

  it('is answered on the button before anything else happens', async () => {
    const { type, button } = await seat({}, () => ({ collect: () => new Promise(() => undefined) }))
    await type('8')
    await button().trigger('click')
    expect(button().attributes('aria-busy')).toBe('true')
    expect(button().text()).toContain('正在出码')
    expect(button().element.disabled).toBe(true)
  })
})

describe('a click', () => {
  const clicksOf = async (spoil: boolean) => {
    const clicks: string[] = []
    const it = await seat({}, (fake) => ({
      collect: async (amount, subject, click, another) => {
        clicks.push(click)
        if (spoil && clicks.length === 1) throw { kind: 'GatewayDown', message: '' }
        return fake.collect(amount, subject, click, another)
      },
    }))
    return { ...it, clicks }
  }

  it('that failed keeps its id, so that a second try is the same click', async () => {
    const { type, stroke, clicks, counter, field } = await clicksOf(true)
    await type('8.8')
    stroke('Enter')
    await flushPromises()
    expect(counter.refusal.value?.kind).toBe('GatewayDown')
    expect(field().value).toBe('8.8')
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 2_000)
    stroke('Enter', { afterMs: 2_000 })
    await flushPromises()
    vi.restoreAllMocks()
    expect(clicks).toHaveLength(2)
    expect(clicks[0]).toBe(clicks[1])
  })

  it('of the next draft has another id', async () => {
    const { type, stroke, clicks, fake } = await clicksOf(false)
    await type('8')
    stroke('Enter')
    await flushPromises()
    fake.show({ ...payments.paid, pay_id: 'pay-0232', version: 9 })
    await flushPromises()
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 2_000)
    await type('8')
    stroke('Enter', { afterMs: 2_000 })
    await flushPromises()
    vi.restoreAllMocks()
    expect(new Set(clicks).size).toBe(2)
  })
})

describe('an amount equal to one that is still closing', () => {
  it('asks once: the same customer resumes, another gets a new order', async () => {
    const closing = { ...payments.closing, pay_id: 'pay-0228', order_no: '07-0228', amount: '26.00' }
    const { screen, type, stroke, collects, fake } = await seat({ pinned: [closing] })
    await type('26')
    stroke('Enter')
    await flushPromises()
    expect(screen.get('[data-testid=same]').text()).toContain('07-0228')
    await screen.get('[data-testid=same-other]').trigger('click')
    await flushPromises()
    expect(collects()).toBe(2)
    expect(fake.asked).not.toContain('resume')
    expect(screen.get('main').attributes('data-scene')).toBe('code')
  })
})
