import { AppError } from '../../domain/errors'
import type { RequestInput } from '../contract/requests'
import type { ResponseOf } from '../contract/responses'
import { IDEMPOTENCY_HEADER } from '../contract/routes'
import type { Caller } from './call'
import { RemoteError } from './remote-error'
import type { CreateOptions } from './work-client'

const RETRY_WAIT_MS = 250

/**
 * Sends a create under a key, and once more under the same key when the connection broke: it may have been done, and is not done
 * twice. A server that answered is not asked again.
 */
export async function callCreate<
  Name extends
    | 'tasks.create'
    | 'epics.create'
    | 'epics.createTask'
    | 'issues.create'
    | 'issues.dispatch'
    | 'messages.send'
    | 'sessions.register'
    | 'inbox.delegate'
    | 'inbox.reply'
    | 'plans.create',
>(
  caller: Caller,
  name: Name,
  input: RequestInput<Name>,
  { idempotencyKey = crypto.randomUUID(), ...options }: CreateOptions = {},
): Promise<ResponseOf<Name>> {
  const withKey = { ...options, headers: { [IDEMPOTENCY_HEADER]: idempotencyKey } }
  try {
    return await caller.call(name, input, withKey)
  } catch (error) {
    if (!isBroken(error) || options.signal?.aborted) throw error
    await new Promise((resolve) => setTimeout(resolve, RETRY_WAIT_MS))
    return caller.call(name, input, withKey)
  }
}

const isBroken = (error: unknown) =>
  error instanceof AppError && error.code === 'unavailable' && !(error instanceof RemoteError)
