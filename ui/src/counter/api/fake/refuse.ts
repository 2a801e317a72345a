import type { CommandError } from '../../../shared/bindings/CommandError'

/** Refuses as Rust does. */
export function refuse(kind: CommandError['kind'], message = ''): never {
  throw { kind, message } satisfies CommandError
}
