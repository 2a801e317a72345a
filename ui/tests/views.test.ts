import { describe, expect, it } from 'vitest'

import { late, ordinary } from '../src/counter/api/fake/counter'
import { at, payments, waiting } from '../src/counter/api/fake/payments'
import { settings } from '../src/counter/api/fake/shop'
import { bannerOf, riskOf } from '../src/counter/collect/banner'
import { caseKind, sceneOf } from '../src/counter/collect/scene'
import { withPayment } from '../src/counter/counter'
import { addressOf, pageFrom } from '../src/counter/page'
import { draftOf, isChanged, keysChange } from '../src/counter/settings/form'
import { chartOf } from '../src/counter/today/chart'
import { clockTime, dayBeside, exactTime, span } from '../src/shared/time'

describe('a view that Rust sent', () => {
  it('is replaced by a newer state of the same payment, in the panel and in the strip', () => {
    const view = ordinary({ current: payments.code, pinned: [waiting] })
    expect(withPayment(view, payments.scanned).current).toEqual(payments.scanned)
    expect(withPayment(view, { ...waiting, seconds_left: 1, version: 9 }).pinned[0]?.seconds_left).toBe(1)
  })

  it('keeps counting down at the same version, and never backwards', () => {
    const view = ordinary({ current: payments.code })
    const second = (ms: number, left: number) => ({ ...payments.code, now_ms: payments.code.now_ms + ms, seconds_left: left })
    expect(withPayment(view, second(1000, 248)).current?.seconds_left).toBe(248)
    expect(withPayment(view, second(-1000, 250)).current?.seconds_left).toBe(249)
  })

  it('ignores a payment it does not know', () => {
    const view = ordinary({ current: payments.code })
    expect(withPayment(view, { ...payments.paid, pay_id: 'other' })).toEqual(view)
  })
})

describe('what is said in the head', () => {
  it('is a copied database before anything else, then money at risk, then what is being found out', () => {
    const all = ordinary({ clone_warning: true, pinned: [late], recovering: 2 })
    expect(bannerOf(all, false)?.title).toBe('clone')
    expect(bannerOf({ ...all, clone_warning: false }, false)?.title).toBe('late')
    expect(bannerOf({ ...all, clone_warning: false, pinned: [] }, false)?.named).toEqual({ n: 2 })
    expect(bannerOf(ordinary(), false)).toBeNull()
  })

  it('leaves a running payment its own title, and still tells of money at risk', () => {
    const view = ordinary({ pinned: [late] })
    expect(bannerOf(view, true)).toBeNull()
    expect(riskOf(view)?.amount).toBe('26.00')
  })

  it('knows a case by both spellings', () => {
    expect([caseKind('LatePayment'), caseKind('late_payment'), caseKind('LATE_PAYMENT')]).toEqual(Array(3).fill('LATE_PAYMENT'))
  })
})

describe('a stopped payment', () => {
  it('is not said to be expiring when no code was ever shown', () => {
    const stopped = { ...payments.closing, stages: { ...payments.closing.stages, code_at_ms: null } }
    expect(sceneOf(stopped)).toBe('closingUnsure')
  })
})

describe('a time', () => {
  it('is read on Beijing time, whatever the zone of the computer', () => {
    expect(clockTime(at('00:00:05'))).toBe('00:00:05')
    expect(exactTime(at('23:59:59') + 240)).toBe('23:59:59.2')
  })

  it('that is left is minutes and seconds, never negative', () => {
    expect([249, 0, -3, 4500].map(span)).toEqual(['04:09', '00:00', '00:00', '75:00'])
  })

  it('crosses a month and a leap day', () => {
    expect([dayBeside('2026-12-01', -1), dayBeside('2028-02-28', 1)]).toEqual(['2026-11-30', '2028-02-29'])
  })
})

describe('an address', () => {
  it('comes back to the same page after a reload', () => {
    expect(pageFrom(addressOf('orders', 'a/b'))).toEqual({ name: 'orders', of: 'a/b' })
    expect(pageFrom('#nowhere')).toEqual({ name: 'collect', of: null })
  })
})

describe('settings', () => {
  it('know certificates by their text, and then the one key does not matter', () => {
    const certificates = { app: 'A', alipay: 'B', root: 'C' }
    const stored = { ...settings, keys: { ...settings.keys, certificates, alipay_public_key: '' } }
    expect(isChanged({ ...draftOf(stored), alipay_public_key: 'MIIB' }, stored)).toBe(false)
    expect(keysChange({ ...draftOf(stored), certificates: { ...certificates, root: 'D' } }, stored)?.certificates?.root).toBe('D')
    expect(keysChange({ ...draftOf(settings), certificates }, settings)?.certificates).toEqual(certificates)
    expect(keysChange({ ...draftOf(stored), certificates: null, alipay_public_key: 'MIIB' }, stored)?.certificates).toBeNull()
  })

  it('send keys only when they changed, and never an empty private key by accident', () => {
    const form = draftOf(settings)
    expect([isChanged(form, settings), keysChange(form, settings)]).toEqual([false, null])
    expect(keysChange({ ...form, app_id: '2021000000000001' }, settings)).toEqual({ app_id: '2021000000000001', private_key: null, alipay_public_key: settings.keys.alipay_public_key, certificates: null })
  })
})

describe('the hour chart', () => {
  it('stands on round grid lines and never draws above its top', () => {
    const hours = [7, 12, 22].map((hour, at) => ({ hour, count: 1, gross: `${[314, 1555, 3][at]}.99` }))
    const { bars, grid } = chartOf(hours, 1000, 174)
    expect(bars.map((bar) => bar.hour)).toEqual(Array.from({ length: 16 }, (_, i) => 7 + i))
    expect(Math.min(...bars.map((bar) => bar.y))).toBeGreaterThanOrEqual(10)
    expect(grid.map((line) => line.label)).toEqual(['0', '600', '1200', '1800'])
  })

  it('is twelve empty hours on a day without money', () => {
    expect(chartOf([], 1000, 174).bars).toHaveLength(12)
  })
})
