/**
 * The counter in a plain browser: `?fake=STATE&lang=zh|en` shows any state without Rust behind it.
 *
 * States: idle, empty, certificates, check-bad, every key of `payments`, late, code-late, cases, recovering, clone, demo, first, unlock, broken. Without `fake` the page is `live`:
 * a collected code is scanned and paid by itself.
 */
import type { CounterView } from '../../shared/bindings/CounterView'
import type { CustomerView } from '../../shared/bindings/CustomerView'
import type { PaymentView } from '../../shared/bindings/PaymentView'
import type { CounterApi, CustomerApi } from './api'
import { fakeCounter, late, ordinary, type FakeCounter } from './fake/counter'
import { payments } from './fake/payments'

export function openFakeCounter(search: string): CounterApi {
  const asked = new URLSearchParams(search)
  const state = asked.get('fake') ?? 'live'
  const language = asked.get('lang') === 'en' ? 'en' : 'zh'
  const counter = fakeCounter({ ...stateNamed(state), language }, state === 'live' ? 300 : 0)
  Object.assign(window, { fakeCounter: { asked: counter.asked, become: (name: string) => counter.become({ ...stateNamed(name), language }) } })
  return state === 'live' ? alive(counter) : counter
}

function stateNamed(state: string): CounterView {
  switch (state) {
    case 'late':
      return ordinary({ pinned: [late], open_cases: 2 })
    case 'cases':
      return ordinary({ open_cases: 5 })
    case 'code-late':
      return ordinary({ current: payments.code, pinned: [late], open_cases: 1 })
    case 'recovering':
      return ordinary({ recovering: 1, pinned: [] })
    case 'clone':
      return ordinary({ clone_warning: true, status: { ...ordinary().status, hq: { state: 'refused', waiting: 12 } } })
    case 'certificates':
      return ordinary({ status: { ...ordinary().status, certificate_days: 21, check: { state: 'warn', n: 1 } } })
    case 'check-bad':
      return ordinary({ pinned: [], status: { ...ordinary().status, clock_offset_ms: -252_000, check: { state: 'bad', n: 2 } } })
    case 'empty':
      return ordinary({ pinned: [], recent: [], status: { ...ordinary().status, hq: { state: 'off', waiting: 0 }, alipay: { state: 'unknown', ms: null }, clock_offset_ms: null } })
    case 'demo':
    case 'live':
      return ordinary({ demo: true, pinned: [] })
    case 'first':
      return ordinary({ stage: 'FirstRun', keyring: false })
    case 'broken':
      return ordinary({ shop: { store_name: '', store_id: '', terminal_id: '' } })
    case 'unlock':
      return ordinary({ stage: 'Unlock' })
    case 'offline':
      return ordinary({ current: payments.offline, status: { ...ordinary().status, alipay: { state: 'down', ms: null } } })
    default:
      return ordinary({ current: isPayment(state) ? payments[state] : null, open_cases: state === 'wrong-amount' || state === 'aside' ? 1 : 0 })
  }
}

const isPayment = (state: string): state is keyof typeof payments => Object.hasOwn(payments, state)

/** The buyer of the live fake: scans after four seconds, pays three seconds later. */
function alive(counter: FakeCounter): CounterApi {
  const later = (payment: PaymentView, ms: number) => setTimeout(() => counter.show(payment), ms)
  return {
    ...counter,
    async collect(amount, subject, click, anotherCustomer) {
      const result = await counter.collect(amount, subject, click, anotherCustomer)
      if (result.kind !== 'Shown') return result
      const { pay_id, order_no } = result.payment
      const same = { pay_id, order_no, amount: result.payment.amount, subject }
      later({ ...payments.scanned, ...same }, 4_000)
      later({ ...payments.paid, ...same }, 7_000)
      return result
    },
  }
}

export function openFakeCustomer(search: string): CustomerApi {
  const asked = new URLSearchParams(search)
  const state = asked.get('fake') ?? 'idle'
  const view: CustomerView = { ...customerNamed(state), language: asked.get('lang') === 'en' ? 'en' : 'zh' }
  return { customerView: async () => view, onCustomer: async () => () => undefined }
}

function customerNamed(state: string): CustomerView {
  const { order_no, amount, code, now_ms } = payments.code
  const idle: CustomerView = { screen: 'Idle', store_name: '木禾便利店', language: 'zh', demo: false, order_no: null, amount: null, code: null, seconds_left: null, seconds_total: null, now_ms }
  switch (state) {
    case 'code':
      return { ...idle, screen: 'Paying', order_no, amount, code, seconds_left: 249, seconds_total: 300 }
    case 'scanned':
      return { ...idle, screen: 'Scanned', order_no, amount, seconds_left: 225, seconds_total: 300 }
    case 'waiting':
      return { ...idle, screen: 'Waiting', order_no, amount }
    case 'paid':
      return { ...idle, screen: 'Paid', order_no, amount, seconds_left: 3, seconds_total: 5 }
    default:
      return idle
  }
}
