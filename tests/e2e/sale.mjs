// One sale in the real window for `make run` on a machine without a display: typed, scanned, paid; charged once, counted once.
import { readFileSync } from 'node:fs'
import { Key } from 'selenium-webdriver'

import { Phone, eventually, makeHome, openCounter, removeHome, screens } from './shop.mjs'

const { SANDBOX_URL, HQ_URL, HQ_TOKEN_FILE, TILL } = process.env
const say = (what) => console.log(`  ${what}`)
const place = makeHome()
const phone = new Phone(SANDBOX_URL)
let counter = null

/** How often headquarters has counted this number for this money. */
async function countedAtHq(number, fen) {
  const headers = { authorization: `Bearer ${readFileSync(HQ_TOKEN_FILE, 'utf8').trim()}` }
  const answer = await fetch(`${HQ_URL}/api/v1/payments?out_trade_no=${number}`, { headers })
  if (!answer.ok) throw new Error(`headquarters: ${answer.status}`)
  return (await answer.json()).payments.filter((payment) => payment.counted_fen === fen).length
}

async function sale() {
  counter = await openCounter(place, [`--demo=${SANDBOX_URL}`, '--data', TILL, '--customer-display'])
  await counter.shows('idle')
  await counter.type('12.50')
  await counter.type(Key.ENTER)
  await counter.shows('code')
  await counter.picture('run-1-code')
  const number = await phone.newest()
  say(`collecting ¥12.50, the code shows: ${number}`)
  await phone.scan(number)
  await counter.shows('scanned')
  await counter.picture('run-2-scanned')
  say('the customer scanned; the counter shows it')
  await phone.pay(number)
  await counter.customerSees('Paid')
  await counter.picture('run-3-customer-paid')
  await counter.shows('paid')
  await counter.picture('run-3-paid')
  say('the customer paid; both screens are green')
  const { charges } = await phone.trade(number)
  const counted = await eventually('headquarters counts it', () => countedAtHq(number, 1250))
  say(`charged in the sandbox: ${charges}×, counted at headquarters: ${counted}×`)
  if (charges !== 1 || counted !== 1) throw new Error('it must be charged once and counted once')
  say(`pictures: ${screens}window-run-*.png`)
}

try {
  await sale()
} catch (error) {
  console.error(error)
  await counter?.picture('run-broken').catch(() => undefined)
  process.exitCode = 1
} finally {
  await counter?.close()
  removeHome(place)
}
process.exit()
