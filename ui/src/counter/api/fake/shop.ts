/** A shop's day for the fake: its orders, their story, its totals, its settings. */
import type { CounterView } from '../../../shared/bindings/CounterView'
import type { DayTotals } from '../../../shared/bindings/DayTotals'
import type { OrderLine } from '../../../shared/bindings/OrderLine'
import type { SettingsView } from '../../../shared/bindings/SettingsView'
import type { TimelineLine } from '../../../shared/bindings/TimelineLine'
import { at } from './payments'

const line = (no: string, clock: string, amount: string, subject: string, status: OrderLine['status'] = 'SUCCESS', moment: OrderLine['moment'] = 'Paid'): OrderLine => ({
  pay_id: `pay-${no}`,
  order_no: `07-${no}`,
  amount,
  subject,
  status,
  order: status === 'SUCCESS' ? 'PAID' : 'CLOSED',
  moment,
  at_ms: at(clock),
})

export const recent: OrderLine[] = [
  line('0230', '14:29:41', '12.50', '早点'),
  line('0229', '14:27:15', '138.00', '烟酒'),
  line('0227', '14:24:02', '9.90', '零食'),
  line('0226', '14:20:33', '45.00', '日用百货'),
  line('0225', '14:18:20', '6.00', '早点'),
  line('0224', '14:11:47', '18.00', '饮料', 'CLOSED', 'Closed'),
  line('0223', '14:06:09', '1234.00', '礼盒'),
  line('0222', '14:02:51', '3.50', '饮料'),
  line('0221', '13:58:30', '66.80', '日用百货', 'FAIL', 'Refused'),
  line('0220', '13:52:06', '30.00', '水果'),
  line('0219', '13:47:15', '24.00', '日用百货'),
]

export const say = (clock: string, what: string, who: TimelineLine['who'], rest: Partial<TimelineLine> = {}): TimelineLine => ({
  at_ms: Date.parse(`2026-11-30T${clock}+08:00`),
  what,
  amount: null,
  who,
  signed: false,
  detail: null,
  mark: 'plain',
  ...rest,
})

export const story: TimelineLine[] = [
  say('14:32:37.100', 'collected', 'CASHIER', { amount: '38.50' }),
  say('14:32:37.400', 'code_shown', 'ALIPAY', { signed: true }),
  say('14:32:52.900', 'unanswered', 'COUNTER', { mark: 'doubt' }),
  say('14:33:14.000', 'scanned', 'ALIPAY', { signed: true }),
  say('14:33:28.200', 'paid', 'HQ', { amount: '38.50', signed: true, mark: 'money' }),
  say('14:33:29.600', 'paid_again', 'ALIPAY', { signed: true }),
]

const hours = [0, 0, 0, 0, 0, 0, 0, 314, 851, 929, 991, 1371, 1555, 743, 680]

export const totals: DayTotals = {
  day: '2026-11-30',
  count: 278,
  gross: '7535.00',
  refunds: '128.00',
  net: '7407.00',
  unsure_count: 1,
  unsure_amount: '26.00',
  by_hour: hours.map((gross, hour) => ({ hour, count: Math.round(gross / 27), gross: `${gross}.00` })),
}

export const emptyTotals: DayTotals = { day: '2026-11-30', count: 0, gross: '0.00', refunds: '0.00', net: '0.00', unsure_count: 0, unsure_amount: '0.00', by_hour: [] }

export const settings: SettingsView = {
  store_name: '木禾便利店',
  store_id: 'S031',
  terminal_id: '07',
  language: 'zh',
  subject: '日用百货',
  code_minutes: 5,
  day_cut_off: '00:00',
  keys: {
    app_id: '2021004170000000',
    private_key_fingerprint: '9A4F…03C1',
    alipay_public_key: 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAm0cKm0cKm0cKm0cKm0cKm0cKm0cKm0cKm0cKm0cKm0cK',
    certificates: null,
    days_left: [],
    gateway: 'https://openapi.alipay.com/gateway.do',
    locked: false,
  },
  hq: { state: 'ok', url: 'https://hq.example.com', waiting: 0, last_ack_at_ms: at('14:33:28') },
}

const certificate = '-----BEGIN CERTIFICATE-----\nMIIDszCCApugAwIBAgIQICAwJk0dLNUlI8GJxNqxjjANBgkqhkiG9w0BAQsFADCB\n-----END CERTIFICATE-----\n'

/** In certificate mode if the status counts days. */
export function keysShown(view: CounterView): SettingsView['keys'] {
  const days = view.status.certificate_days
  if (days === null) return settings.keys
  return { ...settings.keys, alipay_public_key: '', certificates: { app: certificate, alipay: certificate, root: certificate }, days_left: [{ is_apps: true, days: 287 }, { is_apps: false, days }] }
}
