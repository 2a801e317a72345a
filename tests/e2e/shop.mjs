// A real counter under WebDriver: its own home, its own folders, its own ports. Nothing is left running.
import { sign } from 'node:crypto'
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Builder, By, Capabilities, until } from 'selenium-webdriver'

const root = fileURLToPath(new URL('../../', import.meta.url))
export const screens = join(root, 'target/screens/')
const program = (name) => join(root, 'target/debug', name)
const application = program('yidan')
const patience = 30_000

/** A folder of its own for everything that the programs write. */
export function makeHome() {
  const home = mkdtempSync(join(tmpdir(), 'yidan-e2e-'))
  const run = join(home, 'run')
  mkdirSync(run, { mode: 0o700 })
  mkdirSync(screens, { recursive: true })
  return { home, ready: join(home, 'ready.json'), env: { ...process.env, HOME: home, XDG_RUNTIME_DIR: run, XDG_DATA_HOME: join(home, 'share'), RUST_LOG: 'info' } }
}

export const removeHome = (place) => rmSync(place.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })

/** Waits until `find` gives something; its last error says what was missing. */
export async function eventually(what, find, ms = patience) {
  const end = Date.now() + ms
  let last = null
  while (Date.now() < end) {
    try {
      const found = await find()
      if (found) return found
    } catch (error) {
      last = error
    }
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error(`not in time: ${what}${last === null ? '' : ` (${last.message})`}`)
}

async function freePort() {
  const server = createServer()
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address()
  await new Promise((done) => server.close(done))
  return port
}

/** The line that the counter writes when it is open. */
export function readReady(place) {
  return existsSync(place.ready) ? JSON.parse(readFileSync(place.ready, 'utf8')) : null
}

/** Starts the counter under a driver of its own. */
export async function openCounter(place, args) {
  rmSync(place.ready, { force: true })
  const [port, native] = [await freePort(), await freePort()]
  const tool = join(root, 'target/tools/bin/tauri-driver')
  // A group of its own, so that ending it ends what it started.
  const tauri = spawn(tool, ['--port', String(port), '--native-port', String(native)], { env: place.env, detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  const log = []
  tauri.stderr.on('data', (text) => log.push(String(text)))
  const url = `http://127.0.0.1:${port}/`
  const close = async () => {
    try {
      process.kill(-tauri.pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
  try {
    await eventually('tauri-driver', async () => (await fetch(`${url}status`)).ok)
    const capabilities = new Capabilities()
    capabilities.set('tauri:options', { application, args: [...args, '--ready-file', place.ready] })
    capabilities.setBrowserName('wry')
    const driver = await new Builder().withCapabilities(capabilities).usingServer(url).build()
    return new Counter(driver, place, async () => {
      await Promise.race([driver.quit().catch(() => undefined), new Promise((done) => setTimeout(done, 3_000))])
      await close()
      keepLog(place, log)
    })
  } catch (error) {
    await close()
    keepLog(place, log)
    throw error
  }
}

const keepLog = (place, log) => writeFileSync(join(place.home, 'counter.log'), log.join(''), { flag: 'a' })

/** What a cashier and a customer see and press. */
class Counter {
  constructor(driver, place, close) {
    Object.assign(this, { driver, place, close })
  }

  /** Turns to one of the two windows; their order says nothing. */
  async #turnTo(isCustomers) {
    await eventually(isCustomers ? "the customer's window" : "the cashier's window", async () => {
      for (const handle of await this.driver.getAllWindowHandles()) {
        await this.driver.switchTo().window(handle)
        const url = await this.driver.getCurrentUrl()
        if (url.startsWith('tauri:') && url.includes('customer.html') === isCustomers) return true
      }
      return false
    })
  }

  atMain = () => this.#turnTo(false)
  find = (selector) => this.driver.wait(until.elementLocated(By.css(selector)), patience)
  async press(selector) {
    await eventually(`a press of ${selector}`, async () => {
      await (await this.find(selector)).click()
      return true
    })
  }

  /** Replaces what a field holds, as pasting does. */
  async paste(selector, text) {
    await this.find(selector)
    await this.driver.executeScript(
      'const field = document.querySelector(arguments[0]); field.focus(); field.value = arguments[1]; field.dispatchEvent(new InputEvent("input", { bubbles: true }))',
      selector,
      text,
    )
  }

  /** Chooses a file, as its dialog would. */
  async choose(selector, name, bytes) {
    await this.find(selector)
    await this.driver.executeScript(
      `const field = document.querySelector(arguments[0])
       const bytes = Uint8Array.from(atob(arguments[2]), (char) => char.charCodeAt(0))
       const chosen = new DataTransfer()
       chosen.items.add(new File([bytes], arguments[1]))
       field.files = chosen.files
       field.dispatchEvent(new Event('change', { bubbles: true }))`,
      selector,
      name,
      bytes.toString('base64'),
    )
  }

  attribute = (selector, name) => this.driver.executeScript('return document.querySelector(arguments[0])?.getAttribute(arguments[1]) ?? null', selector, name)
  text = (selector) => this.driver.executeScript('return document.querySelector(arguments[0])?.innerText ?? null', selector)
  texts = (selector) => this.driver.executeScript('return [...document.querySelectorAll(arguments[0])].map((part) => part.innerText)', selector)
  /** Keys go to the window at a cashier's pace: faster ones are a scanner's. */
  async type(keys) {
    const hands = this.driver.actions()
    for (const key of keys) hands.sendKeys(key).pause(90)
    await hands.perform()
  }

  /** A scanner gun: every character and the Enter at once, wherever the focus is; a hand has to reach for it first. */
  async scan(text) {
    await this.driver.actions().pause(300).perform()
    await this.driver.executeScript(
      `const target = document.activeElement ?? document.body
       for (const key of [...arguments[0], 'Enter']) target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))`,
      text,
    )
  }

  /** The cashier's window shows this scene. */
  async shows(scene) {
    await this.atMain()
    await eventually(`the cashier sees ${scene}`, async () => (await this.attribute('main.collect', 'data-scene')) === scene)
  }

  /** The customer's display shows this screen. */
  async customerSees(screen) {
    await this.#turnTo(true)
    await eventually(`the customer sees ${screen}`, async () => (await this.attribute('main', 'data-screen')) === screen)
  }

  /** The dark modules of the code in the current window, whatever its size is. */
  async code() {
    const path = await eventually('a code', () => this.attribute('.plate path[fill="#000"]', 'd'))
    const runs = [...path.matchAll(/M(\d+) (\d+)h(\d+)v(\d+)/g)].map((run) => run.slice(1).map(Number))
    const [left, top, , unit] = runs[0]
    return runs.map(([x, y, width]) => [x - left, y - top, width].map((length) => length / unit).join(',')).join(' ')
  }

  async picture(name) {
    // One frame later everything that the last view said is painted.
    await this.driver.executeAsyncScript('requestAnimationFrame(() => requestAnimationFrame(() => arguments[0]()))')
    writeFileSync(join(screens, `window-${name}.png`), Buffer.from(await this.driver.takeScreenshot(), 'base64'))
  }

  ready = () => eventually('the counter is open', () => readReady(this.place))
}

/** The sandbox, which is also the customer's phone. */
export class Phone {
  constructor(url) {
    this.url = url
  }

  async #ask(path, body) {
    const wanted = body === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const answer = await fetch(`${this.url}/sandbox/${path}`, wanted)
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }

  /** The number of the newest code. */
  async newest() {
    const sessions = await this.#ask('sessions')
    return sessions.toSorted((one, other) => other.created_at_ms - one.created_at_ms)[0].out_trade_no
  }

  scan = (out_trade_no) => this.#ask('scan', { out_trade_no, buyer: 'amy' })
  pay = (out_trade_no) => this.#ask('pay', { out_trade_no, buyer: 'amy' })
  trade = (out_trade_no) => this.#ask(`trades/${out_trade_no}`)
  /** Everything that a merchant finds in Alipay's console. */
  console = () => this.#ask('merchant')
  /** The merchant's file for headquarters. */
  async merchant() {
    const { app_id, seller_id, alipay_public_key_base64 } = await this.console()
    return `app_id = "${app_id}"\nseller_id = "${seller_id}"\nmode = "demo"\nalipay_public_key = "${alipay_public_key_base64}"\n`
  }

  now = async () => (await this.#ask('clock')).now_ms
  /** Turns the gateway's clock. */
  async turnsTo(ms) {
    const { offset_ms, now_ms } = await this.#ask('clock')
    await this.#ask('clock', { offset_ms: offset_ms + ms - now_ms })
  }
  /** The payment code on the customer's screen. */
  showsCode = async (outcome) => (await this.#ask('code', { buyer: 'amy', outcome })).auth_code
  newestTrade = async () => (await this.#ask('trades')).toSorted((one, other) => other.created_at_ms - one.created_at_ms)[0]
  refundsInTheApp = (out_trade_no, amount_fen) => this.#ask('refund', { out_trade_no, amount_fen })

  /** Pays a code that another program of the same merchant made, with the same keys. */
  async paysAnotherProgram(out_trade_no, total_amount) {
    const { app_id, app_private_key } = await this.console()
    const timestamp = new Date((await this.now()) + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
    const fields = { app_id, biz_content: JSON.stringify({ out_trade_no, total_amount, subject: '网店' }), charset: 'utf-8', format: 'JSON', method: 'alipay.trade.precreate', sign_type: 'RSA2', timestamp, version: '1.0' }
    const text = Object.entries(fields).map((field) => field.join('=')).join('&')
    const signed = new URLSearchParams({ ...fields, sign: sign('sha256', Buffer.from(text), app_private_key).toString('base64') })
    const answer = await (await fetch(`${this.url}/gateway.do`, { method: 'POST', body: signed })).json()
    if (answer.alipay_trade_precreate_response?.code !== '10000') throw new Error(`another program: ${JSON.stringify(answer)}`)
    await this.scan(out_trade_no)
    await this.pay(out_trade_no)
  }

  /** The next calls get no answer. */
  fallsSilent = () => fetch(`${this.url}/sandbox/fault`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ kind: 'drop_before', times: 1000 }) })
  speaksAgain = () => fetch(`${this.url}/sandbox/fault`, { method: 'DELETE' })
}

/** One story: what it starts is ended, and when it fails the screens are kept as they were. */
export class Stage {
  #pids = new Set()
  place = makeHome()
  counter = null

  say = (what) => console.log(`${new Date().toISOString().slice(11, 19)}  ${what}`)

  async open(args) {
    this.counter = await openCounter(this.place, args)
    return this.counter
  }

  /** What the counter wrote when it was open; it is ended with the story. */
  async ready(isIt = () => true) {
    const line = await eventually('the counter is open', () => (isIt(readReady(this.place) ?? {}) ? readReady(this.place) : null))
    this.#pids.add(line.pid)
    return line
  }

  /** SIGKILL, as when the power goes. */
  async kill(pid) {
    process.kill(pid, 'SIGKILL')
    await eventually(`${pid} is gone`, () => !isAlive(pid))
    this.#pids.delete(pid)
  }

  /** Starts another program of ours and waits for its line. */
  async start(name, ...args) {
    const ready = join(this.place.home, `${name}.ready`)
    const child = spawn(program(name), [...args, '--ready-file', ready], { env: this.place.env, stdio: 'ignore' })
    this.#pids.add(child.pid)
    return eventually(`${name} is open`, () => existsSync(ready) && JSON.parse(readFileSync(ready, 'utf8')))
  }

  /** Runs a program of ours to its end; says what it printed. */
  run = (name, ...args) => execFileSync(program(name), args, { env: this.place.env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], timeout: patience }).trim()

  async play(story) {
    try {
      await story()
    } catch (error) {
      console.error(error)
      console.error(`the programs' words are in ${this.place.home}`)
      await this.counter?.picture('broken').catch(() => undefined)
      execFileSync('/usr/bin/import', ['-window', 'root', join(screens, 'window-broken-root.png')], { timeout: 10_000 })
      process.exitCode = 1
    } finally {
      await this.counter?.close()
      for (const pid of this.#pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
      if (process.exitCode !== 1) removeHome(this.place)
    }
    process.exit()
  }
}

export function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1][0] !== 'Z'
  } catch {
    return false
  }
}
