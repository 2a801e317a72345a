/** The refunds of the fake shop. What Alipay says is chosen by the order: some are refused, some are not known yet. */
import type { OrderLine } from '../../../shared/bindings/OrderLine'
import type { OrderStatus } from '../../../shared/bindings/OrderStatus'
import type { RefundDraft } from '../../../shared/bindings/RefundDraft'
import type { RefundOffer } from '../../../shared/bindings/RefundOffer'
import type { RefundView } from '../../../shared/bindings/RefundView'
import { at } from './payments'
import { refuse } from './refuse'

const cashierLimit = '20.00'
const fen = (amount: string) => BigInt(amount.replace('.', ''))
const yuan = (sum: bigint) => `${sum / 100n}.${String(sum % 100n).padStart(2, '0')}`

const refund = (amount: string, rest: Partial<RefundView> = {}): RefundView => ({
  refund_id: 'click-1', number: 'S031T07E2_261130_000231_7Q4KX2M9R1', amount, state: 'SUCCESS', maker: 'OURS', reason: '顾客不要了', requested_by: '小林', approved_by: null, at_ms: at('14:41:05'), trouble: null, said: null, ...rest,
})

export class FakeRefunds {
  private readonly known = new Map<string, RefundView[]>([
    ['pay-0227', [refund('9.90', { state: 'PROCESSING', approved_by: '阿周' })]],
    ['pay-0226', [refund('45.00', { approved_by: '阿周', reason: '商品有问题' })]],
    ['pay-0225', [refund('2.00', { maker: 'FOREIGN', number: null, reason: null, requested_by: null })]],
    ['pay-0223', [refund('1234.00', { refund_id: 'click-4', state: 'FAIL', trouble: 'WINDOW_CLOSED', approved_by: '阿周' })]],
    ['pay-0222', [refund('3.50', { refund_id: 'click-5', state: 'FAIL', trouble: 'BALANCE', approved_by: '阿周' })]],
    ['pay-0220', [
      refund('10.00', { refund_id: 'click-6', number: 'S031T07E2_261130_000220_7Q4KX2M9R2', state: 'FAIL', trouble: 'EARLIER_FOUND', approved_by: '阿周' }),
      refund('10.00', { refund_id: 'found-1', maker: 'FOUND', reason: null, requested_by: null }),
    ]],
    ['pay-0219', [
      refund('8.00', { refund_id: 'click-7', number: 'S031T07E2_261130_000219_7Q4KX2M9R2', state: 'FAIL', trouble: 'REPLACED' }),
      refund('8.00', { refund_id: 'click-8', requested_by: '小王' }),
    ]],
  ])
  private readonly clicks = new Map<string, RefundView>()

  of = (payId: string) => this.known.get(payId) ?? []

  status(line: Pick<OrderLine, 'pay_id' | 'status' | 'amount'>): OrderStatus {
    if (line.status === 'SUCCESS') return this.statusOfPaid(line)
    return line.status === 'INIT' ? 'CREATED' : ['PRECREATED', 'PAYING', 'CLOSING'].includes(line.status) ? 'PAYING' : 'CLOSED'
  }

  private statusOfPaid({ pay_id, amount }: Pick<OrderLine, 'pay_id' | 'amount'>): OrderStatus {
    const refunds = this.of(pay_id)
    if (refunds.some((one) => one.state === 'INIT' || one.state === 'PROCESSING')) return 'REFUNDING'
    const gone = refunds.filter((one) => one.state === 'SUCCESS').reduce((sum, one) => sum + fen(one.amount), 0n)
    if (gone === 0n) return 'PAID'
    return gone === fen(amount) ? 'REFUNDED' : 'PARTIALLY_REFUNDED'
  }

  offer(line: Pick<OrderLine, 'pay_id' | 'status' | 'amount'>): RefundOffer {
    const left = fen(line.amount) - this.of(line.pay_id).filter((one) => one.state !== 'FAIL').reduce((sum, one) => sum + fen(one.amount), 0n)
    const status = this.status(line)
    const bar = line.status !== 'SUCCESS' ? 'NOT_PAID' : status === 'REFUNDING' ? 'UNDER_WAY' : left === 0n ? 'NOTHING_LEFT' : null
    return { left: yuan(left), refunded: yuan(fen(line.amount) - left), cashier_limit: cashierLimit, bar }
  }

  /** `line` is the order. 138.00 is never known at once; anything else goes back. */
  make(draft: RefundDraft, line: OrderLine): RefundView {
    const same = this.clicks.get(draft.click)
    if (same !== undefined) return same
    if (fen(draft.amount) > fen(this.offer(line).left)) refuse('TooMuch')
    const n = this.of(line.pay_id).length + 1
    const made = refund(draft.amount, { refund_id: draft.click, number: `S031T07E2_261130_000231_7Q4KX2M9R${n}`, reason: draft.reason, approved_by: '阿周', state: draft.amount === '138.00' ? 'PROCESSING' : 'SUCCESS' })
    this.clicks.set(draft.click, made)
    this.known.set(line.pay_id, [...this.of(line.pay_id), made])
    return made
  }

  isUnderWay = (payId: string) => this.of(payId).some((one) => one.state === 'PROCESSING')

  /** The second question is answered: the money is back. */
  settle(payId: string) {
    this.known.set(payId, this.of(payId).map((one) => (one.state === 'PROCESSING' ? { ...one, state: 'SUCCESS' } : one)))
  }

  askAgain(refundId: string): RefundView {
    for (const [payId, refunds] of this.known) {
      const found = refunds.find((one) => one.refund_id === refundId)
      if (found === undefined) continue
      const back: RefundView = { ...found, state: 'SUCCESS', trouble: null, said: null }
      this.known.set(payId, refunds.map((one) => (one === found ? back : one)))
      return back
    }
    return refuse('NotNow')
  }
}
