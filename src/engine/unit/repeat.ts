import { AppError } from '../../domain/errors'
import type { TaskTx } from '../../domain/task/task-store'
import { DAY_MS } from '../../domain/time-units'
import { sha256 } from '../../util/crypto'
import { nameOf, type Unit } from './unit'

/** How long answers of creates are remembered. */
export const REMEMBER_MS = 7 * DAY_MS

const KEY = /^[\x20-\x7e]{1,200}$/

/** A create that may be sent again. Made outside the unit: its hash costs as much as the text is long. */
export interface RepeatKey {
  key: string
  requestHash: string
}

/** @throws `invalid` */
export function repeatKey(key: string | null, request: unknown): RepeatKey | null {
  if (key === null) return null
  if (!KEY.test(key))
    throw new AppError('invalid', 'The Idempotency-Key must be 1 to 200 printable characters.', {
      hint: 'Use a new random UUID for each request that creates something.',
    })
  return { key, requestHash: sha256(canonical(request)).toString('base64url') }
}

/** The scope of a key. */
export const scopeOf = (caller: Unit['caller'], route: string): string => `${route} ${nameOf(caller)}`

/** What remembering takes: a unit's own memory of answers, and the caller. */
export interface Remembering {
  readonly tasks: Pick<TaskTx, 'recallAnswer' | 'rememberAnswer'>
  readonly caller: Unit['caller']
}

/**
 * What the same request made before, or what `make` makes now and is remembered.
 *
 * @throws `conflict` the key was used for another request
 */
export async function oncePerKey(
  unit: Remembering,
  route: string,
  repeat: RepeatKey | null,
  make: () => Promise<string>,
): Promise<{ answer: string; isRepeat: boolean }> {
  if (repeat === null) return { answer: await make(), isRepeat: false }
  const scope = scopeOf(unit.caller, route)
  const before = await unit.tasks.recallAnswer(scope, repeat.key)
  if (before !== undefined) {
    if (before.requestHash === repeat.requestHash) return { answer: before.answer, isRepeat: true }
    throw new AppError('conflict', 'This Idempotency-Key was already used for a different request.', {
      hint: 'Use a new key for each request. Reuse a key only to repeat the same request.',
    })
  }
  const answer = await make()
  await unit.tasks.rememberAnswer(scope, repeat.key, repeat.requestHash, answer)
  return { answer, isRepeat: false }
}

/** The same text for equal values, whatever the order of their fields; what is undefined is left out. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
