/** "I have paid" in the fake: the last digits of the number choose the verdict. */
import type { OrderLine } from '../../../shared/bindings/OrderLine'
import type { ProofLine } from '../../../shared/bindings/ProofLine'
import type { ResolveView } from '../../../shared/bindings/ResolveView'
import type { VerdictKind } from '../../../shared/bindings/VerdictKind'
import type { VerdictView } from '../../../shared/bindings/VerdictView'
import { at } from './payments'

const proof = (what: string, clock: string | null, rest: Partial<ProofLine> = {}): ProofLine => ({ what, detail: null, about_ms: null, at_ms: clock === null ? null : at(clock), took_ms: null, ...rest })

const proofs: Record<VerdictKind, ProofLine[]> = {
  PAID: [
    proof('paid', '14:34:02', { about_ms: at('14:33:28'), took_ms: 400 }),
    proof('signed', '14:34:02'),
    proof('trade', null, { detail: '2026113022001400000054471' }),
  ],
  NOT_PAID: [
    proof('no_trade', '14:38:50', { took_ms: 300 }),
    proof('code_ended', null, { about_ms: at('14:36:07') }),
    proof('code_dead', null, { about_ms: at('14:37:37') }),
  ],
  STILL_OPEN: [proof('waiting', '14:33:41', { took_ms: 300 }), proof('code_until', null, { about_ms: at('14:37:37') }), proof('dead_at', null, { about_ms: at('14:39:07') })],
  PAID_ELSEWHERE: [proof('other_paid', '14:34:02', { detail: '07-0229', about_ms: at('14:33:02'), took_ms: 400 }), proof('unscanned', '14:34:02', { took_ms: 400 })],
  UNREACHABLE: [proof('no_answer', null, { took_ms: 3000 }), proof('last_known', null, { detail: 'PRECREATED' }), proof('since', null)],
  GIVEN_BACK: [proof('paid', '14:34:02', { about_ms: at('14:20:58'), took_ms: 400 }), proof('refunded', null, { detail: '45.00' }), proof('signed', '14:34:02')],
  ASK_A_PERSON: [proof('aside', '14:33:21')],
}

const nexts: Record<VerdictKind, VerdictView['next']> = { PAID: 'HAND_OVER', NOT_PAID: 'COLLECT_AGAIN', STILL_OPEN: 'WAIT', PAID_ELSEWHERE: 'HAND_OVER_OTHER', UNREACHABLE: 'ASK_AGAIN', GIVEN_BACK: 'NEW_ORDER', ASK_A_PERSON: 'OPEN_CASE' }

export function resolveIn(lines: OrderLine[], hint: string, payId: string | null, isDown: boolean): ResolveView {
  const wanted = hint.trim()
  const hits = wanted === '' ? lines.slice(0, 3) : lines.filter((line) => line.order_no.endsWith(wanted) || line.amount.startsWith(wanted) || line.pay_id === wanted).slice(0, 5)
  const line = hits.find((hit) => hit.pay_id === payId) ?? (hits.length === 1 ? hits[0] : undefined)
  if (wanted === '' || line === undefined) return { hits, verdict: null }
  const kind = isDown ? 'UNREACHABLE' : verdictOf(line)
  const other = kind === 'PAID_ELSEWHERE' ? (lines.find((one) => one.order_no === '07-0229') ?? null) : null
  return { hits, verdict: { kind, pay_id: line.pay_id, order_no: line.order_no, amount: line.amount, proofs: proofs[kind], next: nexts[kind], other } }
}

function verdictOf(line: OrderLine): VerdictKind {
  if (line.order === 'REFUNDED') return 'GIVEN_BACK'
  switch (line.moment) {
    case 'Paid':
      return 'PAID'
    case 'AskAPerson':
      return 'ASK_A_PERSON'
    case 'Closed':
    case 'Refused':
      return 'NOT_PAID'
    case 'Closing':
      return 'PAID_ELSEWHERE'
    case 'Asking':
    case 'ShowCode':
    case 'Scanned':
    case 'RanOut':
      return 'STILL_OPEN'
  }
}
