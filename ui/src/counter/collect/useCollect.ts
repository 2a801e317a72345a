/** The cashier's side of Collect: the draft, the keys, and the acts. Times and states come from Rust. */
import { computed, onBeforeUnmount, onMounted, ref, shallowRef } from 'vue'

import type { CollectResult } from '../../shared/bindings/CollectResult'
import type { PaymentMethod } from '../../shared/bindings/PaymentMethod'
import type { PaymentView } from '../../shared/bindings/PaymentView'
import { useCounter } from '../counter'
import { openPage } from '../page'
import { actsOf, type Act, type ActName } from './acts'
import { emptyDraft, isReady, pressed, shortened, typed, type Draft } from './draft'
import { Debounce } from './keying'
import { pendingPayment, type Asked } from './pending'
import { looks, sceneOf, type SceneName } from './scene'

/** A second press within this time is the same press. */
const collectQuietMs = 1_500

export type Hint = 'empty' | 'refused' | 'scanned' | 'amountFirst'

const mint = () => crypto.randomUUID()

export function useCollect() {
  const { api, view, ask, accept, refusal } = useCounter()
  const draft = shallowRef<Draft>(emptyDraft)
  const subject = ref('')
  const hint = ref<Hint | null>(null)
  const busy = ref(false)
  const pending = shallowRef<Asked | null>(null)
  const same = shallowRef<PaymentView | null>(null)
  /** What "another customer" means while that is asked. */
  let serveOther: () => Promise<void> = async () => undefined
  const left = ref<string | null>(null)
  const nowMs = useTicks(() => pending.value !== null)
  const debounce = new Debounce(collectQuietMs)

  /** The payment on the panel: Rust's, or while the first call runs, what was just asked for. */
  const payment = computed<PaymentView | null>(() => {
    const current = view.value?.current ?? null
    const isShown = current !== null && current.pay_id !== left.value
    if (isShown && !canStartOver(current)) return current
    if (pending.value !== null) return pendingPayment(pending.value, nowMs.value)
    return isShown ? current : null
  })
  const scene = computed<SceneName>(() => (payment.value === null ? 'idle' : sceneOf(payment.value)))
  const acts = computed<Act[]>(() => (payment.value === null || pending.value !== null ? [] : actsOf(scene.value, payment.value)))
  const isHeld = computed(() => looks[scene.value].held !== null || view.value?.clone_warning === true)

  function put(next: Draft | null) {
    if (isHeld.value) return
    hint.value = next === null ? 'refused' : null
    if (next === null) return
    draft.value = next
    if (next.amount !== '') leaveFinished()
  }

  function leaveFinished() {
    const current = view.value?.current
    if (current == null || !canStartOver(current) || left.value === current.pay_id) return
    left.value = current.pay_id
    void ask(() => api.dismiss(current.pay_id))
  }

  async function collect(anotherCustomer = false) {
    if (isHeld.value || pending.value !== null) return
    const ready = draft.value
    if (!isReady(ready)) return void (hint.value = 'empty')
    if (!anotherCustomer && !debounce.lets(performance.now())) return
    serveOther = () => collect(true)
    await send('QR', ready.amount, (goods) => api.collect(ready.amount, goods, ready.click, anotherCustomer))
  }

  /** Collects with the code on the customer's phone: the amount first, then the scanner. */
  async function charge(code: string, anotherCustomer = false) {
    if (pending.value !== null) return
    if (isHeld.value) return void (refusal.value = { kind: 'StopFirst', message: '' })
    const ready = draft.value
    if (!isReady(ready)) return void (hint.value = 'amountFirst')
    hint.value = null
    serveOther = () => charge(code, true)
    await send('BUYER_CODE', ready.amount, (goods) => api.collectWithCode(ready.amount, goods, ready.click, anotherCustomer, code))
  }

  async function send(method: PaymentMethod, amount: string, question: (goods: string) => Promise<CollectResult>) {
    const goods = subject.value.trim() === '' ? (view.value?.subject ?? '') : subject.value.trim()
    pending.value = { amount, subject: goods, method, sinceMs: performance.now() }
    nowMs.value = performance.now()
    same.value = null
    const result = await ask(() => question(goods))
    if (result?.kind === 'Shown') shown(result.payment)
    else if (result?.kind === 'SameAmountClosing') same.value = result.payment
    pending.value = null
  }

  function shown(collected: PaymentView) {
    draft.value = emptyDraft
    subject.value = ''
    left.value = null
    const counter = view.value
    if (counter !== null && counter.current?.pay_id !== collected.pay_id) view.value = { ...counter, current: collected }
    else accept(collected)
  }

  async function resumeSame() {
    const closing = same.value
    if (closing === null) return
    same.value = null
    const resumed = await ask(() => api.resume(closing.pay_id))
    if (resumed !== null) shown(resumed)
  }

  async function act(name: ActName) {
    const shownPayment = payment.value
    if (shownPayment === null || busy.value || pending.value !== null) return
    busy.value = true
    const answered = await ask(() => carryOut(name, shownPayment))
    if (answered != null) shown(answered)
    busy.value = false
  }

  /** One act, one command; the two that only look elsewhere call nothing. */
  async function carryOut(name: ActName, on: PaymentView): Promise<PaymentView | null> {
    switch (name) {
      case 'refresh':
        return api.refresh(on.pay_id)
      case 'newCode':
        return api.newCode(on.pay_id)
      case 'stop':
        return api.stop(on.pay_id)
      case 'resume':
        return api.resume(on.pay_id)
      case 'askNow':
        return api.askNow(on.pay_id)
      case 'collectAgain':
        return api.collectAgain(on.pay_id, mint())
      case 'next':
        await api.dismiss(on.pay_id)
        left.value = on.pay_id
        return null
      case 'detail':
        openPage('orders', on.pay_id)
        return null
      case 'decide':
        openPage('cases')
        return null
    }
  }

  return {
    draft, subject, hint, busy, pending, same, payment, scene, acts, isHeld,
    collect, charge, resumeSame, act,
    serveOther: () => serveOther(),
    put: (text: string) => put(typed(draft.value, text, mint)),
    press: (keys: string) => put(pressed(draft.value, keys, mint)),
    replace: (amount: string) => put(typed(draft.value, amount, mint)),
    shorten: () => put(shortened(draft.value)),
    clear: () => put(emptyDraft),
    nameGoods: (goods: string) => void (subject.value = goods),
    giveBack(before: Draft, goods: string) {
      if (isHeld.value) return
      draft.value = before
      subject.value = goods
      hint.value = 'scanned'
    },
  }
}

export type Collect = ReturnType<typeof useCollect>

/** Nothing of this payment lives any more: the next digit starts the next customer. */
export function canStartOver(payment: PaymentView): boolean {
  return payment.moment === 'Paid' || payment.moment === 'Closed' || payment.moment === 'Refused'
}

/** A clock for the eye only: how long the first call has been running. */
function useTicks(isWanted: () => boolean) {
  const nowMs = ref(performance.now())
  let timer = 0
  onMounted(() => {
    timer = window.setInterval(() => {
      if (isWanted()) nowMs.value = performance.now()
    }, 250)
  })
  onBeforeUnmount(() => window.clearInterval(timer))
  return nowMs
}
