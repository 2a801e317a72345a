/** What the panel shows between the press of the button and the first word from Rust: the amount, and "asking". */
import type { PaymentMethod } from '../../shared/bindings/PaymentMethod'
import type { PaymentView } from '../../shared/bindings/PaymentView'

export interface Asked {
  amount: string
  subject: string
  method: PaymentMethod
  sinceMs: number
}

export function pendingPayment(asked: Asked, nowMs: number): PaymentView {
  return {
    pay_id: '',
    order_no: '',
    amount: asked.amount.includes('.') ? asked.amount.replace(/\.$/, '.00').replace(/(\.\d)$/, '$10') : `${asked.amount}.00`,
    subject: asked.subject,
    method: asked.method,
    moment: 'Asking',
    status: 'INIT',
    code: null,
    seconds_left: null,
    seconds_total: null,
    contact: { state: 'contacting', since_ms: asked.sinceMs, last_answer_at_ms: null },
    stages: { code_at_ms: null, scanned_at_ms: null, paid_at_ms: null },
    trade_seen: false,
    reason: null,
    stopped_by: null,
    can: { refresh: false, new_code: false, stop: false, resume: false, collect_again: false },
    case_kind: null,
    received: null,
    created_at_ms: asked.sinceMs,
    stopped_at_ms: null,
    now_ms: Math.max(nowMs, asked.sinceMs),
    version: 0,
  }
}
