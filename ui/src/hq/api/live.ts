/** The stream of changes. A browser connects again by itself; whoever was away reads everything anew. */

export interface LiveListener {
  /** Something came in, or may have been missed. */
  changed(): void
  /** The connection stands, or is lost. */
  connected(is: boolean): void
}

/** Changes within this time are one change: a busy hour must not ask headquarters at every sale. */
const gatherMs = 250

/** Listens until the answer is called. */
export function listen(listener: LiveListener): () => void {
  const source = new EventSource('./api/v1/live')
  let waiting: ReturnType<typeof setTimeout> | null = null
  const changed = () => {
    waiting ??= setTimeout(() => {
      waiting = null
      listener.changed()
    }, gatherMs)
  }
  source.addEventListener('ready', () => {
    listener.connected(true)
    changed()
  })
  source.addEventListener('changed', changed)
  source.addEventListener('missed', changed)
  source.addEventListener('error', () => listener.connected(false))
  return () => {
    source.close()
    if (waiting !== null) clearTimeout(waiting)
  }
}
