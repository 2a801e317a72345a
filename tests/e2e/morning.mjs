// The next morning in the real window: the day's bill is fetched, compared, carried out, and nothing is left to do.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Key } from 'selenium-webdriver'

import { eventually } from './shop.mjs'

const fixture = (name) => readFileSync(fileURLToPath(new URL(`../fixtures/cases/bill/${name}`, import.meta.url)))
const hour = 3_600_000
const day = 24 * hour
const beijing = 8 * hour
const dayOf = (ms) => new Date(ms + beijing).toISOString().slice(0, 10)

/** Noon and the next morning after it, whatever the time is now: no step lies on two days. */
export async function theNextMorning(counter, phone, earlier, sale) {
  const noon = (Math.floor(((await phone.now()) + beijing) / day) + 1) * day - beijing + 12 * hour
  await phone.turnsTo(noon)
  await anAnswerTellsTheTime(counter, earlier)
  const number = await sale('20.00')
  await phone.refundsInTheApp(number, 500)
  await phone.paysAnotherProgram('WEBSHOP20261130000017', '9.90')
  await phone.turnsTo(noon + 22 * hour)
  await anAnswerTellsTheTime(counter, number)
  await theBillIsFetched(counter, dayOf(noon))
  await thePlanIsCarriedOut(counter, phone, number)
  await aFileIsRead(counter)
}

/** "I have paid" asks about yesterday's sale: no answer of the gateway, no new day. */
async function anAnswerTellsTheTime(counter, number) {
  await counter.type(Key.F8)
  await counter.find('[data-testid=hint]')
  await counter.paste('[data-testid=hint]', number)
  await eventually('the verdict', async () => (await counter.attribute('[data-testid=verdict]', 'data-verdict')) === 'PAID')
}

const shown = async (counter) => (await counter.text('main')) ?? ''
const rows = async (counter) => (await counter.texts('[data-testid=differences] tbody tr')).map((row) => row.split('\t').map((cell) => cell.trim()))

async function theBillIsFetched(counter, bill) {
  await counter.atMain()
  await counter.type(Key.F3)
  await counter.press('[data-testid=open-bill]')
  await eventually('yesterday is shown', async () => (await shown(counter)).includes(bill))
  await counter.press('[data-testid=bill-fetch]')
  await eventually('two differences', async () => (await rows(counter)).length === 2)
  await counter.picture('bill-plan')
  const found = (await rows(counter)).map(([, , ours, billed]) => [ours, billed])
  assert.deepEqual(found.toSorted(), [['–', '-5.00'], ['–', '9.90']])
}

async function thePlanIsCarriedOut(counter, phone, number) {
  await counter.press('[data-testid=bill-apply]')
  await eventually('everything has an outcome', async () => (await counter.attribute('[data-testid=bill-apply]', 'type')) === null)
  assert.ok((await rows(counter)).every((row) => row.at(-1) !== '–'), 'each line says what came of it')
  await counter.picture('bill-applied')
  const { refunded_fen, charges } = await phone.trade(number)
  assert.deepEqual({ refunded_fen, charges }, { refunded_fen: 500, charges: 1 }, 'asking moved no money')
  await counter.press('[data-testid=bill-fetch]')
  await eventually('the unknown trade is all that is told', async () => (await rows(counter)).length === 1)
  assert.equal(await counter.attribute('[data-testid=bill-apply]', 'type'), null, 'a second run has nothing to do')
  await counter.picture('bill-again')
}

/** Files that somebody downloaded: a zip of another day shows that day, and a photo is refused. */
async function aFileIsRead(counter) {
  await counter.choose('[data-testid=bill-file]', 'photo.png', Buffer.from([0x89, 0x4e, 0x47]))
  await counter.find('[data-testid=refusal]')
  await counter.choose('[data-testid=bill-file]', '20880000000000010156_20261129.csv.zip', fixture('BL2.zip'))
  await eventually('the day of the file', async () => (await shown(counter)).includes('2026-11-29'))
  await eventually('its lines', async () => (await rows(counter)).length === 5)
  assert.ok((await shown(counter)).includes('12,455.56'), 'what the bill adds up to')
  await counter.picture('bill-file')
}
