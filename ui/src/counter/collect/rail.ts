/** The three stages beside the code: code → scan → money. Always three rows, so that nothing moves between states. */
import type { PaymentView } from '../../shared/bindings/PaymentView'
import { clockTime, span } from '../../shared/time'
import type { Words } from '../words/zh'
import { waitedMs, type SceneName } from './scene'

export interface RailRow {
  state: 'todo' | 'now' | 'done'
  words: keyof Words['rail']
  /** A time, already written; '' when there is none. */
  time: string
  /** The time is a sentence of the words file instead. */
  timeWords?: keyof Words['rail']
}

export type Rail = readonly [RailRow, RailRow, RailRow]

const todo = (words: keyof Words['rail']): RailRow => ({ state: 'todo', words, time: '' })
const now = (words: keyof Words['rail'], time = ''): RailRow => ({ state: 'now', words, time })
const done = (words: keyof Words['rail'], atMs: number | null): RailRow => ({ state: 'done', words, time: atMs === null ? '' : clockTime(atMs) })

/** The rows of a screen without a payment. */
export const idleRail: Rail = [todo('code'), todo('scan'), todo('paid')]

/** The rows of one payment. */
export function railOf(scene: SceneName, payment: PaymentView): Rail {
  const { stages } = payment
  const coded = stages.code_at_ms === null ? done('booked', payment.created_at_ms) : done('coded', stages.code_at_ms)
  const scanned = done('scanned', stages.scanned_at_ms)
  const stopped = done('stopped', payment.stopped_at_ms)
  switch (scene) {
    case 'idle':
      return idleRail
    case 'asking':
    case 'askingLong':
      return [now('coding', span(waitedMs(payment) / 1000)), todo('scan'), todo('paid')]
    case 'code':
      return [coded, { ...now('waitScan'), timeWords: 'asked' }, todo('paid')]
    case 'scanned':
      return [coded, now('typing', stages.scanned_at_ms === null ? '' : clockTime(stages.scanned_at_ms)), todo('paid')]
    case 'ranOut':
      return [coded, now('ranOut'), todo('paid')]
    case 'paid':
      return [coded, payment.method === 'BUYER_CODE' ? done('charged', null) : scanned, done('arrived', stages.paid_at_ms)]
    case 'closing':
      return [coded, done('stoppedUnscanned', payment.stopped_at_ms), now('waitDeath', clockTime(deathMs(payment)))]
    case 'closingScanned':
      return [coded, scanned, now('waitClose')]
    case 'closingUnsure':
      return [coded, stopped, now('waitClose')]
    case 'closed':
      return [coded, stopped, done('closed', null)]
    case 'refused':
      return [now('refused'), todo('scan'), todo('paid')]
    case 'offline':
      return [coded, done(payment.trade_seen ? 'lastScanned' : 'lastUnscanned', payment.contact.last_answer_at_ms), now('unknown')]
    case 'charging':
      return [coded, now('charging', span(waitedMs(payment) / 1000)), todo('paid')]
    case 'confirming':
      return [coded, now('confirming'), todo('paid')]
    case 'chargeUnknown':
      return [coded, done('charged', payment.contact.last_answer_at_ms), now('unknown')]
    case 'chargeStopping':
      return [coded, stopped, now('waitClose')]
    case 'chargeRefused':
      return [coded, done('notCharged', null), now('waitClose', clockTime(deathMs(payment)))]
    case 'chargeClosed':
      return [coded, stopped, done('chargeClosed', null)]
    case 'notCharged':
      return [coded, now('notCharged'), todo('paid')]
    case 'wrongAmount':
      return [coded, scanned, now('wrongAmount', stages.paid_at_ms === null ? '' : clockTime(stages.paid_at_ms))]
    case 'lateMoney':
      return [coded, stopped, now('late', stages.paid_at_ms === null ? '' : clockTime(stages.paid_at_ms))]
    case 'aside':
      return [coded, scanned, now('aside')]
  }
}

/** When a stopped code is surely dead. */
export function deathMs(payment: PaymentView): number {
  return payment.now_ms + (payment.seconds_left ?? 0) * 1000
}

/** The large time under the frame; '' when there is nothing to count. */
export function underTime(scene: SceneName, payment: PaymentView): string {
  switch (scene) {
    case 'asking':
    case 'askingLong':
    case 'charging':
    case 'confirming':
      return span(waitedMs(payment) / 1000)
    case 'code':
      return span(payment.seconds_left ?? 0)
    case 'scanned':
      return payment.stages.scanned_at_ms === null ? '' : span((payment.now_ms - payment.stages.scanned_at_ms) / 1000)
    case 'closing':
    case 'chargeRefused':
      return clockTime(deathMs(payment))
    case 'offline':
    case 'chargeUnknown':
      return span((payment.now_ms - (payment.contact.last_answer_at_ms ?? payment.contact.since_ms)) / 1000)
    case 'idle':
    case 'chargeStopping':
    case 'chargeClosed':
    case 'notCharged':
    case 'ranOut':
    case 'paid':
    case 'closingScanned':
    case 'closingUnsure':
    case 'closed':
    case 'refused':
    case 'wrongAmount':
    case 'lateMoney':
    case 'aside':
      return ''
  }
}
