/**
 * What the payment panel shows for a payment: the one place where a moment becomes a picture, a tone and words.
 *
 * A new moment in Rust is a type error here. Nothing is decided: Rust has already said what may be done (`payment.can`).
 */
import type { PaymentView } from '../../shared/bindings/PaymentView'
import type { Words } from '../words/zh'

export type SceneName = keyof Words['scene']

/** Colour is a claim about money: accent = runs, paid = arrived, doubt = not sure yet, risk = at risk, plain = none of these. */
export type Tone = 'accent' | 'paid' | 'doubt' | 'risk' | 'plain'

export type Picture = 'corners' | 'waiting' | 'code' | 'phone' | 'tick' | 'countdown' | 'noSignal' | 'alert' | 'cross'

export interface Look {
  tone: Tone
  picture: Picture
  under: keyof Words['under']
  /** Why the amount on the left cannot be changed; null when the next amount may be typed. */
  held: keyof Words['held'] | null
}

/** After this long without an answer the panel says what is known and what is safe. */
const longWaitMs = 5_000

/** Which scene a payment is in. */
export function sceneOf(payment: PaymentView): SceneName {
  return payment.method === 'BUYER_CODE' ? chargeScene(payment) : codeScene(payment)
}

/** We scanned the customer's code: there is none of ours to show, to refresh or to wait out. */
function chargeScene(payment: PaymentView): SceneName {
  switch (payment.moment) {
    case 'Asking':
    case 'ShowCode':
    case 'RanOut':
    case 'Scanned':
      if (isSilent(payment)) return 'chargeUnknown'
      return payment.trade_seen ? 'confirming' : 'charging'
    case 'Closing':
      // Nobody stopped it: Alipay refused the code, and has to confirm that nothing comes of the number.
      return payment.stopped_by === null && !payment.trade_seen ? 'chargeRefused' : 'chargeStopping'
    case 'Closed':
      return 'chargeClosed'
    case 'Refused':
      return 'notCharged'
    case 'Paid':
    case 'AskAPerson':
      return codeScene(payment)
  }
}

function codeScene(payment: PaymentView): SceneName {
  switch (payment.moment) {
    case 'Asking':
      return waitedMs(payment) >= longWaitMs ? 'askingLong' : 'asking'
    case 'ShowCode':
      return isSilent(payment) ? 'offline' : 'code'
    case 'Scanned':
      return isSilent(payment) ? 'offline' : 'scanned'
    case 'RanOut':
      return isSilent(payment) ? 'offline' : 'ranOut'
    case 'Paid':
      return 'paid'
    case 'Closing':
      return closingScene(payment)
    case 'Closed':
      return 'closed'
    case 'Refused':
      return 'refused'
    case 'AskAPerson':
      return asideScene(payment)
  }
}

/** How long the counter has been waiting for the first answer. */
export function waitedMs(payment: PaymentView): number {
  return payment.now_ms - payment.created_at_ms
}

/** A case kind in the spelling of the words files: `LatePayment` and `LATE_PAYMENT` are the same kind. */
export function caseKind(kind: string): string {
  return kind.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase()
}

function isSilent(payment: PaymentView): boolean {
  return payment.contact.state === 'unanswered'
}

function closingScene(payment: PaymentView): SceneName {
  if (payment.trade_seen) return 'closingScanned'
  const stillLives = payment.stages.code_at_ms !== null && (payment.seconds_left ?? 0) > 0
  return stillLives ? 'closing' : 'closingUnsure'
}

function asideScene(payment: PaymentView): SceneName {
  switch (caseKind(payment.case_kind ?? '')) {
    case 'AMOUNT_MISMATCH':
      return 'wrongAmount'
    case 'LATE_PAYMENT':
      return 'lateMoney'
    default:
      return 'aside'
  }
}

/** How each scene looks. */
export const looks: Record<SceneName, Look> = {
  idle: { tone: 'plain', picture: 'corners', under: 'idle', held: null },
  asking: { tone: 'accent', picture: 'waiting', under: 'asking', held: 'running' },
  askingLong: { tone: 'doubt', picture: 'waiting', under: 'asking', held: 'running' },
  code: { tone: 'accent', picture: 'code', under: 'code', held: 'running' },
  scanned: { tone: 'accent', picture: 'phone', under: 'scanned', held: 'running' },
  ranOut: { tone: 'doubt', picture: 'waiting', under: 'ranOut', held: 'running' },
  paid: { tone: 'paid', picture: 'tick', under: 'paid', held: null },
  closing: { tone: 'doubt', picture: 'countdown', under: 'closing', held: 'closing' },
  closingScanned: { tone: 'doubt', picture: 'waiting', under: 'closingScanned', held: 'stopped' },
  closingUnsure: { tone: 'doubt', picture: 'waiting', under: 'closingScanned', held: 'stopped' },
  closed: { tone: 'plain', picture: 'cross', under: 'closed', held: null },
  refused: { tone: 'plain', picture: 'alert', under: 'refused', held: null },
  charging: { tone: 'accent', picture: 'waiting', under: 'asking', held: 'running' },
  confirming: { tone: 'accent', picture: 'phone', under: 'asking', held: 'running' },
  chargeUnknown: { tone: 'doubt', picture: 'noSignal', under: 'offline', held: 'unknown' },
  chargeStopping: { tone: 'doubt', picture: 'waiting', under: 'closingScanned', held: 'stopped' },
  chargeRefused: { tone: 'doubt', picture: 'countdown', under: 'chargeRefused', held: 'stopped' },
  chargeClosed: { tone: 'plain', picture: 'cross', under: 'closed', held: null },
  notCharged: { tone: 'plain', picture: 'alert', under: 'refused', held: null },
  offline: { tone: 'doubt', picture: 'noSignal', under: 'offline', held: 'unknown' },
  wrongAmount: { tone: 'risk', picture: 'alert', under: 'aside', held: 'aside' },
  lateMoney: { tone: 'risk', picture: 'alert', under: 'aside', held: 'aside' },
  aside: { tone: 'risk', picture: 'alert', under: 'aside', held: 'aside' },
}
