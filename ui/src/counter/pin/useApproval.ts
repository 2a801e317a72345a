/** Somebody agrees with a PIN: who, the digits, and what came of it. The digits are gone after every try. */
import { computed, onBeforeUnmount, onMounted, ref, shallowRef } from 'vue'

import type { Approver } from '../../shared/bindings/Approver'
import type { CommandError } from '../../shared/bindings/CommandError'
import { asCommandError } from '../api/api'
import { useCounter } from '../counter'

export const pinLength = 6

/** What somebody agrees to, in the words of its dialog. */
export interface Deed<Done> {
  title: string
  /** What it is about: an order, a person. */
  of?: string
  /** Above the PIN: who may agree. */
  line: string
  button: string
  /** On the button while it is done. */
  doing: string
  back: string
  /** Money goes back, or somebody leaves. */
  danger?: boolean
  /** False: a cashier's own PIN is enough. */
  needsManager?: boolean
  work: (approver: string, pin: string) => Promise<Done>
}

/** `needsManager`: a cashier's PIN is not enough. */
export function useApproval(needsManager: () => boolean = () => true) {
  const { api } = useCounter()
  const everybody = shallowRef<Approver[] | null>(null)
  const approvers = computed(() => everybody.value?.filter((one) => one.role === 'MANAGER' || !needsManager()) ?? null)
  const chosen = ref<string | null>(null)
  const pin = ref('')
  const refused = shallowRef<CommandError | null>(null)
  const busy = ref(false)
  /** The lock is told in seconds; the clock of the page only counts them down. */
  const sinceMs = ref(performance.now())
  const nowMs = ref(performance.now())

  const approver = computed(() => approvers.value?.find((one) => one.operator_id === chosen.value) ?? approvers.value?.[0] ?? null)
  const lockedSeconds = computed(() => Math.max(0, Math.ceil((approver.value?.locked_seconds ?? 0) - (nowMs.value - sinceMs.value) / 1000)))
  const isTyped = computed(() => pin.value.length === pinLength && approver.value !== null && lockedSeconds.value === 0)

  async function load() {
    try {
      everybody.value = await api.approvers()
    } catch (thrown) {
      refused.value = asCommandError(thrown)
    }
    sinceMs.value = nowMs.value = performance.now()
  }

  /** Does `work` once at a time. Null: it was refused, and the dialog says why. */
  async function submit<T>(work: (approverId: string, pin: string) => Promise<T>): Promise<T | null> {
    if (busy.value) return null
    busy.value = true
    refused.value = null
    const digits = pin.value
    pin.value = ''
    try {
      return await work(approver.value?.operator_id ?? '', digits)
    } catch (thrown) {
      refused.value = asCommandError(thrown)
      await load()
      return null
    } finally {
      busy.value = false
    }
  }

  let timer = 0
  onMounted(() => {
    void load()
    timer = window.setInterval(() => (nowMs.value = performance.now()), 500)
  })
  onBeforeUnmount(() => window.clearInterval(timer))

  return { approvers, approver, chosen, pin, refused, busy, lockedSeconds, isTyped, submit }
}

export type Approval = ReturnType<typeof useApproval>
