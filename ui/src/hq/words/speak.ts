/** Puts the words files behind `t(key)`. The choice of language is kept in this browser. */
import { createI18n } from 'vue-i18n'

import { en } from './en'
import { zh } from './zh'

export type Language = 'zh' | 'en'

export const i18n = createI18n<[typeof zh], Language, false>({
  legacy: false,
  locale: 'zh',
  fallbackLocale: 'zh',
  messages: { zh, en },
})

const place = 'yidan-hq-language'

/** The language asked for in the address, chosen before, or the browser's. */
export function spoken(search: string): Language {
  const asked = new URLSearchParams(search).get('lang') ?? localStorage.getItem(place) ?? navigator.language
  return asked.startsWith('en') ? 'en' : 'zh'
}

/** Switches every sentence on the page. */
export function speak(language: Language): void {
  i18n.global.locale.value = language
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
  document.title = i18n.global.t('app.name')
}

export function choose(language: Language): void {
  localStorage.setItem(place, language)
  speak(language)
}

/** A kind that this version has no words for becomes the general sentence, never a raw key. */
export function keyOr(section: 'kind' | 'case' | 'told' | 'act' | 'outcome', key: string): string {
  const full = `${section}.${key}`
  return i18n.global.te(full, 'zh') ? full : `${section}.other`
}
