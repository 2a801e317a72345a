/** The keyboard on Collect. One listener, so that a scanner's burst is seen whole wherever the focus is. */
import { onBeforeUnmount, onMounted } from 'vue'

import type { Act } from './acts'
import type { Draft } from './draft'
import { BurstWatch, isComposing, isPlainEnter } from './keying'
import { isPaymentCode, strokeText } from './paymentCode'
import type { Collect } from './useCollect'

export function useKeys(collect: Collect, focusAmount: () => void): { isBurst(): boolean } {
  const watch = new BurstWatch()
  let before: Draft = collect.draft.value
  let goodsBefore = ''
  let bursting = false
  /** What the scanner has typed so far. */
  let scanned = ''

  function onKey(event: KeyboardEvent) {
    if (event.ctrlKey || event.altKey || event.metaKey) return
    if (event.key.length === 1 || isComposing(event)) {
      if (stroke(event)) return
    }
    if (isComposing(event)) return
    if (event.repeat && (event.key === 'Enter' || /^[0-9.]$/.test(event.key))) return event.preventDefault()
    if (event.key === 'Enter') return onEnter(event)
    if (event.key === 'Escape') return onEscape(event)
    if (event.key === 'F5' || event.key === 'F4') return onFunctionKey(event)
    if (/^[0-9.]$/.test(event.key) && !isTyping(event.target)) focusAmount()
  }

  /** Counts the stroke. True: it belongs to a scanner and goes no further. */
  function stroke(event: KeyboardEvent): boolean {
    const seen = watch.stroke(event.timeStamp)
    if (seen.started) {
      before = collect.draft.value
      goodsBefore = collect.subject.value
      scanned = ''
    }
    scanned += strokeText(event)
    bursting = seen.burst
    if (!bursting) return false
    event.preventDefault()
    collect.giveBack(before, goodsBefore)
    return true
  }

  function onEnter(event: KeyboardEvent) {
    if (watch.endsBurst(event.timeStamp)) {
      event.preventDefault()
      const code = scanned
      scanned = ''
      if (bursting && isPaymentCode(code)) void collect.charge(code)
      return
    }
    if (!isPlainEnter(event) || isOnButton(event.target)) return
    event.preventDefault()
    const act = collect.isHeld.value || collect.draft.value.amount === '' ? withKey('Enter') : undefined
    if (act !== undefined) void collect.act(act.name)
    else void collect.collect()
  }

  function onEscape(event: KeyboardEvent) {
    if (collect.same.value !== null) return
    event.preventDefault()
    const act = withKey('Escape')
    if (act !== undefined) void collect.act(act.name)
    else collect.clear()
  }

  function onFunctionKey(event: KeyboardEvent) {
    const act = withKey(event.key)
    event.preventDefault()
    if (act === undefined || event.repeat) return
    event.stopPropagation()
    void collect.act(act.name)
  }

  const withKey = (key: string): Act | undefined => collect.acts.value.find((act) => act.key === key && !act.disabled)

  onMounted(() => window.addEventListener('keydown', onKey, true))
  onBeforeUnmount(() => window.removeEventListener('keydown', onKey, true))
  return { isBurst: () => bursting }
}

const isTyping = (target: EventTarget | null) => target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
const isOnButton = (target: EventTarget | null) => target instanceof Element && target.closest('button, a, dialog') !== null
