/** A status as an icon and a tone. Shape speaks before colour, and green is only for money that arrived. */
import type { PaymentStatus } from './bindings/PaymentStatus'
import type { IconName } from './icons'

export interface Sign {
  icon: IconName
  tone: 'paid' | 'doubt' | 'risk' | 'plain'
}

export const signs: Record<PaymentStatus, Sign> = {
  INIT: { icon: 'clock', tone: 'doubt' },
  PRECREATED: { icon: 'clock', tone: 'doubt' },
  PAYING: { icon: 'clock', tone: 'doubt' },
  CLOSING: { icon: 'hourglass', tone: 'doubt' },
  SUCCESS: { icon: 'check', tone: 'paid' },
  CLOSED: { icon: 'cross', tone: 'plain' },
  FAIL: { icon: 'cross', tone: 'plain' },
  SUSPENSE: { icon: 'alert', tone: 'risk' },
}
