/** How a code is drawn: every module a whole number of device pixels, four modules of white on every side. */

/** Modules of white that a scanner needs on each side. */
const quietModules = 4

export interface CodeLayout {
  /** Side of the white plate, in device pixels. */
  plate: number
  /** Side of one module, in device pixels. */
  module: number
  /** White before the first module, in device pixels; at least four modules. */
  margin: number
}

/** Fits `modules` × `modules` on a plate of `plateCssPx` at `pixelRatio`. */
export function layoutOf(modules: number, plateCssPx: number, pixelRatio: number): CodeLayout {
  const plate = Math.floor(plateCssPx * pixelRatio)
  const module = Math.max(1, Math.floor(plate / (modules + 2 * quietModules)))
  return { plate, module, margin: Math.floor((plate - module * modules) / 2) }
}

/** One path for all dark modules; runs in a row become one rectangle, so that no seam shows between them. */
export function pathOf(rows: readonly string[], layout: CodeLayout): string {
  const { module, margin } = layout
  return rows
    .flatMap((row, y) =>
      [...row.matchAll(/1+/g)].map((run) => {
        const width = run[0].length * module
        return `M${margin + run.index * module} ${margin + y * module}h${width}v${module}h-${width}z`
      }),
    )
    .join('')
}
