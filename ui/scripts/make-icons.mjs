// Draws icons/ from icons/yidan.svg: the PNG, ICO and ICNS files that Tauri wants. Run by hand when the mark changes.
import { chromium } from 'playwright-core'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const icons = fileURLToPath(new URL('../../icons/', import.meta.url))
const mark = readFileSync(`${icons}yidan.svg`, 'utf8')
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] })

async function draw(side) {
  const page = await browser.newPage({ viewport: { width: side, height: side } })
  await page.setContent(`<style>*{margin:0}svg{display:block;width:${side}px;height:${side}px}</style>${mark}`)
  const png = await page.screenshot({ omitBackground: true, clip: { x: 0, y: 0, width: side, height: side } })
  await page.close()
  return png
}

const sides = [16, 24, 32, 48, 64, 128, 256, 512, 1024]
const drawn = new Map()
for (const side of sides) drawn.set(side, await draw(side))
await browser.close()

// ICO: a header, one 16-byte entry per picture (0 means 256), then the pictures themselves as PNG.
function ico(of) {
  const head = Buffer.alloc(6 + 16 * of.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(of.length, 4)
  let offset = head.length
  of.forEach((side, at) => {
    const entry = 6 + 16 * at
    const png = drawn.get(side)
    head.writeUInt8(side % 256, entry)
    head.writeUInt8(side % 256, entry + 1)
    head.writeUInt16LE(1, entry + 4)
    head.writeUInt16LE(32, entry + 6)
    head.writeUInt32LE(png.length, entry + 8)
    head.writeUInt32LE(offset, entry + 12)
    offset += png.length
  })
  return Buffer.concat([head, ...of.map((side) => drawn.get(side))])
}

// ICNS: "icns", the whole length, then for each picture its type, its length with these 8 bytes, and the PNG.
function icns(of) {
  const parts = of.map(([type, side]) => {
    const head = Buffer.alloc(8)
    head.write(type, 0, 'latin1')
    head.writeUInt32BE(drawn.get(side).length + 8, 4)
    return Buffer.concat([head, drawn.get(side)])
  })
  const head = Buffer.alloc(8)
  head.write('icns', 0, 'latin1')
  head.writeUInt32BE(8 + parts.reduce((sum, part) => sum + part.length, 0), 4)
  return Buffer.concat([head, ...parts])
}

const retina = [['ic11', 32], ['ic12', 64], ['ic13', 256], ['ic14', 512], ['ic10', 1024]]
const plain = [['ic07', 128], ['ic08', 256], ['ic09', 512]]
const files = { '32x32.png': 32, '128x128.png': 128, '128x128@2x.png': 256, 'icon.png': 512 }
for (const [name, side] of Object.entries(files)) writeFileSync(icons + name, drawn.get(side))
writeFileSync(`${icons}icon.ico`, ico([16, 24, 32, 48, 64, 256]))
writeFileSync(`${icons}icon.icns`, icns([...plain, ...retina]))
console.log(`icons written to ${icons}`)
