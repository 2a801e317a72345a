/** The checks of the real counter, as far as a page can play them. */
import type { Finding } from '../../../shared/bindings/Finding'
import type { KeysDraft } from '../../../shared/bindings/KeysDraft'
import type { SelfTestView } from '../../../shared/bindings/SelfTestView'
import type { StatusView } from '../../../shared/bindings/StatusView'
import { at } from './payments'

type Rest = Partial<Pick<Finding, 'n' | 'detail'>>
const found = (field: string, severity: Finding['severity'], message_key: string, rest: Rest = {}): Finding => ({ field, severity, message_key, n: null, detail: null, ...rest })

/** A text with `OWN` in it plays the own key or certificate in Alipay's box. */
export function findings(draft: Pick<KeysDraft, 'app_id' | 'alipay_public_key' | 'certificates'> & { private_key: string | null }): Finding[] {
  return [
    /^\d{16}$/.test(draft.app_id) ? found('app_id', 'Ok', 'app_id_ok') : found('app_id', 'Bad', 'app_id_bad'),
    draft.private_key === '' ? found('private_key', 'Bad', 'private_key_missing') : found('private_key', 'Ok', 'self_sign_ok'),
    ...(draft.certificates === null ? [keyFinding(draft.alipay_public_key)] : certificateFindings(draft.certificates)),
    found('clock', 'Warn', 'clock_unknown'),
  ]
}

function keyFinding(text: string): Finding {
  if (text.includes('OWN')) return found('alipay_public_key', 'Bad', 'alipay_key_is_own')
  return text === '' ? found('alipay_public_key', 'Bad', 'alipay_key_missing') : found('alipay_public_key', 'Ok', 'alipay_key_ok')
}

function certificateFindings(files: NonNullable<KeysDraft['certificates']>): Finding[] {
  const one = (field: string, text: string, fine: string, n: number) => (text === '' ? found(field, 'Bad', 'certificate_missing') : found(field, 'Ok', fine, { n }))
  return [
    one('app_certificate', files.app, 'app_certificate_ok', 287),
    files.alipay.includes('OWN') ? found('alipay_certificate', 'Bad', 'alipay_certificate_is_own') : one('alipay_certificate', files.alipay, 'alipay_certificate_ok', 1204),
    one('root_certificate', files.root, 'root_ok', 4015),
  ]
}

const allWell: Finding[] = [
  found('records', 'Ok', 'records_ok', { n: 18204 }),
  found('hq', 'Ok', 'hq_ok'),
  found('disk', 'Ok', 'disk_ok', { n: 6 }),
  found('app_id', 'Ok', 'app_id_ok'),
  found('private_key', 'Ok', 'self_sign_ok'),
  found('app_certificate', 'Ok', 'app_certificate_ok', { n: 287 }),
  found('alipay_certificate', 'Warn', 'certificate_ends', { n: 21 }),
  found('root_certificate', 'Ok', 'root_ok', { n: 4015 }),
  found('clock', 'Ok', 'clock_ok'),
  found('gateway', 'Ok', 'gateway_ok'),
]

const clockOff = found('clock', 'Bad', 'clock_off', { n: -252 })

export function selfTest(check: StatusView['check']): SelfTestView {
  const isBad = check.state === 'bad'
  const results = allWell.filter((finding) => !isBad || finding.field !== 'gateway').map((finding) => (isBad && finding.field === 'clock' ? clockOff : finding))
  return { running: check.state === 'running', done_at_ms: at('08:01:12'), findings: check.state === 'unknown' ? [] : results }
}
