// A built page served on a free port, and Debian's Chromium to look at it. Ended in `close`.
import { chromium } from 'playwright-core'
import { fileURLToPath } from 'node:url'
import { preview } from 'vite'

export const root = fileURLToPath(new URL('../', import.meta.url))
export const large = { width: 1366, height: 768 }
export const small = { width: 1093, height: 614 }

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--hide-scrollbars', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']

export const openChromium = () => chromium.launch({ executablePath: '/usr/bin/chromium', args: flags })

export async function openBrowser() {
  const server = await preview({ root, configFile: `${root}vite.config.ts`, preview: { port: 0, strictPort: false, open: false }, logLevel: 'error' })
  const address = server.httpServer.address()
  const browser = await openChromium()
  return {
    browser,
    origin: `http://127.0.0.1:${address.port}`,
    async close() {
      await browser.close()
      await server.close()
    },
  }
}

// A page that keeps what went wrong in it: errors, refused policies, failed loads.
export async function openPage(browser, viewport, scheme = 'light') {
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce', colorScheme: scheme, timezoneId: 'Asia/Shanghai', locale: 'zh-CN' })
  const page = await context.newPage()
  const wrong = []
  page.on('pageerror', (error) => wrong.push(`error: ${error.message}`))
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && wrong.push(`${message.type()}: ${message.text()}`))
  return { page, wrong, close: () => context.close() }
}
