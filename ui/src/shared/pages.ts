/** Which page is shown. It lives in the address (`#orders/PAY_ID`), so a reload comes back to the same page. */
import { onBeforeUnmount, onMounted, shallowRef } from 'vue'

export interface Page<Name extends string> {
  name: Name
  /** What the page is about: an order, a part of the settings. */
  of: string | null
}

/** The pages of one program; an unknown address is `home`. */
export function pagesOf<Name extends string>(names: readonly Name[], home: Name) {
  const pageFrom = (hash: string): Page<Name> => {
    const [name = '', of] = hash.replace(/^#/, '').split('/')
    const known = names.find((page) => page === name)
    return { name: known ?? home, of: of === undefined || of === '' ? null : decodeURIComponent(of) }
  }
  const addressOf = (name: Name, of?: string) => (of === undefined ? `#${name}` : `#${name}/${encodeURIComponent(of)}`)
  const openPage = (name: Name, of?: string) => void (location.hash = addressOf(name, of))
  /** The page of this window, following the address. */
  const usePage = () => {
    const page = shallowRef(pageFrom(location.hash))
    const follow = () => (page.value = pageFrom(location.hash))
    onMounted(() => window.addEventListener('hashchange', follow))
    onBeforeUnmount(() => window.removeEventListener('hashchange', follow))
    return page
  }
  return { pageFrom, addressOf, openPage, usePage }
}
