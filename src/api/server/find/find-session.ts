import { AppError } from '../../../domain/errors'
import { type SessionId, sessionId } from '../../../domain/ids'
import type { StoredSession } from '../../../domain/session/session-store'
import { MIN_ID_PREFIX } from '../../contract/protocol'
import type { Context } from '../context'

/** Length of a uuid: what is shorter can be the beginning of one. */
const WHOLE_ID = 36

/**
 * Finds the session that `given` names: its id, or a unique beginning of it.
 *
 * @throws `not_found`, or `conflict` when several begin so (`details.candidates`)
 */
export async function getSession(given: string, context: Context): Promise<StoredSession> {
  const { sessions } = context.store
  await catchUp(given, context)
  const exact = await sessions.find(sessionId(given))
  if (exact !== undefined) return exact
  const candidates = given.length < MIN_ID_PREFIX ? [] : await sessions.matchPrefix(given)
  const [only] = candidates
  const found = only !== undefined && candidates.length === 1 ? await sessions.find(only) : undefined
  if (found !== undefined) return found
  if (candidates.length > 1) throw ambiguous(given, candidates)
  throw await noSession(given, context)
}

/** The same for a filter: only the id is wanted, and the session must exist. */
export async function resolveSessionId(given: string, context: Context): Promise<SessionId> {
  return (await getSession(given, context)).id
}

/** Lets the record take in what concerns the session, where nobody else does that. */
export function catchUp(given: string | null, { services }: Context): Promise<void> {
  const whole = given !== null && given.length >= WHOLE_ID ? sessionId(given) : null
  return services.catchUp?.(whole) ?? Promise.resolve()
}

function ambiguous(given: string, candidates: SessionId[]): AppError {
  return new AppError('conflict', `${candidates.length} sessions begin with ${given}.`, {
    hint: 'Give more of the ID.',
    details: { candidates },
  })
}

/** Why nothing was found under `given`. */
export async function noSession(given: string, { store }: Context): Promise<AppError> {
  if (await store.sessions.isTombstoned('session', given)) {
    return new AppError('not_found', `Session ${given} was forgotten.`, { hint: 'It will not be recorded again.' })
  }
  return new AppError('not_found', `No session ${given} is recorded.`, {
    hint:
      given.length < MIN_ID_PREFIX
        ? `Give at least ${MIN_ID_PREFIX} characters of the ID.`
        : 'Run `lode session list` to see all sessions, or `lode import PATH` to record a missed file.',
  })
}
