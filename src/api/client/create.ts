import { AppError } from '../../domain/errors'
import type { AnswerOf, Operation } from '../contract/operation'
import { IDEMPOTENCY_HEADER } from '../contract/protocol'
import type { Caller, CreateOptions, FieldsOf } from './call'
import { RemoteError } from './remote-error'

const RETRY_WAIT_MS = 250

/**
 * Sends a create under a key, and once more under the same key when the connection broke: it may have been done, and is not done
 * twice. A server that answered is not asked again.
 */
export async function callCreate<Op extends Operation>(
  caller: Caller,
  operation: Op,
  fields: FieldsOf<Op>,
  { idempotencyKey = crypto.randomUUID(), ...options }: CreateOptions = {},
): Promise<AnswerOf<Op>> {
  const withKey = { ...options, headers: { [IDEMPOTENCY_HEADER]: idempotencyKey } }
  try {
    return await caller.call(operation, fields, withKey)
  } catch (error) {
    if (!isBroken(error) || options.signal?.aborted) throw error
    await new Promise((resolve) => setTimeout(resolve, RETRY_WAIT_MS))
    return caller.call(operation, fields, withKey)
  }
}

const isBroken = (error: unknown) =>
  error instanceof AppError && error.code === 'unavailable' && !(error instanceof RemoteError)
