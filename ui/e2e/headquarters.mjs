// The real program `yidan-hq` on a folder of its own. Ended in `close`.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import { alipayPublicPem, appId, sellerId } from './till.mjs'

const target = process.env.CARGO_TARGET_DIR ?? fileURLToPath(new URL('../../target', import.meta.url))
const program = process.env.YIDAN_HQ ?? join(target, 'debug', 'yidan-hq')

export async function openHeadquarters() {
  const folder = mkdtempSync(join(tmpdir(), 'yidan-hq-'))
  const merchant = `app_id = "${appId}"\nseller_id = "${sellerId}"\nmode = "demo"\nalipay_public_key = """\n${alipayPublicPem}"""\n`
  writeFileSync(join(folder, 'merchant.toml'), merchant)
  const words = ['serve', '--listen', '127.0.0.1:0', '--data', 'data', '--merchant', 'merchant.toml', '--demo']
  const server = spawn(program, words, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = new Promise((end) => server.once('exit', end))
  const line = await Promise.race([new Promise((ready) => createInterface(server.stdout).once('line', ready)), ended])
  if (typeof line !== 'string') throw new Error(`${program} did not start`)
  const ask = (...more) => execFileSync(program, more, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  return {
    url: JSON.parse(line).url,
    code: (store, name, terminal) => ask('enrol-code', '--data', 'data', '--store', store, '--store-name', name, ...(terminal ? ['--terminal', terminal] : [])),
    password: (user) => ask('user', 'add', '--data', 'data', user),
    async close() {
      server.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
