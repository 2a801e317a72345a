/** What takes the place of the panel's title when something matters more than "ready". */
import type { CounterView } from '../../shared/bindings/CounterView'
import type { PaymentView } from '../../shared/bindings/PaymentView'
import { grouped } from '../../shared/money'
import { clockTime } from '../../shared/time'
import { caseKind } from './scene'

export interface Banner {
  tone: 'risk' | 'doubt'
  title: 'late' | 'wrongAmount' | 'aside' | 'recovering' | 'clone' | 'selfTest'
  amount: string | null
  line: 'lateLine' | 'wrongLine' | 'recoveringLine' | 'cloneLine' | 'selfTestLine' | null
  named: Record<string, string | number>
  /** The page that the banner leads to. */
  opens: 'cases' | 'selftest' | null
}

/** A copied database first, then money at risk, then what is still being found out, then what the self-test found. A running payment keeps its own title. */
export function bannerOf(view: CounterView, isRunning: boolean): Banner | null {
  if (isRunning) return null
  if (view.clone_warning) return { tone: 'risk', title: 'clone', amount: null, line: 'cloneLine', named: {}, opens: null }
  const atRisk = riskOf(view)
  if (atRisk !== null) return atRisk
  if (view.recovering > 0) return { tone: 'doubt', title: 'recovering', amount: null, line: 'recoveringLine', named: { n: view.recovering }, opens: null }
  const { state, n } = view.status.check
  if (state === 'bad') return { tone: 'risk', title: 'selfTest', amount: null, line: 'selfTestLine', named: { n }, opens: 'selftest' }
  return null
}

/** The first money in the strip that a manager has to decide about. */
export function riskOf(view: CounterView): Banner | null {
  const atRisk = view.pinned.find((pin) => pin.moment === 'AskAPerson')
  return atRisk === undefined ? null : moneyBanner(atRisk)
}

function moneyBanner(payment: PaymentView): Banner {
  const received = grouped(payment.received ?? payment.amount)
  const common = { tone: 'risk', amount: received, opens: 'cases' } as const
  const paidAt = payment.stages.paid_at_ms ?? payment.now_ms
  switch (caseKind(payment.case_kind ?? '')) {
    case 'LATE_PAYMENT':
      return { ...common, title: 'late', line: 'lateLine', named: { no: payment.order_no, time: clockTime(paidAt) } }
    case 'AMOUNT_MISMATCH':
      return { ...common, title: 'wrongAmount', line: 'wrongLine', named: { no: payment.order_no, amount: grouped(payment.amount) } }
    default:
      return { ...common, title: 'aside', line: null, named: {} }
  }
}
