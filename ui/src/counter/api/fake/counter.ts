/**
 * A counter that lives in the page: it answers commands as Rust would, without money, disk or network.
 *
 * Started in a named state it stands still until it is asked; started as `live` its code is scanned and paid by itself.
 */
import type { CounterView } from '../../../shared/bindings/CounterView'
import type { OrderLine } from '../../../shared/bindings/OrderLine'
import type { PaymentView } from '../../../shared/bindings/PaymentView'
import type { CounterApi } from '../api'
import { FakeBills } from './bill'
import { FakeCases } from './cases'
import { findings, selfTest } from './findings'
import { asLine, detailOf, listed, matches } from './lines'
import { late, payments, waiting } from './payments'
import { FakePeople } from './people'
import { FakeRefunds } from './refunds'
import { refuse } from './refuse'
import { emptyTotals, keysShown, recent, settings, totals } from './shop'
import { fullAmount } from '../../refund/draft'
import { resolveIn } from './verdicts'

export interface FakeCounter extends CounterApi {
  /** Every command that was called, for tests: what the screen asked, in order. */
  readonly asked: string[]
  show(payment: PaymentView): void
  /** Replaces everything, as if Rust had just said so. */
  become(view: CounterView): void
}

export function fakeCounter(start: CounterView, latencyMs = 0): FakeCounter {
  let view = start
  let sold = 231
  let hears: { payment: ((payment: PaymentView) => void)[]; counter: ((counter: CounterView) => void)[] } = { payment: [], counter: [] }
  const asked: string[] = []
  const usedCodes = new Set<string>()
  const clicks = new Map<string, PaymentView>()
  const [people, refunds, cases, bills] = [new FakePeople(), new FakeRefunds(), new FakeCases(), new FakeBills()]
  const lines = () => listed(view).map((line): OrderLine => ({ ...line, order: refunds.status(line) }))
  const lineOf = (payId: string) => lines().find((line) => line.pay_id === payId) ?? refuse('NotNow', payId)

  const next = (like: PaymentView, amount: string, subject: string): PaymentView => {
    sold += 1
    const no = String(sold).padStart(4, '0')
    return { ...like, pay_id: `pay-${no}`, order_no: `07-${no}`, amount: fullAmount(amount), subject }
  }
  const tell = (all: CounterView) => {
    view = all
    hears.counter.forEach((hear) => hear(view))
  }
  const show = (payment: PaymentView): PaymentView => {
    const current = view.current === null || view.current.pay_id === payment.pay_id ? payment : view.current
    tell({ ...view, current })
    hears.payment.forEach((hear) => hear(payment))
    return payment
  }
  const answer = async <T>(name: string, value: () => T): Promise<T> => {
    asked.push(name)
    await new Promise((done) => setTimeout(done, latencyMs))
    return value()
  }
  const find = (payId: string) => [view.current, ...view.pinned].find((payment) => payment?.pay_id === payId) ?? refuse('NotNow', payId)
  const become = (name: keyof typeof payments, old: PaymentView): PaymentView => ({ ...payments[name], pay_id: old.pay_id, order_no: old.order_no, amount: old.amount, subject: old.subject, version: old.version + 1 })
  const turn = (command: string, name: keyof typeof payments) => (payId: string) => answer(command, () => show(become(name, find(payId))))

  return {
    asked,
    show,
    become: tell,
    boot: () => answer('boot', () => (start.shop.store_name === '' ? refuse('Storage', 'yidan.db: disk I/O error') : view)),
    status: () => answer('status', () => view.status),
    selfTest: () => answer('self_test', () => selfTest(view.status.check)),
    wantSelfTest: () => answer('want_self_test', () => tell({ ...view, status: { ...view.status, check: { state: 'warn', n: 1 } } })),
    collect: (amount, subject, click, anotherCustomer) =>
      answer('collect', () => {
        const known = clicks.get(click)
        if (known !== undefined) return { kind: 'Shown', payment: known } as const
        const twin = view.pinned.find((pin) => pin.moment === 'Closing' && pin.amount === fullAmount(amount))
        if (twin !== undefined && !anotherCustomer) return { kind: 'SameAmountClosing', payment: twin } as const
        const payment = next(payments.code, amount, subject)
        clicks.set(click, payment)
        tell({ ...view, current: payment })
        return { kind: 'Shown', payment } as const
      }),
    collectWithCode: (amount, subject, click, anotherCustomer, code) =>
      answer('collect_with_code', () => {
        const known = clicks.get(click)
        if (known !== undefined) return { kind: 'Shown', payment: known } as const
        if (usedCodes.has(code)) return refuse('CodeUsed')
        const twin = view.pinned.find((pin) => pin.moment === 'Closing' && pin.amount === fullAmount(amount))
        if (twin !== undefined && !anotherCustomer) return { kind: 'SameAmountClosing', payment: twin } as const
        usedCodes.add(code)
        const payment = next(payments.confirming, amount, subject)
        clicks.set(click, payment)
        tell({ ...view, current: payment })
        return { kind: 'Shown', payment } as const
      }),
    stop: (payId) => turn('stop', find(payId).method === 'QR' ? 'closing' : 'charge-stopping')(payId),
    resume: (payId) =>
      answer('resume', () => {
        const resumed = become('code', find(payId))
        tell({ ...view, current: resumed, pinned: view.pinned.filter((pin) => pin.pay_id !== payId) })
        return resumed
      }),
    refresh: turn('refresh', 'code'),
    newCode: turn('new_code', 'code'),
    askNow: (payId) => (refunds.isUnderWay(payId) ? answer('ask_now', () => (refunds.settle(payId), payments.paid)) : turn('ask_now', 'offline')(payId)),
    collectAgain: (payId) => answer('collect_again', () => show({ ...become('code', find(payId)) })),
    dismiss: (payId) =>
      answer('dismiss', () => {
        const gone = find(payId)
        const isFinal = gone.moment === 'Paid' || gone.moment === 'Closed' || gone.moment === 'Refused'
        const pinned = isFinal || view.pinned.some((pin) => pin.pay_id === payId) ? view.pinned : [gone, ...view.pinned]
        tell({ ...view, current: null, pinned, recent: isFinal ? [asLine(gone), ...view.recent] : view.recent })
      }),

    listOrders: (query) => answer('list_orders', () => lines().filter((line) => matches(line, query.text, query.status))),
    orderDetail: (payId) => answer('order_detail', () => ({ ...detailOf(view, payId), order: refunds.status(lineOf(payId)), refunds: refunds.of(payId), refund: refunds.offer(lineOf(payId)) })),
    dayTotals: (day) => answer('day_totals', () => (view.recent.length === 0 ? emptyTotals : { ...totals, day: day ?? totals.day })),
    listCases: () => answer('list_cases', () => cases.list(view.open_cases)),

    approvers: () => answer('approvers', () => people.approvers()),
    refund: (draft) =>
      answer('refund', () => {
        people.check(draft.pin)
        const made = refunds.make(draft, lineOf(draft.pay_id))
        tell({ ...view, recent: [...view.recent] })
        return made
      }),
    retryRefund: (draft) => answer('retry_refund', () => (people.check(draft.pin), refunds.askAgain(draft.refund_id))),
    caseDetail: (caseId) => answer('case_detail', () => cases.detail(caseId)),
    decide: (draft) => answer('decide', () => (people.check(draft.pin), tell({ ...view, open_cases: cases.decide(draft) }))),

    resolve: (hint, payId) => answer('resolve', () => resolveIn(lines(), hint, payId, view.status.alipay.state === 'down')),

    billPage: (day) => answer('bill_page', () => bills.page(day)),
    fetchBill: (day) => answer('fetch_bill', () => bills.read(day)),
    importBill: (day, file) => answer('import_bill', () => bills.read(day, file)),
    applyBill: (day) => answer('apply_bill', () => bills.apply(day)),

    people: () => answer('people', () => people.all()),
    changePeople: (draft) => answer('change_people', () => people.change(draft)),

    checkSetup: (draft) => answer('check_setup', () => findings(draft)),
    finishSetup: () => answer('finish_setup', () => (tell({ ...view, stage: 'Ready' }), { recovery: view.keyring ? null : 'KXPM-4T7Q-9DRA-62WN' })),
    startDemo: () => answer('start_demo', () => tell({ ...view, stage: 'Ready', demo: true })),
    unlock: (passphrase) => answer('unlock', () => (passphrase === 'correct horse' ? tell({ ...view, stage: 'Ready' }) : refuse('WrongPin'))),

    settings: () => answer('settings', () => ({ ...settings, keys: keysShown(view), language: view.language, hq: view.status.hq.state === 'off' ? { state: 'off', url: null, waiting: 0, last_ack_at_ms: null } : settings.hq })),
    saveSettings: (draft) => answer('save_settings', () => (draft.pin === '000000' ? refuse('WrongPin') : { ...settings, store_name: draft.store_name, language: draft.language })),
    setLanguage: (language) => answer('set_language', () => tell({ ...view, language })),
    checkKeys: (draft) => answer('check_keys', () => findings(draft)),
    enrol: (url) => answer('enrol', () => ({ ...settings, hq: { ...settings.hq, url } })),
    openPhone: () => answer('open_phone', () => undefined),

    onPayment: async (hear) => {
      hears.payment.push(hear)
      return () => void (hears = { ...hears, payment: hears.payment.filter((other) => other !== hear) })
    },
    onCounter: async (hear) => {
      hears.counter.push(hear)
      return () => void (hears = { ...hears, counter: hears.counter.filter((other) => other !== hear) })
    },
  }
}

/** A shop in the middle of an ordinary afternoon. */
export const ordinary = (rest: Partial<CounterView> = {}): CounterView => ({
  stage: 'Ready',
  demo: false,
  keyring: true,
  shop: { store_name: '木禾便利店', store_id: 'S031', terminal_id: '07' },
  language: 'zh',
  subject: '日用百货',
  current: null,
  pinned: [waiting],
  recent,
  status: { alipay: { state: 'ok', ms: 86 }, hq: { state: 'ok', waiting: 0 }, clock_offset_ms: 300, certificate_days: null, check: { state: 'ok', n: 0 }, operator: '小林', now_ms: payments.code.now_ms },
  clone_warning: false,
  recovering: 0,
  open_cases: 0,
  ...rest,
})

export { late }
