import { flushPromises, mount } from '@vue/test-utils'
import { defineComponent, h } from 'vue'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { fakeCounter, ordinary, type FakeCounter } from '../src/counter/api/fake/counter'
import { payments } from '../src/counter/api/fake/payments'
import CollectScreen from '../src/counter/collect/CollectScreen.vue'
import { useCollect } from '../src/counter/collect/useCollect'
import { counterKey, openCounter } from '../src/counter/counter'
import { i18n, speak } from '../src/counter/words/speak'
import type { CounterView } from '../src/shared/bindings/CounterView'
import ime from './fixtures/UI1_ime_enter.json'
import markup from './fixtures/UI9_markup.json'

let open: (() => void)[] = []
afterEach(() => {
  open.forEach((close) => close())
  open = []
})

const Desk = defineComponent(() => {
  const collect = useCollect()
  return () => h('div', [h(CollectScreen, { collect })])
})

/** Collect on a fake counter. `at` is the time of the next key stroke, in ms. */
async function seat(view: Partial<CounterView> = {}, change: (counter: FakeCounter) => Partial<FakeCounter> = () => ({})) {
  speak('zh')
  const fake = fakeCounter(ordinary({ pinned: [], ...view }))
  const counter = await openCounter({ ...fake, ...change(fake) })
  const screen = mount(Desk, { attachTo: document.body, global: { plugins: [i18n], provide: { [counterKey as symbol]: counter } } })
  open.push(() => screen.unmount())
  await flushPromises()
  let at = 0
  const field = () => screen.get<HTMLInputElement>('[data-testid=amount]').element
  const stroke = (key: string, rest: KeyboardEventInit & { afterMs?: number } = {}, target: Element = field()) => {
    at += rest.afterMs ?? 120
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...rest })
    Object.defineProperty(event, 'timeStamp', { value: at })
    target.dispatchEvent(event)
    return event
  }
  const insert = (text: string) => {
    field().value += text
    field().dispatchEvent(new Event('input', { bubbles: true }))
  }
  /** What a keyboard does: the key goes down, and unless somebody objects the character lands. */
  const type = async (text: string, afterMs = 120) => {
    for (const [index, key] of [...text].entries()) {
      if (!stroke(key, { afterMs: index === 0 ? 120 : afterMs }).defaultPrevented) insert(key)
      await flushPromises()
    }
  }
  const button = () => screen.get<HTMLButtonElement>('[data-testid=collect]')
  return { screen, fake, counter, field, stroke, insert, type, button, collects: () => fake.asked.filter((command) => command === 'collect').length }
}

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
    await type('281234567890123456789012', 30 / 23)
    stroke('Enter', { afterMs: 1 })
    await flushPromises()
    expect(field().value).toBe('12')
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

describe('UI9: markup in a subject', () => {
  it.each(markup.values)('%s is shown as text', async (subject) => {
    const { screen } = await seat({ current: { ...payments.code, subject } })
    expect(screen.text()).toContain(subject.replace(/\u202e/g, ''))
    expect(screen.find('img, script').exists()).toBe(false)
  })
})

describe('the keys of a payment', () => {
  it.each([
    ['code', 'F5', 'refresh'],
    ['code', 'Escape', 'stop'],
    ['ran-out', 'F5', 'new_code'],
    ['closing', 'Enter', 'dismiss'],
    ['offline', 'Enter', 'ask_now'],
    ['closed', 'Enter', 'collect_again'],
  ] as const)('in %s: %s asks for %s', async (state, key, command) => {
    const { stroke, fake } = await seat({ current: payments[state] })
    stroke(key, {}, document.body)
    await flushPromises()
    expect(fake.asked).toContain(command)
  })

  it('change nothing when an older view arrives late', async () => {
    const { screen, counter } = await seat({ current: payments.paid })
    counter.accept({ ...payments.scanned, version: 3 })
    await flushPromises()
    expect(screen.get('main').attributes('data-scene')).toBe('paid')
  })
})
