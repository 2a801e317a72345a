// The counter on its fake, in Chromium, under the strict policy: every state of Collect in both languages, both themes and both sizes;
// every other screen; and the stories that need a real keyboard. Exits 1 with what was found.
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'

import { audit, positions } from './audit.mjs'
import { large, openBrowser, openPage, small } from './browser.mjs'
import { addressOf, collectStates, deedScreens, languages, otherScreens, themes } from './states.mjs'
import { stories } from './stories.mjs'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const started = Date.now()
const { browser, origin, close } = await openBrowser()
const findings = []
const note = (where, what) => findings.push(`${where}\n    ${what}`)
let looked = 0

// Always a fresh document: going from one # to another would keep the old page alive.
async function arrive(tab, address) {
  await tab.page.goto('about:blank')
  await tab.page.goto(address)
  await tab.page.waitForFunction(() => document.fonts.status === 'loaded' && document.querySelector('main')?.childElementCount > 0)
}

async function look(tab, where) {
  looked += 1
  for (const found of await tab.page.evaluate(audit)) note(where, found)
  for (const wrong of tab.wrong.splice(0)) note(where, wrong)
  if (!(await tab.page.evaluate(() => 'axe' in window))) await tab.page.evaluate(axe)
  const { violations } = await tab.page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }))
  for (const broken of violations) note(where, `axe ${broken.id}: ${broken.nodes.map((node) => `${node.target.join(' ')} ${node.failureSummary?.split('\n')[1] ?? ''}`).slice(0, 3).join('; ')}`)
}

// One tab per language, theme and size. The states follow one another in the same page, as they do in a shop:
// where things stand in the first is where they stand in all of them.
async function everyState(language, theme, size) {
  const tab = await openPage(browser, size)
  await arrive(tab, addressOf(origin, 'index.html', 'idle', language, theme))
  const stand = new Map()
  for (const state of collectStates) {
    const where = `collect ${state} ${language} ${theme} ${size.width}`
    await tab.page.evaluate((name) => new Promise((painted) => (window.fakeCounter.become(name), requestAnimationFrame(() => requestAnimationFrame(painted)))), state)
    await look(tab, where)
    // The demo ribbon and a copied database are not states of a payment: they are there from the start.
    if (state === 'demo') continue
    for (const [anchor, place] of Object.entries(await tab.page.evaluate(positions))) {
      if (!stand.has(anchor)) stand.set(anchor, place)
      else if (stand.get(anchor) !== place) note(where, `${anchor} moved: ${stand.get(anchor)} -> ${place}`)
    }
  }
  await tab.close()
}

async function everyOtherScreen(language, theme, size) {
  const tab = await openPage(browser, size)
  for (const [name, file, state, hash] of otherScreens) {
    await arrive(tab, addressOf(origin, file, state, language, theme, hash))
    await look(tab, `${name} ${language} ${theme} ${size.width}`)
  }
  for (const [name, state, hash, deed] of deedScreens) {
    await arrive(tab, addressOf(origin, 'index.html', state, language, theme, hash))
    await deed(tab.page)
    await look(tab, `${name} ${language} ${theme} ${size.width}`)
  }
  await tab.close()
}

const rounds = [
  ...languages.flatMap((language) => themes.flatMap((theme) => [large, small].map((size) => () => everyState(language, theme, size)))),
  () => everyOtherScreen('zh', 'light', large),
  () => everyOtherScreen('en', 'dark', large),
  () => everyOtherScreen('zh', 'light', small),
  () => everyOtherScreen('en', 'dark', small),
]
const only = process.argv[2]
const lanes = only === 'stories' ? [] : Array.from({ length: 3 }, async () => {
  for (let round = rounds.shift(); round !== undefined; round = rounds.shift()) await round()
})
try {
  await Promise.all(lanes)
  for (const [name, story] of Object.entries(stories)) {
    const tab = await openPage(browser, large)
    await story(tab.page, origin).catch((error) => note(`story: ${name}`, error.message))
    for (const wrong of tab.wrong) note(`story: ${name}`, wrong)
    await tab.close()
  }
} finally {
  await close()
}
console.log(`${looked} screens and ${Object.keys(stories).length} stories in ${Math.round((Date.now() - started) / 1000)} s, ${findings.length} findings`)
if (findings.length > 0) {
  console.log(findings.join('\n'))
  process.exit(1)
}
