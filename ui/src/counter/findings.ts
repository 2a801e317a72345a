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

/** What a finding says, and what to do about it; nothing if its sentence says that already. */
export function useSentence() {
  const { t, te } = useI18n()
  const named = (finding: Finding) => ({ n: Math.abs(finding.n ?? 0).toLocaleString('en') })
  return {
    of: (finding: Finding) => t(keyOr('finding', finding.message_key, 'other'), named(finding)),
    advice: (finding: Finding) => (te(`advice.${finding.message_key}`) ? t(`advice.${finding.message_key}`) : ''),
  }
}

/** The sentence under a field that is wrong; null when it is not. */
export function useWrong(findings: () => readonly Finding[]): (field: string) => string | null {
  const sentence = useSentence()
  return (field) => {
    const bad = badOf(findings(), field)
    return bad === null ? null : sentence.of(bad)
  }
}
