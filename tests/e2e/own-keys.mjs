// The first run with the merchant's own keys, and the passphrase at the next start. Alipay is out of reach on purpose:
// a test must not ask it anything.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { Stage, eventually } from './shop.mjs'

const key = (name) => readFileSync(fileURLToPath(new URL(`../fixtures/cases/keys/${name}`, import.meta.url)), 'utf8').trim()
const passphrase = 'correct horse'
const stage = new Stage()
const { place, say } = stage
Object.assign(place.env, { HTTPS_PROXY: 'http://127.0.0.1:9', https_proxy: 'http://127.0.0.1:9' })

async function fill(counter, fields) {
  for (const [name, text] of Object.entries(fields)) {
    await counter.paste(`[data-testid=${name}]`, text)
  }
  await counter.press('[data-testid=forward]')
}

async function firstRun(counter) {
  await counter.atMain()
  await counter.press('[data-testid=start-own]')
  await fill(counter, { 'store-name': '木禾便利店', 'store-id': 'S031', 'terminal-id': '07' })
  await fill(counter, { 'app-id': '2021000100000001', 'private-key': key('app_private_pkcs8_oneline.txt'), 'alipay-key': key('app_public.pem').replaceAll('\n', '') })
  await eventually('the own public key is refused', async () => ((await counter.text('[data-testid=findings]')) ?? '').includes('自己的公钥'))
  await counter.picture('first-run-own-key')
  await fill(counter, { 'alipay-key': key('platform_public_oneline.txt') })
  await fill(counter, { 'manager-name': '王店长', pin: '111111', passphrase })
  await eventually('a simple PIN is refused', async () => ((await counter.text('main')) ?? '').includes('太容易猜'))
  await fill(counter, { pin: '271828' })
  await counter.shows('idle')
}

async function unlock(counter) {
  await counter.atMain()
  await counter.find('[data-testid=passphrase]')
  await counter.paste('[data-testid=passphrase]', 'wrong horse')
  await counter.press('[data-testid=unlock]')
  await eventually('the wrong passphrase is refused', async () => ((await counter.text('main')) ?? '').includes('口令不对'))
  await counter.picture('unlock')
  await counter.paste('[data-testid=passphrase]', passphrase)
  await counter.press('[data-testid=unlock]')
  await counter.shows('idle')
  assert.ok((await counter.text('.app')).includes('木禾便利店'))
}

async function wrongPinsLock(counter) {
  await counter.press('[data-testid=nav-settings]')
  for (let tries = 0; tries < 5; tries += 1) {
    await counter.paste('[data-testid=set-store-name]', '某店')
    await counter.paste('[data-testid=save-pin]', '999999')
    await counter.press('[data-testid=save]')
    await counter.find('[data-testid=refusal]')
  }
  await eventually('it is locked', async () => ((await counter.text('[data-testid=refusal]')) ?? '').includes('锁 5 分钟'))
  await counter.picture('pin-locked')
}

await stage.play(async () => {
  say('first run with own keys')
  await firstRun(await stage.open([]))
  const { pid } = await stage.ready()
  await stage.kill(pid)
  await stage.counter.close()
  say('unlock')
  const counter = await stage.open([])
  await unlock(counter)
  say('wrong PINs')
  await wrongPinsLock(counter)
  const written = readFileSync(`${place.home}/counter.log`, 'utf8')
  assert.ok(!/271828|999999|correct horse|MIIE/.test(written), 'no PIN, passphrase or key in the log')
  say('done')
})
