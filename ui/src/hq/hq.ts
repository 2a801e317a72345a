/** Headquarters as the pages see it: who is signed in, whether it is live, and a number that rises with every change. */
import { inject, ref, type InjectionKey, type Ref } from 'vue'

import { api, Refused } from './api/api'
import { listen } from './api/live'

export interface Hq {
  /** `undefined` while nobody knows, `null` when nobody is signed in. */
  name: Ref<string | null | undefined>
  isLive: Ref<boolean>
  /** Rises when something came in: what is shown is asked for again. */
  change: Ref<number>
  /** When something was last read from headquarters. */
  readAt: Ref<number | null>
  openCases: Ref<number>
  findOut(): Promise<void>
  signIn(name: string, password: string): Promise<void>
  signOut(): Promise<void>
  /** Asks; `null` if there was no answer, which the top bar then says. */
  ask<T>(question: Promise<T>): Promise<T | null>
}

export const hqKey: InjectionKey<Hq> = Symbol('hq')

/** The headquarters of this page. */
export function useHq(): Hq {
  const hq = inject(hqKey)
  if (hq === undefined) throw new Error('no headquarters was provided')
  return hq
}

export function openHq(): Hq {
  const name = ref<string | null | undefined>(undefined)
  const isLive = ref(false)
  const change = ref(0)
  const readAt = ref<number | null>(null)
  const openCases = ref(0)
  let stop: (() => void) | null = null

  function enter(who: string) {
    name.value = who
    stop?.()
    stop = listen({ changed: () => (change.value += 1), connected: (is) => (isLive.value = is) })
  }

  function leave() {
    stop?.()
    stop = null
    name.value = null
    isLive.value = false
  }

  async function ask<T>(question: Promise<T>): Promise<T | null> {
    try {
      const answer = await question
      readAt.value = Date.now()
      return answer
    } catch (thrown) {
      if (thrown instanceof Refused && thrown.status === 401) leave()
      else if (thrown instanceof Refused && thrown.status === 0) isLive.value = false
      else if (!(thrown instanceof Refused)) throw thrown
      return null
    }
  }

  return {
    name,
    isLive,
    change,
    readAt,
    openCases,
    ask,
    async findOut() {
      const me = await ask(api.me())
      if (me !== null) enter(me.name)
      else name.value ??= null
    },
    async signIn(who, password) {
      enter((await api.signIn(who, password)).name)
    },
    async signOut() {
      await ask(api.signOut())
      leave()
    },
  }
}
