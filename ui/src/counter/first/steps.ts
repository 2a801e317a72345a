/** The three steps of the first run, and which findings belong to which. */

export const steps = ['store', 'keys', 'person'] as const
export type StepName = (typeof steps)[number]

export const fieldsOf: Record<StepName, string[]> = {
  store: ['store_name', 'store_id', 'terminal_id'],
  keys: ['app_id', 'private_key', 'alipay_public_key', 'app_certificate', 'alipay_certificate', 'root_certificate', 'clock', 'gateway'],
  person: ['manager_name', 'pin', 'passphrase'],
}
