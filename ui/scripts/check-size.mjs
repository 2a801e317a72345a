// The first chunk, gzipped: everything that index.html loads before the cashier can type. Fails above 150 kB.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const limit = 150 * 1024
const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const page = readFileSync(`${dist}index.html`, 'utf8')
const first = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.(?:js|css))"/g)].map((found) => found[1])
const total = first.reduce((sum, file) => sum + gzipSync(readFileSync(dist + file)).length, 0)
console.log(`first chunk: ${(total / 1024).toFixed(1)} kB gzip in ${first.length} files (limit ${limit / 1024} kB)`)
if (first.length === 0 || total > limit) process.exit(1)
