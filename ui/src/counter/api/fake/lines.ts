/** Orders of the fake as lists and details show them. */
import type { CounterView } from '../../../shared/bindings/CounterView'
import type { OrderLine } from '../../../shared/bindings/OrderLine'
import type { PaymentView } from '../../../shared/bindings/PaymentView'
import { payments } from './payments'
import { refuse } from './refuse'
import { story } from './shop'

export const asLine = (payment: PaymentView): OrderLine => ({ ...payment, order: 'CREATED', at_ms: payment.created_at_ms })

export const listed = (view: CounterView): OrderLine[] => [...view.pinned.map(asLine), ...(view.current === null ? [] : [asLine(view.current)]), ...view.recent]

const open: OrderLine['status'][] = ['INIT', 'PRECREATED', 'PAYING', 'CLOSING', 'SUSPENSE']

export function matches(line: OrderLine, text: string, filter: string): boolean {
  const isFound = [line.order_no, line.amount, line.subject].some((field) => field.includes(text.trim()))
  if (filter === 'paid') return isFound && line.status === 'SUCCESS'
  if (filter === 'refunded') return isFound && ['REFUNDING', 'PARTIALLY_REFUNDED', 'REFUNDED'].includes(line.order)
  if (filter === 'unsure') return isFound && open.includes(line.status)
  return isFound && (filter === 'all' || line.status === 'CLOSED' || line.status === 'FAIL')
}

export function detailOf(view: CounterView, payId: string) {
  const known = [view.current, ...view.pinned].find((payment) => payment?.pay_id === payId)
  const found = listed(view).find((order) => order.pay_id === payId) ?? refuse('NotNow', payId)
  const payment = known ?? { ...payments.paid, ...found, created_at_ms: found.at_ms, received: found.status === 'SUCCESS' ? found.amount : null }
  const isPaid = payment.status === 'SUCCESS'
  const first = story[0]?.at_ms ?? 0
  const told = isPaid ? story : story.slice(0, 3)
  const timeline = told.map((line) => ({ ...line, at_ms: line.at_ms - first + payment.created_at_ms, amount: line.amount === null ? null : payment.amount }))
  return { payment, out_trade_no: 'S031T07E2_261130_000231_7Q4KX2M9', trade_no: isPaid ? '2026113022001400000054471' : null, timeline }
}
