import { AppError } from '../../../domain/errors'
import { type Address, sessionId } from '../../../domain/ids'
import { addressKind } from '../../../domain/message/message'
import type { Registration } from '../../../domain/registry'
import type { StoredSession } from '../../../domain/session/session-store'
import type { Context } from '../context'
import { catchUp, getSession } from './find-session'

/** Where a session's messages go, with what is known there. */
export interface Place {
  address: Address
  /** Recorded under the id that was given. */
  session: StoredSession | undefined
  registration: Registration | undefined
}

/**
 * Finds the conversation that `given` names: an id of it, or a unique beginning of one that is recorded.
 *
 * @throws `not_found`, or `conflict` when several begin so
 */
export async function findPlace(given: string, context: Context): Promise<Place> {
  const { store } = context
  await catchUp(given, context)
  const at = await store.messages.addressOf(given)
  const [session, registration] = await Promise.all([
    store.sessions.find(sessionId(given)),
    store.registry.registration(at),
  ])
  if (session !== undefined || registration !== undefined) return { address: at, session, registration }
  if (addressKind(at) !== 'session') throw notASession(at)
  const stored = await getSession(given, context)
  const address = await store.messages.addressOf(stored.id)
  return { address, session: stored, registration: await store.registry.registration(address) }
}

const notASession = (at: Address) =>
  new AppError('not_found', `${at} is not a session.`, {
    hint:
      addressKind(at) === 'task'
        ? `To see the task, run \`lode task show ${at}\`.`
        : `To see the agent, run \`lode agent show ${at}\`.`,
  })
