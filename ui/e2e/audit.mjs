// Runs inside the page: what a careful eye would see. Returns a list of findings, empty when all is well.
export function audit() {
  const found = []
  const isShown = (element) => {
    const box = element.getBoundingClientRect()
    const style = getComputedStyle(element)
    return box.width > 0 && box.height > 0 && style.visibility !== 'hidden' && style.display !== 'none'
  }
  if (document.documentElement.scrollWidth > innerWidth + 1 || document.body.scrollHeight > innerHeight + 1) found.push('the page scrolls')

  // Text that is cut off by the window or by a box that hides its overflow, unless it may scroll or asks for an ellipsis.
  const texts = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const node = walker.currentNode
    const element = node.parentElement
    if (!node.textContent.trim() || !element || ['SCRIPT', 'STYLE', 'TITLE', 'OPTION'].includes(element.tagName) || element.matches('.unseen') || !isShown(element)) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const box = range.getBoundingClientRect()
    if (box.width === 0) continue
    const text = node.textContent.trim().slice(0, 28)
    const scroller = element.closest('.list, .low, .course, .rows, .form, .checks')
    if (scroller === null && (box.right > innerWidth + 1 || box.left < -1 || box.bottom > innerHeight + 1)) found.push(`outside the window: ${text}`)
    for (let parent = element; parent && parent !== document.body; parent = parent.parentElement) {
      const style = getComputedStyle(parent)
      const hides = style.overflowX !== 'visible' || style.overflowY !== 'visible'
      if (!hides) continue
      const edge = parent.getBoundingClientRect()
      const mayScroll = ['auto', 'scroll'].includes(style.overflowY) || ['auto', 'scroll'].includes(style.overflowX)
      const isClip = style.textOverflow === 'ellipsis'
      if (!mayScroll && !isClip && (box.right > edge.right + 1.5 || box.bottom > edge.bottom + 2.5 || box.left < edge.left - 1.5)) found.push(`cut: ${text}`)
      break
    }
    const clip = element.closest('.clip')
    if (clip && clip.scrollWidth > clip.clientWidth + 1 && !clip.matches('.what, .goods, .list .clip, .brand .clip')) found.push(`ellipsis: ${text}`)
    const lineHeight = Number.parseFloat(getComputedStyle(element).fontSize)
    const lines = Math.max(1, Math.round(box.height / (lineHeight * 1.48)))
    const slack = lines === 1 ? Math.max(0, (box.height - lineHeight * 0.95) / 2) : 0
    if (scroller === null) texts.push({ text, element, left: box.left, right: box.right, top: box.top + slack, bottom: box.bottom - slack })
  }

  // Two texts on top of one another.
  for (let i = 0; i < texts.length; i += 1) {
    for (let j = i + 1; j < texts.length; j += 1) {
      const [a, b] = [texts[i], texts[j]]
      if (a.element.contains(b.element) || b.element.contains(a.element) || a.element.closest('dialog') !== b.element.closest('dialog')) continue
      if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 6) found.push(`overlap: ${a.text} / ${b.text}`)
    }
  }

  // Something to press is at least 44 px each way.
  for (const target of document.querySelectorAll('button, a, .field, select, .el-input__wrapper, .el-select__wrapper')) {
    if (!isShown(target)) continue
    const box = target.getBoundingClientRect()
    if (box.height < 43.5 || box.width < 43.5) found.push(`small target ${Math.round(box.width)}x${Math.round(box.height)}: ${target.textContent.trim().slice(0, 20)}`)
    if (target.closest('.list, .low, .rows, .form, .checks') === null && (box.right > innerWidth + 0.5 || box.bottom > innerHeight + 0.5)) found.push(`target outside: ${target.textContent.trim().slice(0, 20)}`)
  }

  // Boxes that spill out of their own place.
  for (const box of document.querySelectorAll('.pay, .about, .left, .pad, .split-body, .strip, .acts, .topbar, .statusbar, .page, .settings, .col')) {
    if (!isShown(box)) continue
    if (getComputedStyle(box).overflowY === 'visible' && box.scrollHeight > box.clientHeight + 2) found.push(`spills down: .${box.className} ${box.scrollHeight}>${box.clientHeight}`)
    if (box.scrollWidth > box.clientWidth + 2) found.push(`spills right: .${box.className} ${box.scrollWidth}>${box.clientWidth}`)
  }
  return [...new Set(found)]
}

// Runs inside the page: where the things stand that must never move.
export function positions() {
  const anchors = ['.amount', '.subject', '.quick', '.pad', '.go', '.frame', '.under', '.under .lab', '.about .what', '.rail', '.acts', '.strip', '.statusbar']
  return Object.fromEntries(
    anchors.map((anchor) => {
      const box = document.querySelector(anchor)?.getBoundingClientRect()
      const widthMayChange = anchor === '.under .lab'
      return [anchor, box === undefined ? 'missing' : [box.left, box.top, widthMayChange ? 0 : box.width, box.height].map((side) => Math.round(side * 10) / 10).join(' ')]
    }),
  )
}
