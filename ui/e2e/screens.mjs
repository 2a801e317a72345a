// Pictures of every screen and state, into target/screens/, for a person to look at.
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { large, openBrowser, openPage, small } from './browser.mjs'
import { addressOf, collectStates, deedScreens, otherScreens } from './states.mjs'

const folder = fileURLToPath(new URL('../../target/screens/', import.meta.url))
mkdirSync(folder, { recursive: true })
const { browser, origin, close } = await openBrowser()

const collect = collectStates.map((state) => [`collect-${state}`, 'index.html', state, ''])
const jobs = [
  ...collect.flatMap((screen) => [[...screen, 'zh', 'light', large], [...screen, 'zh', 'dark', large], [...screen, 'en', 'light', small]]),
  ...deedScreens.flatMap(([name, state, hash, deed]) => [[name, 'index.html', state, hash, 'zh', 'light', large, deed], [name, 'index.html', state, hash, 'en', 'dark', small, deed]]),
  ...otherScreens.flatMap((screen) => [[...screen, 'zh', 'light', large], [...screen, 'en', 'dark', small]]),
]
const count = jobs.length

async function take(tab, [name, file, state, hash, language, theme, size, deed]) {
  await tab.page.setViewportSize(size)
  await tab.page.goto('about:blank')
  await tab.page.goto(addressOf(origin, file, state, language, theme, hash))
  await tab.page.waitForFunction(() => document.querySelector('main')?.childElementCount > 0)
  if (deed !== undefined) await deed(tab.page)
  else if (state === 'idle' && hash === '' && file === 'index.html') await tab.page.keyboard.type('38.50', { delay: 45 })
  await tab.page.waitForTimeout(60)
  await tab.page.screenshot({ path: `${folder}${name}-${language}-${theme}-${size.width}.png` })
}

await Promise.all(
  Array.from({ length: 3 }, async () => {
    const tab = await openPage(browser, large)
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) await take(tab, job)
    await tab.close()
  }),
)
await close()
console.log(`${count} pictures in ${folder}`)
