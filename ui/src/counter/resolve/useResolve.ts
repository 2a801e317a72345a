/** "I have paid": what is typed becomes one question to Rust, and its answer one verdict. An older answer never replaces a newer one. */
import { computed, onBeforeUnmount, onMounted, ref, shallowRef, watch } from 'vue'

import type { ResolveView } from '../../shared/bindings/ResolveView'
import { useCounter } from '../counter'

/** So long after the last stroke the question is asked by itself. */
const quietMs = 350
/** A verdict younger than this was not read yet: Enter does not act on it. */
const unreadMs = 500

export function useResolve() {
  const { view, ask } = useCounter()
  const hint = ref('')
  const chosen = ref<string | null>(null)
  const found = shallowRef<ResolveView | null>(null)
  const busy = ref(false)
  let turn = 0
  let shownAtMs = 0
  let timer = 0

  const verdict = computed(() => found.value?.verdict ?? null)

  async function look(quietly = false) {
    window.clearTimeout(timer)
    turn += 1
    const mine = turn
    if (!quietly) busy.value = hint.value.trim() !== ''
    const answer = await ask((api) => api.resolve(hint.value, chosen.value))
    if (mine !== turn) return
    busy.value = false
    if (answer === null) return
    if (answer.verdict?.kind !== verdict.value?.kind || answer.verdict?.pay_id !== verdict.value?.pay_id) shownAtMs = performance.now()
    found.value = answer
  }

  function type(text: string) {
    hint.value = text
    // From the first stroke on the last verdict is about another question: nobody may read it, or act on it.
    found.value = text.trim() === '' || found.value === null ? null : { ...found.value, verdict: null }
    chosen.value = null
    busy.value = text.trim() !== ''
    turn += 1
    window.clearTimeout(timer)
    timer = window.setTimeout(look, quietMs)
  }

  function choose(payId: string) {
    chosen.value = payId
    if (hint.value.trim() === '') hint.value = found.value?.hits.find((hit) => hit.pay_id === payId)?.order_no ?? ''
    void look()
  }

  /** Whether the verdict on the screen is the one of what is typed, and was there long enough to be read. */
  const isRead = () => !busy.value && verdict.value !== null && performance.now() - shownAtMs > unreadMs

  /** Rust asks by itself while the payment lives; when it hears something, the verdict is looked up again. */
  const heard = computed(() => {
    const payId = verdict.value?.pay_id
    const live = [view.value?.current, ...(view.value?.pinned ?? [])].find((payment) => payment?.pay_id === payId)
    return live == null ? '' : `${live.pay_id} ${live.version} ${live.contact.state}`
  })
  watch(heard, (now, before) => now !== '' && before !== '' && void look(true))
  watch(
    () => view.value?.recent,
    () => verdict.value !== null && void look(true),
  )

  onMounted(() => void look(true))
  onBeforeUnmount(() => window.clearTimeout(timer))
  return { hint, found, verdict, busy, look, type, choose, isRead }
}
