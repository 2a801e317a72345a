/** Which page the main window shows. It lives in the address, so a reload comes back to the same page. */
import { onBeforeUnmount, onMounted, shallowRef } from 'vue'

/** The pages of the menu, and those that something leads to. */
export const menu = ['collect', 'orders', 'today', 'cases', 'settings'] as const
export const pages = [...menu, 'selftest', 'resolve', 'bill'] as const
export type PageName = (typeof pages)[number]

export interface Page {
  name: PageName
  /** What the page is about: an order, a part of the settings. */
  of: string | null
}

/** Reads `#orders/PAY_ID`; anything unknown is Collect. */
export function pageFrom(hash: string): Page {
  const [name = '', of] = hash.replace(/^#/, '').split('/')
  const known = pages.find((page) => page === name)
  return { name: known ?? 'collect', of: of === undefined || of === '' ? null : decodeURIComponent(of) }
}

export function addressOf(name: PageName, of?: string): string {
  return of === undefined ? `#${name}` : `#${name}/${encodeURIComponent(of)}`
}

export function openPage(name: PageName, of?: string): void {
  location.hash = addressOf(name, of)
}

/** The page of this window, following the address. */
export function usePage() {
  const page = shallowRef(pageFrom(location.hash))
  const follow = () => (page.value = pageFrom(location.hash))
  onMounted(() => window.addEventListener('hashchange', follow))
  onBeforeUnmount(() => window.removeEventListener('hashchange', follow))
  return page
}
