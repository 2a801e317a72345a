/** The settings as they are being edited, and what of them is new. */
import type { KeysDraft } from '../../shared/bindings/KeysDraft'
import type { SettingsDraft } from '../../shared/bindings/SettingsDraft'
import type { SettingsView } from '../../shared/bindings/SettingsView'

/** `private_key` null keeps the stored one, which is never shown. `certificates` null is key mode. */
export type SettingsForm = Omit<SettingsDraft, 'keys'> & KeysDraft

export function draftOf(stored: SettingsView): SettingsForm {
  const { store_name, language, subject, code_minutes, day_cut_off, keys } = stored
  const certificates = keys.certificates === null ? null : { ...keys.certificates }
  return { pin: '', store_name, language, subject, code_minutes, day_cut_off, app_id: keys.app_id, private_key: null, alipay_public_key: keys.alipay_public_key, certificates }
}

/** The keys of the form. */
export function keysOf({ app_id, private_key, alipay_public_key, certificates }: SettingsForm): KeysDraft {
  return { app_id, private_key, alipay_public_key, certificates }
}

/** The form without its keys. */
export function restOf({ pin, store_name, language, subject, code_minutes, day_cut_off }: SettingsForm): Omit<SettingsDraft, 'keys'> {
  return { pin, store_name, language, subject, code_minutes, day_cut_off }
}

/** The keys to store, or null when they stay as they are: changing them is a heavier act. */
export function keysChange(form: SettingsForm, stored: SettingsView): KeysDraft | null {
  const isSame = form.private_key === null && form.app_id === stored.keys.app_id && trustOf(form) === trustOf(stored.keys)
  return isSame ? null : keysOf(form)
}

/** In certificate mode the one key does not matter. */
function trustOf({ alipay_public_key, certificates }: Pick<KeysDraft, 'alipay_public_key' | 'certificates'>): string {
  return certificates === null ? `key ${alipay_public_key}` : [certificates.app, certificates.alipay, certificates.root].join(' ')
}

export function isChanged(form: SettingsForm, stored: SettingsView): boolean {
  const before = draftOf(stored)
  const plain = ['store_name', 'language', 'subject', 'code_minutes', 'day_cut_off'] as const
  return keysChange(form, stored) !== null || plain.some((field) => form[field] !== before[field])
}
