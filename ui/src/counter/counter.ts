/**
 * The counter as the screens see it: the last view that Rust sent, and the way to ask Rust for something.
 *
 * Nothing here is a truth of its own. A view is only replaced by a newer one, and a refused command becomes a notice.
 */
import { inject, ref, shallowRef, type InjectionKey, type Ref, type ShallowRef } from 'vue'

import type { CommandError } from '../shared/bindings/CommandError'
import type { CounterView } from '../shared/bindings/CounterView'
import type { PaymentView } from '../shared/bindings/PaymentView'
import { asCommandError, type CounterApi } from './api/api'

export interface Counter {
  api: CounterApi
  view: ShallowRef<CounterView | null>
  /** The last refusal, until the next act. */
  refusal: Ref<CommandError | null>
  accept(payment: PaymentView): void
  /** Asks; a refusal is shown and the answer is null. */
  ask<T>(question: (api: CounterApi) => Promise<T>): Promise<T | null>
}

const key: InjectionKey<Counter> = Symbol('counter')
export const counterKey = key

/** The counter of this window. */
export function useCounter(): Counter {
  const counter = inject(key)
  if (counter === undefined) throw new Error('no counter was provided')
  return counter
}

/** Opens the counter: listens first and asks second, so that no change falls between the two. */
export async function openCounter(api: CounterApi): Promise<Counter> {
  const view = shallowRef<CounterView | null>(null)
  const refusal = ref<CommandError | null>(null)
  const accept = (payment: PaymentView) => {
    if (view.value !== null) view.value = withPayment(view.value, payment)
  }
  await api.onPayment(accept)
  await api.onCounter((counter) => (view.value = counter))
  const first = await api.boot()
  view.value ??= first
  return {
    api,
    view,
    refusal,
    accept,
    async ask(question) {
      refusal.value = null
      try {
        return await question(api)
      } catch (thrown) {
        refusal.value = asCommandError(thrown)
        return null
      }
    },
  }
}

/** The view with a newer state of one payment; an older or unknown one changes nothing. */
export function withPayment(view: CounterView, payment: PaymentView): CounterView {
  const newer = (old: PaymentView) => (old.pay_id === payment.pay_id && isNewer(payment, old) ? payment : old)
  const current = view.current === null ? null : newer(view.current)
  return { ...view, current, pinned: view.pinned.map(newer) }
}

function isNewer(payment: PaymentView, old: PaymentView): boolean {
  return payment.version > old.version || (payment.version === old.version && payment.now_ms >= old.now_ms)
}
