/** The settings as they are being edited, and what of them is new. */
import type { KeysDraft } from '../../shared/bindings/KeysDraft'
import type { SettingsDraft } from '../../shared/bindings/SettingsDraft'
import type { SettingsView } from '../../shared/bindings/SettingsView'

/** `private_key` null keeps the stored one, which is never shown. */
export type SettingsForm = Omit<SettingsDraft, 'keys'> & KeysDraft

export function draftOf(stored: SettingsView): SettingsForm {
  const { store_name, language, subject, code_minutes, day_cut_off, keys } = stored
  return { pin: '', store_name, language, subject, code_minutes, day_cut_off, app_id: keys.app_id, private_key: null, alipay_public_key: keys.alipay_public_key }
}

/** The keys to store, or null when they stay as they are: changing them is a heavier act. */
export function keysChange(form: SettingsForm, stored: SettingsView): KeysDraft | null {
  const { app_id, private_key, alipay_public_key } = form
  const isSame = app_id === stored.keys.app_id && private_key === null && alipay_public_key === stored.keys.alipay_public_key
  return isSame ? null : { app_id, private_key, alipay_public_key }
}

export function isChanged(form: SettingsForm, stored: SettingsView): boolean {
  const before = draftOf(stored)
  const plain = ['store_name', 'language', 'subject', 'code_minutes', 'day_cut_off'] as const
  return keysChange(form, stored) !== null || plain.some((field) => form[field] !== before[field])
}
