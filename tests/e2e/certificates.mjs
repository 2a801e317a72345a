// Certificate mode in the real window, against the real sandbox: filled in wrongly, checked, put right, sold with, and
// still there after SIGKILL. The self-test runs by itself at each start.
import assert from 'node:assert/strict'
import { Key } from 'selenium-webdriver'

import { Phone, Stage, eventually } from './shop.mjs'

const stage = new Stage()
const { say } = stage
const checked = '[data-testid=status-check]'

async function theSelfTestRanByItself(counter) {
  await counter.atMain()
  const state = await eventually('the self-test ran', async () => {
    const now = await counter.attribute(checked, 'data-state')
    return ['ok', 'warn', 'bad'].includes(now) && now
  })
  assert.notEqual(state, 'bad', await counter.text(checked))
}

/** The sentences of a check that was asked for. */
async function check(counter, expected) {
  await counter.press('[data-testid=check-keys]')
  await eventually(expected, async () => ((await counter.text('[data-testid=findings]')) ?? '').includes(expected))
}

async function fill(counter, files) {
  for (const [name, text] of Object.entries(files)) await counter.paste(`[data-testid=set-${name}-certificate]`, text)
}

async function changesToCertificates(counter, { app_cert, alipay_cert, alipay_root_cert }) {
  await counter.press('[data-testid=nav-settings]')
  await counter.press('[data-testid=part-keys]')
  await counter.press('[data-testid=set-mode-certificates]')
  await fill(counter, { app: app_cert, alipay: app_cert, root: alipay_root_cert })
  await check(counter, '支付宝证书填成了自己的证书')
  await counter.picture('certificates-wrong')
  await fill(counter, { alipay: alipay_cert, root: alipay_cert })
  await check(counter, '这不是根证书')
  await fill(counter, { root: alipay_root_cert })
  await check(counter, '支付宝有回答，签名已核对')
  await counter.picture('certificates')
  await counter.paste('[data-testid=save-pin]', '000000')
  await counter.press('[data-testid=save]')
  await eventually('the days are counted', async () => ((await counter.text('.statusbar')) ?? '').match(/证书\s*[\d,]+ 天/))
}

async function sells(counter, phone) {
  await counter.press('[data-testid=nav-collect]')
  await counter.shows('idle')
  await counter.type('12.5')
  await counter.type(Key.ENTER)
  await counter.shows('code')
  const number = await phone.newest()
  await phone.scan(number)
  await phone.pay(number)
  await counter.shows('paid')
  assert.equal((await phone.trade(number)).status, 'TRADE_SUCCESS')
}

async function theLampsAreShown(counter) {
  await counter.press('[data-testid=nav-settings]')
  await counter.press('[data-testid=part-selftest]')
  await eventually('the lamps', async () => ((await counter.text('[data-testid=selftest-lamps]')) ?? '').includes('应用证书和私钥配对'))
  assert.notEqual(await counter.attribute('main.selftest', 'data-verdict'), 'bad')
  await counter.picture('selftest')
  await counter.press('[data-testid=selftest-start]')
  await counter.shows('idle')
}

await stage.play(async () => {
  say('the demo, in key mode')
  const counter = await stage.open(['--demo'])
  const { pid, sandbox_url } = await stage.ready()
  const phone = new Phone(sandbox_url)
  await theSelfTestRanByItself(counter)
  say('certificates instead of the key')
  await changesToCertificates(counter, await phone.console())
  await theSelfTestRanByItself(counter)
  say('a sale')
  await sells(counter, phone)
  await stage.kill(pid)
  await counter.close()
  say('killed and started again')
  const back = await stage.open(['--demo'])
  await stage.ready()
  await theSelfTestRanByItself(back)
  await theLampsAreShown(back)
  say('done')
})
