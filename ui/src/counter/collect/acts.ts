/** The buttons under a payment: what Rust allows (`payment.can`), in the order and with the keys of the scene. */
import type { PaymentView } from '../../shared/bindings/PaymentView'
import type { IconName } from '../../shared/icons'
import type { Words } from '../words/zh'
import type { SceneName } from './scene'

export type ActName = 'refresh' | 'newCode' | 'stop' | 'resume' | 'next' | 'askNow' | 'collectAgain' | 'detail' | 'decide'

export interface Act {
  name: ActName
  words: keyof Words['act']
  key: 'Enter' | 'Escape' | 'F5' | 'F4' | null
  filled: boolean
  disabled: boolean
  icon: IconName | null
}

const act = (name: ActName, key: Act['key'], rest: Partial<Act> = {}): Act => ({ name, words: name, key, filled: false, disabled: false, icon: null, ...rest })

const next = act('next', 'Enter', { filled: true })
const detail = act('detail', null, { icon: 'list' })

/** At most two, the one to press first; at most one of them filled. */
export function actsOf(scene: SceneName, payment: PaymentView): Act[] {
  const { can } = payment
  const stop = act('stop', 'Escape')
  switch (scene) {
    case 'idle':
      return []
    case 'asking':
    case 'askingLong':
    case 'charging':
    case 'confirming':
      return can.stop ? [stop] : []
    case 'code':
      return [act('refresh', 'F5', { icon: 'refresh', disabled: !can.refresh }), ...(can.stop ? [stop] : [])]
    case 'scanned':
      return [act('refresh', null, { words: 'noRefresh', icon: 'refresh', disabled: true }), ...(can.stop ? [stop] : [])]
    case 'ranOut':
      return [...(can.new_code ? [act('newCode', 'F5', { filled: true, icon: 'refresh' })] : []), ...(can.stop ? [stop] : [])]
    case 'paid':
      return [detail]
    case 'closing':
      return [next, ...(can.resume ? [act('resume', null, { icon: 'refresh' })] : [])]
    case 'closingScanned':
    case 'closingUnsure':
    case 'chargeStopping':
    case 'chargeRefused':
      return [next]
    case 'closed':
    case 'refused':
    case 'chargeClosed':
    case 'notCharged':
      return can.collect_again ? [act('collectAgain', 'Enter', { filled: true, words: payment.method === 'BUYER_CODE' ? 'collectByCode' : 'collectAgain' }), act('next', null)] : [next]
    case 'offline':
    case 'chargeUnknown':
      return [act('askNow', 'Enter', { filled: true, icon: 'refresh' }), act('next', null, { words: 'nextFirst' })]
    case 'wrongAmount':
    case 'lateMoney':
    case 'aside':
      return [next, act('decide', 'F4')]
  }
}
