// The whole story in the real window: first run, collect, reload, kill, scan, paid, the day. Run by scripts/e2e.sh.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Key } from 'selenium-webdriver'

import { Phone, eventually, makeHome, openCounter, readReady, removeHome, screens } from './shop.mjs'

const demo = ['--demo', '--customer-display']
const place = makeHome()
/** Every program that may still run when something goes wrong. */
const started = new Set()
let counter = null

const say = (what) => console.log(`${new Date().toISOString().slice(11, 19)}  ${what}`)
const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function kill(pid) {
  process.kill(pid, 'SIGKILL')
  await eventually(`${pid} is gone`, () => !isAlive(pid) || readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[2] === 'Z')
  started.delete(pid)
}

async function open(args) {
  counter = await openCounter(place, args)
  return counter
}

async function firstRunLeadsToTheDemo() {
  const first = await open(['--customer-display'])
  await first.atMain()
  await first.find('[data-testid=start-demo]')
  await first.picture('first-run')
  await first.driver.executeScript('document.querySelector("[data-testid=start-demo]").click()').catch(() => undefined)
  const again = await eventually('the demo', () => (readReady(place)?.demo ? readReady(place) : null))
  started.add(again.pid)
  await first.close()
  assert.ok(isAlive(again.pid), 'the demo lives on by itself')
  await kill(again.pid)
}

async function onlyOneWindowPerFolder() {
  const second = spawn(join(screens, '../debug/yidan'), demo, { env: place.env, stdio: 'ignore' })
  const code = await Promise.race([new Promise((done) => second.on('exit', done)), new Promise((done) => setTimeout(done, 15_000, 'it still runs'))])
  if (code === 'it still runs') second.kill('SIGKILL')
  assert.equal(code, 0, 'a second start shows the first window and ends')
}

async function collects(amount) {
  await counter.shows('idle')
  await counter.type(amount)
  await counter.picture('typed')
  await counter.type(Key.ENTER)
  await counter.shows('code')
  const code = await counter.code()
  await counter.picture('code')
  await counter.customerSees('Paying')
  await counter.picture('customer-paying')
  assert.match(await counter.text('.amt'), /12\.50/)
  return code
}

async function aReloadShowsTheSame(code) {
  await counter.atMain()
  await counter.driver.navigate().refresh()
  await counter.shows('code')
  assert.equal(await counter.code(), code, 'the same code after a reload')
}

async function aKillShowsTheSame(code) {
  const { pid } = await counter.ready()
  await kill(pid)
  await counter.close()
  const back = await open(demo)
  const ready = await back.ready()
  started.add(ready.pid)
  await back.shows('code')
  assert.equal(await back.code(), code, 'the same code after SIGKILL and a new start')
  await back.customerSees('Paying')
  return ready
}

async function theBuyerPays(phone, number) {
  await phone.scan(number)
  await counter.shows('scanned')
  await counter.picture('scanned')
  await counter.customerSees('Scanned')
  await counter.picture('customer-scanned')
  await phone.pay(number)
  await counter.customerSees('Paid')
  await counter.picture('customer-paid')
  await counter.shows('paid')
  await counter.picture('paid')
  await counter.customerSees('Idle')
  await counter.picture('customer-idle')
}

async function theDayKnowsIt(number) {
  await counter.atMain()
  await counter.type(Key.F2)
  await counter.press('[data-testid=order-line]')
  await eventually('the story', async () => ((await counter.text('[data-testid=timeline]')) ?? '').includes('12.50'))
  const story = await counter.text('[data-testid=timeline]')
  for (const told of ['收银员输入 ¥12.50', '出码', '顾客扫了码', '到账 ¥12.50']) assert.ok(story.includes(told), `${told} in\n${story}`)
  assert.ok((await counter.text('.detail')).includes(number), 'the number on the screen is the number at Alipay')
  await counter.picture('orders')
  await counter.type(Key.F3)
  await eventually('the totals', async () => ((await counter.text('[data-testid=totals]')) ?? '').includes('12.50'))
  await counter.picture('today')
}

async function theNextDigitIsTheNextCustomer() {
  await counter.type(Key.ESCAPE)
  await counter.shows('paid')
  await counter.type('8')
  await counter.shows('idle')
  await counter.customerSees('Idle')
}

async function aStoppedCodeIsNotShownToTheCustomer() {
  await counter.atMain()
  await counter.type(Key.ENTER)
  await counter.shows('code')
  await counter.type(Key.ESCAPE)
  await counter.shows('closing')
  await counter.picture('closing')
  await counter.customerSees('Idle')
  await counter.atMain()
  await counter.press('[data-testid=act-resume]')
  await counter.shows('code')
}

async function settingsAndEnglish() {
  await counter.atMain()
  await counter.press('[data-testid=nav-settings]')
  await counter.find('[data-testid=set-store-name]')
  await counter.picture('settings')
  await counter.press('[data-testid=speak-en]')
  await (await counter.find('[data-testid=save-pin]')).sendKeys('000000')
  await counter.press('[data-testid=save]')
  await eventually('English', async () => ((await counter.text('nav')) ?? '').includes('Orders'))
  await counter.picture('settings-en')
}

async function story() {
  say('first run → demo')
  await firstRunLeadsToTheDemo()
  await open(demo)
  const { sandbox_url, pid } = await counter.ready()
  started.add(pid)
  say('a second start')
  await onlyOneWindowPerFolder()
  say('collect')
  const code = await collects('12.50')
  say('reload')
  await aReloadShowsTheSame(code)
  const number = await new Phone(sandbox_url).newest()
  say('SIGKILL, start')
  const ready = await aKillShowsTheSame(code)
  const phone = new Phone(ready.sandbox_url)
  say('scan, pay')
  await theBuyerPays(phone, number)
  say('orders, timeline, today')
  await theDayKnowsIt(number)
  say('next customer, stop, resume')
  await theNextDigitIsTheNextCustomer()
  await aStoppedCodeIsNotShownToTheCustomer()
  say('settings')
  await settingsAndEnglish()
  assert.equal((await phone.trade(number)).charges, 1, 'charged once')
  say(`done: charged once; pictures in ${screens}window-*.png`)
}

try {
  await story()
} catch (error) {
  console.error(error)
  await counter?.picture('broken').catch(() => undefined)
  execFileSync('/usr/bin/import', ['-window', 'root', join(screens, 'window-broken-root.png')], { timeout: 10_000 })
  process.exitCode = 1
} finally {
  await counter?.close()
  for (const pid of started) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  if (process.exitCode === 1) console.error(`the programs' words are in ${place.home}`)
  else removeHome(place)
}
process.exit()
