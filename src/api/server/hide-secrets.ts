import type { SecretMask } from '../../domain/secrets/mask'
import type { Operation } from '../contract/operation'
import type { Call } from './handler'
import { asksToReveal } from './reveal'

/** Whether this answer to this caller holds secrets as they are. */
export function keepsSecrets({ secrets }: Operation, call: Call): boolean {
  const { caller } = call
  // The handler has asked who it is.
  if (asksToReveal(call)) return true
  if (secrets === undefined) return false
  return secrets === 'kept' || (caller.kind === 'agent' && caller.agentKind === 'worker')
}

/**
 * Hides secrets in a handler's own response, where that is a text. Documents are masked as they are written, streams of events piece by
 * piece (`streams/pulled-stream.ts`), and a handler that gives bytes masks them itself.
 *
 * @param mask  `null` = they stay
 */
export async function hideSecrets(
  response: Response,
  { answer }: Operation,
  mask: SecretMask | null,
): Promise<Response> {
  const isText = answer === 'text' || (typeof answer === 'object' && (answer.is === 'json' || answer.is === 'lines'))
  if (mask === null || !isText || response.body === null) return response
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) return response
  return new Response(mask.text(await response.text()), { status: response.status, headers: response.headers })
}
