/** Reads again whenever something came in, but never twice at once: what comes in meanwhile is read once afterwards. */
import { watch } from 'vue'

import { useHq } from './hq'

export function useFresh(read: () => Promise<unknown>): () => Promise<void> {
  const { change } = useHq()
  let isReading = false
  let isStale = false

  async function refresh() {
    isStale = true
    if (isReading) return
    isReading = true
    while (isStale) {
      isStale = false
      await read()
    }
    isReading = false
  }
  watch(change, refresh, { immediate: true })
  return refresh
}
