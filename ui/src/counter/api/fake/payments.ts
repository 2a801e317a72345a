/** Payments in every state, as Rust would send them. */
import type { PaymentView } from '../../../shared/bindings/PaymentView'
import { exampleCode } from './code'

/** 2026-11-30, Beijing time. */
export const at = (clock: string) => Date.parse(`2026-11-30T${clock}+08:00`)

const nothing = { refresh: false, new_code: false, stop: false, resume: false, collect_again: false }

const asking: PaymentView = {
  pay_id: 'pay-0231',
  order_no: '07-0231',
  amount: '38.50',
  subject: '日用百货',
  method: 'QR',
  moment: 'Asking',
  status: 'INIT',
  code: null,
  seconds_left: null,
  seconds_total: null,
  contact: { state: 'contacting', since_ms: at('14:32:37'), last_answer_at_ms: null },
  stages: { code_at_ms: null, scanned_at_ms: null, paid_at_ms: null },
  trade_seen: false,
  reason: null,
  stopped_by: null,
  can: { ...nothing, stop: true },
  case_kind: null,
  received: null,
  created_at_ms: at('14:32:37'),
  stopped_at_ms: null,
  now_ms: at('14:32:39'),
  version: 1,
}

const code: PaymentView = {
  ...asking,
  moment: 'ShowCode',
  status: 'PRECREATED',
  code: { rows: exampleCode },
  seconds_left: 249,
  seconds_total: 300,
  contact: { state: 'ok', since_ms: at('14:32:37'), last_answer_at_ms: at('14:33:25') },
  stages: { ...asking.stages, code_at_ms: at('14:32:37') },
  can: { ...nothing, refresh: true, stop: true },
  now_ms: at('14:33:28'),
  version: 2,
}

const scanned: PaymentView = {
  ...code,
  moment: 'Scanned',
  status: 'PAYING',
  seconds_left: 225,
  stages: { ...code.stages, scanned_at_ms: at('14:33:14') },
  trade_seen: true,
  can: { ...nothing, stop: true },
  version: 3,
}

const closing: PaymentView = {
  ...code,
  moment: 'Closing',
  status: 'CLOSING',
  code: null,
  seconds_left: 133,
  seconds_total: 300,
  stopped_by: 'PERSON',
  stopped_at_ms: at('14:33:52'),
  can: { ...nothing, resume: true },
  now_ms: at('14:35:24'),
  version: 4,
}

const paid: PaymentView = {
  ...scanned,
  moment: 'Paid',
  status: 'SUCCESS',
  code: null,
  seconds_left: null,
  seconds_total: null,
  stages: { ...scanned.stages, paid_at_ms: at('14:33:28') },
  received: '38.50',
  can: nothing,
  version: 5,
}

/** With the code on the customer's phone. */
const charging: PaymentView = { ...asking, method: 'BUYER_CODE', moment: 'Scanned', status: 'PAYING' }

const aside: PaymentView = { ...paid, moment: 'AskAPerson', status: 'SUSPENSE', version: 6 }

/** The payment on the panel, by the name of its state. */
export const payments = {
  asking,
  'asking-long': { ...asking, contact: { state: 'unanswered', since_ms: at('14:32:39'), last_answer_at_ms: null }, now_ms: at('14:32:44') },
  code,
  scanned,
  'ran-out': { ...code, moment: 'RanOut', code: null, seconds_left: 0, can: { ...nothing, new_code: true, stop: true }, now_ms: at('14:37:38') },
  paid,
  closing,
  'closing-scanned': { ...closing, trade_seen: true, seconds_left: null, stages: scanned.stages, can: nothing },
  'closing-unsure': { ...closing, seconds_left: 0, can: nothing, contact: { state: 'unanswered', since_ms: at('14:36:02'), last_answer_at_ms: at('14:36:00') } },
  closed: { ...closing, moment: 'Closed', status: 'CLOSED', seconds_left: null, seconds_total: null, can: { ...nothing, collect_again: true }, version: 5 },
  refused: { ...asking, moment: 'Refused', status: 'FAIL', reason: '商户号被限制收款，请登录商家中心查看', can: { ...nothing, collect_again: true }, version: 2 },
  offline: { ...code, contact: { state: 'unanswered', since_ms: at('14:32:41'), last_answer_at_ms: at('14:32:41') } },
  charging,
  confirming: { ...charging, contact: { state: 'ok', since_ms: at('14:32:37'), last_answer_at_ms: at('14:32:48') }, trade_seen: true, now_ms: at('14:32:49'), version: 2 },
  'charge-unknown': { ...charging, contact: { state: 'unanswered', since_ms: at('14:32:37'), last_answer_at_ms: null }, now_ms: at('14:32:58') },
  'charge-stopping': { ...charging, moment: 'Closing', status: 'CLOSING', stopped_by: 'PERSON', stopped_at_ms: at('14:33:52'), can: nothing, now_ms: at('14:33:54'), version: 3 },
  'charge-refused': { ...charging, moment: 'Closing', status: 'CLOSING', reason: '余额不足，请更换付款方式后再试', seconds_left: 171, seconds_total: 210, can: nothing, now_ms: at('14:33:16'), version: 3 },
  'charge-closed': { ...charging, moment: 'Closed', status: 'CLOSED', stopped_by: 'PERSON', stopped_at_ms: at('14:33:52'), can: { ...nothing, collect_again: true }, version: 4 },
  'not-charged': { ...charging, moment: 'Refused', status: 'FAIL', reason: '余额不足，请更换付款方式后再试', can: { ...nothing, collect_again: true }, version: 2 },
  charged: { ...paid, method: 'BUYER_CODE', stages: { code_at_ms: null, scanned_at_ms: null, paid_at_ms: at('14:32:39') }, version: 3 },
  'wrong-amount': { ...aside, case_kind: 'AMOUNT_MISMATCH', received: '35.80' },
  aside: { ...aside, case_kind: 'DUPLICATE_PAYMENT', received: '77.00' },
  long: { ...code, amount: '1234567.00', subject: '<img src=x onerror=alert(1)>' },
} satisfies Record<string, PaymentView>

/** A payment in doubt that waits in the strip, and one that got money after it was cancelled. */
export const waiting: PaymentView = { ...closing, pay_id: 'pay-0228', order_no: '07-0228', amount: '26.00', subject: '饮料', created_at_ms: at('14:31:02'), seconds_left: 161 }
export const late: PaymentView = {
  ...waiting,
  moment: 'AskAPerson',
  status: 'SUSPENSE',
  seconds_left: null,
  created_at_ms: at('14:05:10'),
  stopped_at_ms: at('14:06:02'),
  stages: { code_at_ms: at('14:05:11'), scanned_at_ms: null, paid_at_ms: at('14:33:21') },
  case_kind: 'LATE_PAYMENT',
  received: '26.00',
  can: nothing,
}
