import { AppError } from '../../domain/errors'
import type { EventId } from '../../domain/ids'
import { actorOf } from '../../engine/audit/record-act'
import type { Operation } from '../contract/operation'
import type { Context } from './context'
import type { Call } from './handler'

type Revealing = Call & { query: { reveal?: boolean | undefined } }

/** Whether the caller asked for secrets as they are. */
export const asksToReveal = (call: Call): boolean => (call.query as Revealing['query'] | undefined)?.reveal === true

/**
 * Whether an event is shown with its secrets. Where a person asks for that, the audit log says so before anything is shown.
 *
 * @throws `forbidden`  to all but operators
 */
export async function revealed(
  { name }: Operation,
  call: Call,
  event: EventId,
  { services }: Context,
): Promise<boolean> {
  if (!asksToReveal(call)) return false
  if (call.caller.kind !== 'operator')
    throw new AppError('forbidden', 'Only an operator may look at secrets.', { hint: 'Leave out `reveal`.' })
  const { id } = call.params as { id: string }
  await services.audit.record({
    act: 'secret.reveal',
    actor: actorOf(call.caller),
    target: event,
    detail: { session: id, operation: name },
  })
  return true
}
