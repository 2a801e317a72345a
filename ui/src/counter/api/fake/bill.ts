/** Bills of the fake: yesterday differs in five places until the plan is carried out; earlier days agree. */
import type { BillPage } from '../../../shared/bindings/BillPage'
import type { BillReview } from '../../../shared/bindings/BillReview'
import type { DifferenceLine } from '../../../shared/bindings/DifferenceLine'
import { at } from './payments'
import { refuse } from './refuse'

const difference = (kind: DifferenceLine['kind'], no: string, ours: string | null, bill: string | null, plan: DifferenceLine['plan']): DifferenceLine => ({
  kind, order_no: `07-${no}`, pay_id: `pay-${no}`, number: `S031T07E2_261129_000${no}_3KQ9`, ours, bill, plan, outcome: null,
})

const differing: DifferenceLine[] = [
  difference('LOCAL_NOT_PAID', '0172', null, '15.00', 'ASK_TRADE'),
  difference('REFUND_EXTRA', '0161', null, '-8.00', 'ASK_REFUND'),
  difference('AMOUNT', '0150', '38.50', '35.80', 'OPEN_CASE'),
  difference('CHANNEL_MISSING', '0188', '26.00', null, 'OPEN_CASE'),
  { ...difference('UNKNOWN_TRADE', '0000', null, '9.90', 'TELL_A_PERSON'), order_no: null, pay_id: null, number: 'WX202611290931' },
]

const review = (day: string, differences: DifferenceLine[]): BillReview => ({
  day, count: 281, matched: 281 - differences.length, gross: '7598.40', refunds: '128.00', fee: '45.59', net: '7424.81', differences,
  bridge: [{ business_day: day, count: 279, amount: '7441.80' }, { business_day: '2026-11-30', count: 2, amount: '28.60' }],
  elsewhere: 0, next_day_in: false, applied_at_ms: null,
})

export class FakeBills {
  private known = new Map<string, BillReview>()

  find = (day: string) => this.known.get(day) ?? null

  /** The day before yesterday was fetched by itself; yesterday's bill did not come at first. */
  page(day: string): BillPage {
    const review = this.find(day)
    if (review !== null || day > '2026-11-29') return { review, automatic: null }
    if (day === '2026-11-29') return { review, automatic: { due_at_ms: at('14:52:04'), failed_at_ms: at('14:32:04'), why: { kind: 'GatewayDown', message: '' } } }
    return { review, automatic: null }
  }

  read(day: string, file?: Uint8Array): BillReview {
    if (file !== undefined && file[0] !== 0x50) refuse('BadBill')
    if (day >= '2026-11-30') refuse('NotNow')
    const read = this.known.get(day) ?? review(day, day === '2026-11-29' ? differing : [])
    this.known.set(day, read)
    return read
  }

  apply(day: string): BillReview {
    const before = this.find(day) ?? refuse('NotNow')
    const outcome = (line: DifferenceLine): DifferenceLine['outcome'] => (line.plan === 'OPEN_CASE' ? 'CASE' : line.plan === 'TELL_A_PERSON' ? 'TOLD' : line.plan === 'ASK_REFUND' ? 'UNKNOWN' : 'SETTLED')
    const applied = { ...before, applied_at_ms: at('14:36:10'), differences: before.differences.map((line) => ({ ...line, outcome: outcome(line) })) }
    this.known.set(day, applied)
    return applied
  }
}
