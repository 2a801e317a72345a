/** What Rust found wrong with a form, field by field. */
import { useI18n } from 'vue-i18n'

import type { Finding } from '../shared/bindings/Finding'
import { keyOr } from './words/speak'

/** The red finding of one field. */
export function badOf(findings: readonly Finding[], field: string): Finding | null {
  return findings.find((finding) => finding.field === field && finding.severity === 'Bad') ?? null
}

/** Nothing red is left. A warning does not stop anybody. */
export function isSettled(findings: readonly Finding[]): boolean {
  return findings.every((finding) => finding.severity !== 'Bad')
}

/** The sentence under a field that is wrong; null when it is not. */
export function useWrong(findings: () => readonly Finding[]): (field: string) => string | null {
  const { t } = useI18n()
  return (field) => {
    const bad = badOf(findings(), field)
    return bad === null ? null : t(keyOr('finding', bad.message_key, 'other'))
  }
}
