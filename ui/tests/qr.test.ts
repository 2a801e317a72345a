import { describe, expect, it } from 'vitest'

import { exampleCode } from '../src/counter/api/fake/code'
import { layoutOf, pathOf } from '../src/counter/collect/qr'
import density from './fixtures/UI7_qr_density.json'

/** The plates of the two window sizes, in CSS px: the frame less 7 px on each side. */
const plates = [384 - 14, 288 - 14]
const sizes = Object.values(density.version_by_level).map((text) => Number(/\((\d+)x/.exec(text)?.[1]))
const cases = plates.flatMap((plate) => [1, 1.25, 1.5].flatMap((ratio) => sizes.slice(0, 3).map((modules) => ({ plate, ratio, modules }))))

describe('UI7: the density of a code', () => {
  it.each(cases)('$modules modules on $plate px at $ratio: whole device pixels, at least 5 CSS px', ({ plate, ratio, modules }) => {
    const { module } = layoutOf(modules, plate, ratio)
    expect(Number.isInteger(module)).toBe(true)
    expect(module / ratio).toBeGreaterThanOrEqual(5)
  })
})

describe('UI8: the quiet zone of a code', () => {
  it.each(cases)('$modules modules on $plate px at $ratio: four modules of white on every side', ({ plate, ratio, modules }) => {
    const { plate: side, module, margin } = layoutOf(modules, plate, ratio)
    expect(margin).toBeGreaterThanOrEqual(4 * module)
    expect(side - margin - modules * module).toBeGreaterThanOrEqual(4 * module)
  })
})

describe('the path of a code', () => {
  it('covers exactly the dark modules', () => {
    const layout = { plate: 37, module: 1, margin: 4 }
    const drawn = exampleCode.map((row) => Array.from(row, () => '0'))
    for (const [, x, y, width] of pathOf(exampleCode, layout).matchAll(/M(\d+) (\d+)h(\d+)/g)) {
      const row = drawn[Number(y) - 4]
      row?.fill('1', Number(x) - 4, Number(x) - 4 + Number(width))
    }
    expect(drawn.map((row) => row.join(''))).toEqual(exampleCode)
  })
})
