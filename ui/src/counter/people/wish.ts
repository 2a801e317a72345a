import type { PersonView } from '../../shared/bindings/PersonView'

/** What somebody wants to change about a person: a new one, a new PIN, or one who leaves. */
export type PersonWish = { kind: 'Join' } | { kind: 'NewPin'; person: PersonView } | { kind: 'Leave'; person: PersonView }
