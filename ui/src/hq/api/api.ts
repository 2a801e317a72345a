/** What headquarters answers, and how it is asked. The shapes are those of `crates/hq`. */
import type { PaymentStatus } from '../../shared/bindings/PaymentStatus'

export interface Sums {
  count: number
  gross_fen: number
  refunds_fen: number
  net_fen: number
  suspense_fen: number
}
export interface StoreSums extends Sums {
  store_id: string
  store_name: string
  terminals: number
  open_cases: number
  net_by_hour: number[]
}
export interface Totals extends Sums {
  day: string
  open_count: number
  open_fen: number
  by_store: StoreSums[]
  by_terminal: (Sums & { store_id: string; terminal_id: string })[]
  by_hour: (Sums & { hour: number })[]
}
export interface Receipt {
  trade_no: string
  out_trade_no: string
  order_no: string
  store_id: string
  store_name: string
  terminal_id: string
  total_fen: number
  paid_at: number
  booked: 'RECOGNISED' | 'SUSPENSE'
}
export interface Payment {
  pay_id: string
  terminal_id: string
  store_id: string
  store_name: string
  order_no: string
  subject: string
  business_day: string
  out_trade_no: string
  amount_fen: number
  status: PaymentStatus
  order_status: string
  trade_no: string | null
  created_at: number
  changed_at: number
  counted_fen: number
  refunded_fen: number
}
export interface Moment {
  epoch: number
  seq: number
  kind: string
  at: number
  received_at: number
  hash: string
  status: PaymentStatus | null
  told_by: string | null
}
export interface Story {
  payment: Payment
  timeline: Moment[]
}
export interface Terminal {
  terminal_id: string
  store_id: string
  store_name: string
  epoch: number
  mode: 'demo' | 'live'
  revoked_at: number | null
  last_seen_at: number | null
  head_seq: number
  acked_seq: number
  head_hash: string
  is_complete: boolean
  missing_from: number | null
  /** The last thing it was told, by number, and the last one it has handled. */
  push_seq: number
  heard_seq: number
}
/** Money that Alipay has told of and no till has reported yet. */
export interface Unreported {
  out_trade_no: string
  trade_no: string
  amount_fen: number
  /** Empty: nobody's number is known here. */
  terminal_id: string
  store_name: string | null
  received_at: number
}
export interface Instruction {
  instruction_id: string
  terminal_id: string
  what: { act: string; out_trade_no?: string }
  made_by: string
  made_at: number
  outcome: 'DONE' | 'REFUSED' | 'NOT_UNDERSTOOD' | null
}
export interface Case {
  case_id: string
  kind: string
  found_by: 'TERMINAL' | 'HQ'
  terminal_id: string
  store_name: string
  out_trade_no: string
  order_no: string | null
  trade_no: string
  amount_fen: number
  detail: string
  opened_at: number
}
export interface Code {
  code: string
  terminal_id: string
  expires_at: number
}
export interface PaymentQuery {
  day: string
  store: string
  text: string
  group: 'all' | 'paid' | 'open' | 'aside'
  before: string | null
}

/** A refusal of headquarters (problem details), or no answer at all. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly kind: string,
    readonly retryAfter: number,
    detail: string,
  ) {
    super(detail)
  }
}

async function ask<T>(path: string, init?: RequestInit): Promise<T> {
  const answer = await fetch(`./api/v1/${path}`, { credentials: 'same-origin', ...init }).catch(() => {
    throw new Refused(0, 'unreachable', 0, '')
  })
  if (answer.ok) return answer.status === 204 ? (undefined as T) : ((await answer.json()) as T)
  const problem = (await answer.json().catch(() => ({}))) as { title?: string; detail?: string }
  throw new Refused(answer.status, problem.title ?? 'unknown', Number(answer.headers.get('retry-after') ?? 0), problem.detail ?? '')
}

const send = <T = undefined>(path: string, body: unknown = {}) =>
  ask<T>(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

/** Headquarters answers with at most this many payments at once. */
export const pageSize = 100

function paymentsPath(query: PaymentQuery): string {
  const words = new URLSearchParams({ day: query.day, limit: String(pageSize) })
  if (query.store !== '') words.set('store', query.store)
  if (query.text.trim() !== '') words.set('text', query.text.trim())
  if (query.before !== null) words.set('before', query.before)
  if (query.group === 'paid') words.set('status', 'SUCCESS')
  if (query.group === 'aside') words.set('status', 'SUSPENSE')
  if (query.group === 'open') words.set('open', 'true')
  return `payments?${words}`
}

export const api = {
  me: () => ask<{ name: string }>('me'),
  signIn: (name: string, password: string) => send<{ name: string }>('sign-in', { name, password }),
  signOut: () => send('sign-out'),
  totals: () => ask<Totals>('totals'),
  receipts: (limit: number) => ask<{ receipts: Receipt[] }>(`receipts?limit=${limit}`),
  payments: (query: PaymentQuery) => ask<{ payments: Payment[]; next: string | null }>(paymentsPath(query)),
  story: (outTradeNo: string) => ask<Story>(`payments/${encodeURIComponent(outTradeNo)}`),
  terminals: () => ask<{ terminals: Terminal[] }>('terminals'),
  cases: () => ask<{ cases: Case[]; open_count: number }>('cases'),
  unreported: () => ask<{ unreported: Unreported[] }>('unreported'),
  instructions: () => ask<{ instructions: Instruction[] }>('instructions'),
  makeCode: (storeId: string, storeName: string, terminalId: string | null) =>
    send<Code>('enrolment-codes', { store_id: storeId, store_name: storeName, terminal_id: terminalId }),
  revoke: (terminalId: string) => send(`terminals/${encodeURIComponent(terminalId)}/revoke`),
}
