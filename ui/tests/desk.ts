/** A cashier's desk for tests: Collect on a fake counter, and hands that type as people and scanners do. */
import { flushPromises, mount } from '@vue/test-utils'
import { defineComponent, h } from 'vue'

import { fakeCounter, ordinary, type FakeCounter } from '../src/counter/api/fake/counter'
import CollectScreen from '../src/counter/collect/CollectScreen.vue'
import { useCollect } from '../src/counter/collect/useCollect'
import { counterKey, openCounter } from '../src/counter/counter'
import { i18n, speak } from '../src/counter/words/speak'
import type { CounterView } from '../src/shared/bindings/CounterView'

let open: (() => void)[] = []

/** Leaves every desk of the last test. */
export function leaveDesks() {
  open.forEach((close) => close())
  open = []
}

const Desk = defineComponent(() => {
  const collect = useCollect()
  return () => h('div', [h(CollectScreen, { collect })])
})

/** Collect on a fake counter. `at` is the time of the next key stroke, in ms. */
export async function seat(view: Partial<CounterView> = {}, change: (counter: FakeCounter) => Partial<FakeCounter> = () => ({})) {
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
