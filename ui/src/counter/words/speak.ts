/** Puts the words files behind `t(key)`. Both languages are in the first chunk: a cashier may switch without a network. */
import { createI18n } from 'vue-i18n'

import type { Language } from '../../shared/bindings/Language'
import { en } from './en'
import { zh } from './zh'

export const i18n = createI18n<[typeof zh], Language, false>({
  legacy: false,
  locale: 'zh',
  fallbackLocale: 'zh',
  messages: { zh, en },
})

/** Switches every sentence on the screen. */
export function speak(language: Language): void {
  i18n.global.locale.value = language
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
  document.title = i18n.global.t('app.name')
}

/** A timeline key, a case kind or a finding that this version has no words for becomes the general sentence, never a raw key. */
export function keyOr(section: 'what' | 'finding' | 'cases.kind' | 'cases.story', key: string, otherwise: string): string {
  const full = `${section}.${key}`
  return i18n.global.te(full, 'zh') ? full : `${section}.${otherwise}`
}

/** The key of a proof that this version may have no words for. */
export function proofKey(what: string): string {
  return i18n.global.te(`proof.${what}.says`, 'zh') ? what : 'other'
}
