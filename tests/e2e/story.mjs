// The whole story in the real window: first run, collect, reload, kill, scan, paid, the day. Run by scripts/e2e.sh.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Key } from 'selenium-webdriver'

import { theNextMorning } from './morning.mjs'
import { Phone, Stage, eventually, isAlive, screens } from './shop.mjs'

const demo = ['--demo', '--customer-display']
/** The demo's, as its screen says. */
const managersPin = '246810'
const stage = new Stage()
const { place, say } = stage
let counter = null

async function open(args) {
  counter = await stage.open(args)
  return counter
}

async function firstRunLeadsToTheDemo() {
  const first = await open(['--customer-display'])
  await first.atMain()
  await first.find('[data-testid=start-demo]')
  await first.picture('first-run')
  await first.driver.executeScript('document.querySelector("[data-testid=start-demo]").click()').catch(() => undefined)
  const again = await stage.ready((line) => line.demo === true)
  await first.close()
  assert.ok(isAlive(again.pid), 'the demo lives on by itself')
  await stage.kill(again.pid)
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
  assert.ok((await counter.code()) === code, 'the same code after a reload')
}

async function aKillShowsTheSame(code) {
  const { pid } = await stage.ready()
  await stage.kill(pid)
  await counter.close()
  const back = await open(demo)
  const ready = await stage.ready()
  await back.shows('code')
  assert.ok((await back.code()) === code, 'the same code after SIGKILL and a new start')
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

/** Half of the sale goes back with a manager's PIN; a wrong one first. The ledger of the other side agrees. */
async function halfGoesBack(phone, number) {
  await counter.type(Key.F2)
  await counter.press('[data-testid=order-line]')
  await counter.press('[data-testid=refund]')
  await counter.find('[data-testid=refund-amount]')
  await counter.type('6.25')
  await counter.type(Key.ENTER)
  await counter.type('000000')
  await counter.type(Key.ENTER)
  await eventually('the wrong PIN is told', async () => ((await counter.text('[data-testid=pin-note]')) ?? '').includes('还剩 4 次'))
  await counter.picture('refund-wrong-pin')
  await counter.type(managersPin)
  await counter.picture('refund')
  await counter.type(Key.ENTER)
  await eventually('a part went back', async () => ((await counter.text('.detail')) ?? '').includes('部分退款'))
  const story = await counter.text('[data-testid=timeline]')
  for (const told of ['申请退 ¥6.25', '向支付宝发出退款', '退款 ¥6.25']) assert.ok(story.includes(told), `${told} in\n${story}`)
  await counter.picture('part-refunded')
  const { refunded_fen, charges } = await phone.trade(number)
  assert.deepEqual({ refunded_fen, charges }, { refunded_fen: 625, charges: 1 }, 'the ledger has exactly this refund')
}

/** F8 and the last digits: paid, by Alipay's live word. The one act leads back to the till. */
async function theCustomerSaysItIsPaid() {
  const digits = ((await counter.text('[data-testid=order-line] .num')) ?? '').trim().slice(-4)
  await counter.type(Key.F8)
  await counter.find('[data-testid=hint]')
  await counter.type(digits)
  await eventually('the verdict', async () => (await counter.attribute('[data-testid=verdict]', 'data-verdict')) === 'PAID')
  await counter.picture('resolve-paid')
  await new Promise((read) => setTimeout(read, 800))
  await counter.type(Key.ENTER)
  await counter.shows('paid')
}

async function theNextDigitIsTheNextCustomer() {
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

async function silenceIsToldAndEnds(phone) {
  await phone.fallsSilent()
  await counter.shows('offline')
  await counter.picture('offline')
  await counter.customerSees('Waiting')
  await phone.speaksAgain()
  await counter.atMain()
  // Unless the poll was faster: then there is nothing left to ask.
  await counter.driver.executeScript('document.querySelector("[data-testid=act-askNow]")?.click()')
  await counter.shows('code')
}

async function moneyAfterAStopIsNotOverlooked(phone) {
  const number = await phone.newest()
  await counter.type(Key.ESCAPE)
  await counter.shows('closing')
  await counter.press('[data-testid=act-next]')
  await counter.shows('idle')
  await phone.scan(number)
  await phone.pay(number)
  await counter.find('[data-testid=banner]')
  await counter.picture('money-after-stop')
  await counter.type(Key.F4)
  await eventually('the case', async () => ((await counter.text('main')) ?? '').includes('停止收款之后到账'))
  await counter.picture('cases')
}

/** The manager decides: the money goes back, and the case is over once it is back. */
async function theCaseIsDecided(phone) {
  const number = await phone.newest()
  await counter.press('[data-testid=decide-REFUND]')
  await counter.find('[data-testid=pin-field]')
  await counter.type(managersPin)
  await counter.picture('decide')
  await counter.type(Key.ENTER)
  await eventually('nothing is left to decide', async () => ((await counter.text('main')) ?? '').includes('没有待处理的钱'))
  await counter.picture('decided')
  const { refunded_fen, charges } = await phone.trade(number)
  assert.deepEqual({ refunded_fen, charges }, { refunded_fen: 800, charges: 1 }, 'all of it is back')
}

/** The code on the customer's phone: a password, then another customer without money. Each code is sent once. */
async function aPhonesCodeIsCharged(phone) {
  await counter.press('[data-testid=nav-collect]')
  await counter.shows('idle')
  await counter.type('6')
  await counter.scan(await phone.showsCode('asks_password'))
  await counter.shows('confirming')
  await counter.picture('charge-confirming')
  const { out_trade_no } = await phone.newestTrade()
  await counter.customerSees('Scanned')
  await phone.pay(out_trade_no)
  await counter.shows('paid')
  await counter.picture('charge-paid')
  assert.equal((await phone.trade(out_trade_no)).charges, 1)
  await counter.type('7')
  await counter.scan(await phone.showsCode('has_no_money'))
  await counter.shows('chargeRefused')
  await eventually('why', async () => ((await counter.text('.facts')) ?? '').includes('余额不足'))
  await counter.picture('charge-refused')
  await counter.press('[data-testid=act-next]')
}

/** A cashier joins, with a PIN of their own; a manager agrees. */
async function aCashierJoins() {
  await counter.press('[data-testid=nav-settings]')
  await counter.press('[data-testid=part-people]')
  await counter.press('[data-testid=add-person]')
  await counter.paste('[data-testid=person-name]', '小林')
  await counter.paste('[data-testid=person-pin]', '135791')
  await counter.paste('[data-testid=pin-field]', managersPin)
  await counter.press('[data-testid=approve]')
  await eventually('小林 works here', async () => ((await counter.text('[data-testid=people]')) ?? '').includes('小林'))
  await counter.picture('people')
}

async function theSettingsAreKept() {
  await counter.press('[data-testid=nav-settings]')
  await counter.find('[data-testid=set-store-name]')
  await counter.picture('settings')
  await counter.press('[data-testid=speak-en]')
  await counter.paste('[data-testid=set-store-name]', '演示店二店')
  await counter.paste('[data-testid=save-pin]', '000000')
  await counter.press('[data-testid=save]')
  await eventually('English', async () => ((await counter.text('nav')) ?? '').includes('Orders'))
  await eventually('the new name', async () => ((await counter.text('.app')) ?? '').includes('演示店二店'))
  await counter.picture('settings-en')
}

async function headquartersIsJoined(phone, number) {
  const at = (name) => join(place.home, name)
  writeFileSync(at('merchant.toml'), await phone.merchant())
  const { url } = await stage.start('yidan-hq', 'serve', '--demo', '--listen', '127.0.0.1:0', '--data', at('hq'), '--merchant', at('merchant.toml'))
  const code = stage.run('yidan-hq', 'enrol-code', '--data', at('hq'), '--store', 'S01', '--store-name', '一号店')
  await counter.press('[data-testid=part-hq]')
  await counter.paste('[data-testid=hq-url]', url)
  await counter.paste('[data-testid=hq-code]', code)
  await counter.press('[data-testid=enrol]')
  await eventually('headquarters has everything', async () => /in sync/i.test((await counter.text('main')) ?? ''))
  await counter.picture('hq')
  await counter.type(Key.F2)
  await eventually('the earlier sale is still there', async () => ((await counter.text('.side')) ?? '').includes('12.50'))
  assert.equal((await phone.trade(number)).charges, 1, 'charged once')
}

/** A sale from the first digit to paid; its number at Alipay. */
async function sale(phone, amount) {
  await counter.atMain()
  await counter.press('[data-testid=nav-collect]')
  await counter.find('main.collect')
  await counter.type(amount)
  await counter.type(Key.ENTER)
  await counter.shows('code')
  const number = await phone.newest()
  await phone.scan(number)
  await phone.pay(number)
  await counter.shows('paid')
  return number
}

async function story() {
  say('first run → demo')
  await firstRunLeadsToTheDemo()
  await open(demo)
  const { sandbox_url } = await stage.ready()
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
  say('refund, I have paid')
  await halfGoesBack(phone, number)
  await theCustomerSaysItIsPaid()
  say('next customer, stop, resume')
  await theNextDigitIsTheNextCustomer()
  await aStoppedCodeIsNotShownToTheCustomer()
  say('no answer, money after a stop')
  await silenceIsToldAndEnds(phone)
  await moneyAfterAStopIsNotOverlooked(phone)
  say('decide')
  await theCaseIsDecided(phone)
  await aCashierJoins()
  say('settings, headquarters')
  await theSettingsAreKept()
  await headquartersIsJoined(phone, number)
  say("a phone's code")
  await aPhonesCodeIsCharged(phone)
  say('the next morning: the bill')
  await theNextMorning(counter, phone, number, (amount) => sale(phone, amount))
  say(`done: charged once; pictures in ${screens}window-*.png`)
}

await stage.play(story)
