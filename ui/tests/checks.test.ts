import { flushPromises, mount } from '@vue/test-utils'
import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { defineComponent, h, reactive } from 'vue'

import { fakeCounter, ordinary } from '../src/counter/api/fake/counter'
import { bannerOf } from '../src/counter/collect/banner'
import { counterKey, openCounter } from '../src/counter/counter'
import TrustFields from '../src/counter/keys/TrustFields.vue'
import SelfTestScreen from '../src/counter/selftest/SelfTestScreen.vue'
import { i18n, speak } from '../src/counter/words/speak'
import { zh } from '../src/counter/words/zh'
import type { KeysDraft } from '../src/shared/bindings/KeysDraft'
import type { StatusView } from '../src/shared/bindings/StatusView'

let leave: (() => void)[] = []
afterEach(() => {
  leave.forEach((close) => close())
  leave = []
})

function fields() {
  const draft = reactive<KeysDraft>({ app_id: '', private_key: null, alipay_public_key: 'MIIB', certificates: null })
  const screen = mount(defineComponent(() => () => h(TrustFields, { draft, wrong: () => null, prefix: '' })), { attachTo: document.body, global: { plugins: [i18n] } })
  leave.push(() => screen.unmount())
  return { draft, screen }
}

describe('certificate mode', () => {
  it('takes the text of a file that is chosen', async () => {
    const { draft, screen } = fields()
    await screen.get('[data-testid=mode-certificates]').trigger('click')
    const box = screen.get<HTMLInputElement>('[data-testid=root-certificate-file]')
    Object.defineProperty(box.element, 'files', { value: [new File(['-----BEGIN CERTIFICATE-----'], 'alipayRootCert.crt')] })
    await box.trigger('change')
    await flushPromises()
    expect(draft.certificates).toEqual({ app: '', alipay: '', root: '-----BEGIN CERTIFICATE-----' })
    expect(screen.text()).toContain('alipayRootCert.crt')
  })

  it('keeps what was filled in while key mode is looked at', async () => {
    const { draft, screen } = fields()
    await screen.get('[data-testid=mode-certificates]').trigger('click')
    await screen.get('[data-testid=app-certificate]').setValue('PEM')
    await screen.get('[data-testid=mode-key]').trigger('click')
    expect([draft.certificates, draft.alipay_public_key]).toEqual([null, 'MIIB'])
    await screen.get('[data-testid=mode-certificates]').trigger('click')
    expect(draft.certificates?.app).toBe('PEM')
  })
})

const checked = (state: StatusView['check']['state'], n = 0) => ordinary({ pinned: [], status: { ...ordinary().status, check: { state, n } } })

async function page(state: StatusView['check']['state']) {
  speak('zh')
  const fake = fakeCounter(checked(state, 2))
  const counter = await openCounter(fake)
  const screen = mount(SelfTestScreen, { attachTo: document.body, global: { plugins: [i18n], provide: { [counterKey as symbol]: counter } } })
  leave.push(() => screen.unmount())
  await vi.waitFor(() => expect(screen.find('li').exists()).toBe(true))
  return { fake, screen }
}

describe('the self-test', () => {
  it('shows what is wrong first, with what to do about it', async () => {
    const { screen } = await page('bad')
    expect(screen.get('main').attributes('data-verdict')).toBe('bad')
    const lamps = screen.findAll('li')
    expect(lamps[0]?.text()).toContain('电脑时钟差 252 秒')
    expect(lamps[0]?.text()).toContain('校准')
    expect(lamps[1]?.classes()).toContain('warn')
  })

  it('lets a cashier open the shop by Enter, whatever it found', async () => {
    const { screen } = await page('bad')
    expect(document.activeElement).toBe(screen.get('[data-testid=selftest-start]').element)
  })

  it('looks again when asked, and shows the new result', async () => {
    const { fake, screen } = await page('bad')
    await screen.get('[data-testid=selftest-again]').trigger('click')
    await vi.waitFor(() => expect(screen.get('main').attributes('data-verdict')).toBe('warn'))
    expect(fake.asked).toContain('want_self_test')
  })

  it('speaks up at the counter only when it is red and nothing matters more', () => {
    expect(bannerOf(checked('bad', 2), false)).toMatchObject({ title: 'selfTest', named: { n: 2 }, opens: 'selftest' })
    expect([bannerOf(checked('bad', 2), true), bannerOf(checked('warn', 1), false), bannerOf(checked('ok'), false)]).toEqual([null, null, null])
    expect(bannerOf({ ...checked('bad', 2), recovering: 1 }, false)?.title).toBe('recovering')
  })
})

describe('a finding', () => {
  const rust = ['checks.rs', 'self_test.rs', ...readdirSync('../src-tauri/src/checks').map((name) => `checks/${name}`)].map((name) => readFileSync(`../src-tauri/src/${name}`, 'utf8').split('#[cfg(test)]')[0] ?? '')

  it('has a sentence for everything that Rust can say', () => {
    const keys = new Set(rust.flatMap((text) => [...text.matchAll(/"((?:app|alipay|private|self|root|certificate|clock|gateway|records|disk|keys|hq|store|terminal|manager|pin|passphrase)_[a-z_]+)"/g)].map((found) => found[1] ?? '')))
    const fields = ['app_id', 'private_key', 'alipay_public_key', 'app_certificate', 'alipay_certificate', 'root_certificate', 'store_name', 'store_id', 'terminal_id', 'manager_name']
    const silent = [...keys].filter((key) => !fields.includes(key) && !(key in zh.finding))
    expect([keys.size > 45, silent]).toEqual([true, []])
  })

  it('is about something that the self-test has a name for', () => {
    const fields = new Set(rust.flatMap((text) => [...text.matchAll(/(?:good|warn|bad)\("([a-z_]+)"|FIELD: &str = "([a-z_]+)"/g)].map((found) => found[1] ?? found[2] ?? '')))
    const nameless = [...fields].filter((field) => !(field in zh.selftest.what))
    expect([fields.size > 8, nameless]).toEqual([true, []])
  })
})
