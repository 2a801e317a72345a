import { describe, expect, it } from 'vitest'

import { payments } from '../src/counter/api/fake/payments'
import { actsOf } from '../src/counter/collect/acts'
import { railOf, underTime } from '../src/counter/collect/rail'
import { looks, sceneOf, type SceneName } from '../src/counter/collect/scene'
import { en } from '../src/counter/words/en'
import { zh } from '../src/counter/words/zh'
import type { PaymentMoment } from '../src/shared/bindings/PaymentMoment'
import type { PaymentStatus } from '../src/shared/bindings/PaymentStatus'

type Tree = { [key: string]: string | Tree }

const leaves = (tree: Tree, path = ''): [string, string][] => Object.entries(tree).flatMap(([key, value]) => (typeof value === 'string' ? [[`${path}${key}`, value] as [string, string]] : leaves(value, `${path}${key}.`)))
const named = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((found) => found[1]).sort()

/** A type error here means that Rust has a state this list does not know. */
const moments: Record<PaymentMoment, SceneName[]> = {
  Asking: ['asking', 'askingLong'],
  ShowCode: ['code', 'offline'],
  Scanned: ['scanned', 'offline', 'charging', 'confirming', 'chargeUnknown'],
  RanOut: ['ranOut', 'offline'],
  Paid: ['paid'],
  Closing: ['closing', 'closingScanned', 'closingUnsure', 'chargeStopping', 'chargeRefused'],
  Closed: ['closed', 'chargeClosed'],
  Refused: ['refused', 'notCharged'],
  AskAPerson: ['wrongAmount', 'lateMoney', 'aside'],
}
const statuses: Record<PaymentStatus, true> = { INIT: true, PRECREATED: true, PAYING: true, CLOSING: true, SUCCESS: true, CLOSED: true, FAIL: true, SUSPENSE: true }

describe('the words files', () => {
  it('have the same keys', () => {
    expect(leaves(en).map(([key]) => key)).toEqual(leaves(zh).map(([key]) => key))
  })

  it('name the same things in each sentence', () => {
    const english = new Map(leaves(en))
    for (const [key, text] of leaves(zh)) expect([key, named(english.get(key) ?? '')]).toEqual([key, named(text)])
  })

  it('leave a sentence empty only where there is nothing to say', () => {
    const empty = leaves(zh).filter(([, text]) => text === '').map(([key]) => key)
    expect(empty.every((key) => key.startsWith('scene.'))).toBe(true)
    expect(leaves(en).filter(([, text]) => text === '').map(([key]) => key)).toEqual(empty)
  })

  it('never say what the house style forbids', () => {
    const all = [...leaves(zh), ...leaves(en)]
    const said = all.filter(([, text]) => /稍后重试|系统异常|失败|！|!|undefined|[“”‘’].*[a-z]/.test(text))
    expect(said.filter(([key]) => !key.startsWith('what.'))).toEqual([])
  })

  it('have words for every moment and every status', () => {
    for (const words of [zh, en]) {
      expect(Object.keys(words.moment)).toEqual(Object.keys(moments))
      expect(Object.keys(words.state)).toEqual(Object.keys(statuses))
    }
  })
})

describe('no sentence', () => {
  const sources = Object.entries(import.meta.glob('../src/**/*.{ts,vue}', { query: '?raw', import: 'default', eager: true }) as Record<string, string>)
  const code = sources.filter(([path]) => !path.includes('/words/')).map(([, text]) => text).join('\n')
  // `scene.${name}.title` uses every sentence under scene.
  const families = [...code.matchAll(/[`'(]([\w.]+)\.\$\{|keyOr\('([\w.]+)'/g)].map((found) => `${found[1] ?? found[2]}.`)

  it('is left over', () => {
    const stands = (key: string) => new RegExp(`\\b${key.split('.').at(-1) ?? ''}\\b`).test(code)
    // What Rust names (a timeline line, a finding, a case, an error) is used without standing anywhere here.
    const isRusts = (key: string) => /^(what|finding|advice|error|proof|cases\.kind|cases\.story|who)\./.test(key)
    const isUsed = (key: string) => code.includes(`'${key}'`) || isRusts(key) || (families.some((family) => key.startsWith(family)) && stands(key))
    expect(leaves(zh).map(([key]) => key).filter((key) => !isUsed(key))).toEqual([])
  })
})

describe('every payment', () => {
  it.each(Object.entries(payments))('%s has a scene, a look, three rows and at most two acts', (_, payment) => {
    const scene = sceneOf(payment)
    expect(moments[payment.moment]).toContain(scene)
    expect(zh.scene[scene].title).not.toBe('')
    expect(looks[scene]).toBeDefined()
    expect(railOf(scene, payment)).toHaveLength(3)
    expect(underTime(scene, payment)).toBeTypeOf('string')
    const acts = actsOf(scene, payment)
    expect(acts.length).toBeLessThanOrEqual(2)
    expect(acts.filter((act) => act.filled).length).toBeLessThanOrEqual(1)
  })

  it('that waits says what is known and what is safe', () => {
    for (const [scene, words] of Object.entries(zh.scene)) {
      if (scene === 'idle') continue
      expect([scene, words.known === '', words.safe === '']).toEqual([scene, false, false])
    }
  })

  it('is held on the left unless nothing of it lives', () => {
    const free = Object.entries(looks).filter(([, look]) => look.held === null).map(([scene]) => scene)
    expect(free).toEqual(['idle', 'paid', 'closed', 'refused', 'chargeClosed', 'notCharged'])
  })
})
