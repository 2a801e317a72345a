/** The open cases of the fake shop. */
import type { CaseDetail } from '../../../shared/bindings/CaseDetail'
import type { CaseLine } from '../../../shared/bindings/CaseLine'
import type { DecisionDraft } from '../../../shared/bindings/DecisionDraft'
import { at } from './payments'
import { refuse } from './refuse'
import { recent, say } from './shop'

const day = 86_400_000
const line = (n: number, kind: string, no: string, amount: string, clock: string): CaseLine => ({ case_id: `case-${n}`, kind, pay_id: `pay-${no}`, order_no: `07-${no}`, amount, opened_at_ms: at(clock), due_at_ms: at(clock) + day })

const lines: CaseLine[] = [
  line(1, 'LATE_PAYMENT', '0228', '26.00', '14:05:21'),
  line(2, 'AMOUNT_MISMATCH', '0219', '35.80', '13:40:05'),
  line(3, 'PAID_AFTER_STOP', '0224', '18.00', '12:20:00'),
  line(4, 'CHANNEL_MISSING', '0221', '66.80', '09:12:00'),
  { ...line(5, 'DUPLICATE_PAYMENT', '0220', '12.50', '08:30:00'), due_at_ms: at('14:00:00') },
]

const steps = [
  say('13:52:10.000', 'code_shown', 'ALIPAY', { signed: true }),
  say('13:58:40.000', 'closed_by_clock', 'ALIPAY', { signed: true }),
  say('14:05:21.000', 'late_money', 'ALIPAY', { amount: '26.00', signed: true, mark: 'doubt' }),
]

const choices: Record<string, CaseDetail['choices']> = {
  LATE_PAYMENT: [{ act: 'REFUND', advised: true, bar: null }, { act: 'RECOGNISE', advised: false, bar: null }],
  AMOUNT_MISMATCH: [{ act: 'REFUND', advised: true, bar: null }, { act: 'RECOGNISE', advised: false, bar: 'SALE_HAS_MONEY' }],
  PAID_AFTER_STOP: [{ act: 'KEEP', advised: true, bar: null }, { act: 'REFUND', advised: false, bar: null }],
  CHANNEL_MISSING: [{ act: 'SEEN', advised: true, bar: null }],
  DUPLICATE_PAYMENT: [{ act: 'REFUND', advised: true, bar: 'UNDER_WAY' }],
}

export class FakeCases {
  private open: CaseLine[] = []

  /** As many as the view counts. */
  list(count: number): CaseLine[] {
    this.open = this.open.length > count || this.open.length === 0 ? lines.slice(0, count) : this.open
    return this.open
  }

  detail(caseId: string): CaseDetail {
    const found = lines.find((one) => one.case_id === caseId) ?? refuse('NotNow')
    const underWay: CaseDetail['refund'] = { refund_id: 'RX1', number: 'S031RX1', amount: found.amount, state: 'PROCESSING', maker: 'OURS', reason: null, requested_by: '小林', approved_by: '阿周', at_ms: at('14:30:00'), trouble: null, said: null }
    return {
      line: found,
      subject: '饮料',
      trade_no: '2026113022001400000054471',
      steps: steps.map((step) => ({ ...step, amount: step.amount === null ? null : found.amount })),
      twin: found.kind === 'LATE_PAYMENT' ? (recent.find((one) => one.pay_id === 'pay-0227') ?? null) : null,
      choices: choices[found.kind] ?? [],
      refund: found.kind === 'DUPLICATE_PAYMENT' ? underWay : null,
    }
  }

  decide(draft: DecisionDraft) {
    this.open = this.open.filter((one) => one.case_id !== draft.case_id)
    return this.open.length
  }
}
