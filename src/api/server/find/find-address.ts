import { AppError } from '../../../domain/errors'
import type { Address } from '../../../domain/ids'
import { address, taskId } from '../../../domain/ids'
import { addressKind } from '../../../domain/message/message'
import type { Caller } from '../../../domain/task/worker-protocol'
import { mayReadAt } from '../../../engine/mail/address'
import { MIN_ID_PREFIX } from '../../contract/protocol'
import type { Context } from '../context'
import { catchUp } from './find-session'
import { filterTaskId, settle } from './find-task'

/**
 * The address that `given` names: a task's, session's or agent's id, a later id of a session, an agent's name, or a unique beginning of a
 * task's or session's id.
 *
 * @throws `not_found` nobody is known there · `conflict` several begin so · `forbidden` it is another's
 */
export async function readableAddress(given: string, caller: Caller, context: Context): Promise<Address> {
  const at = await findAddress(given, context)
  // A run learns nothing about other addresses.
  await mayReadAt({ caller, messages: context.store.messages }, at ?? address(given))
  if (at === undefined) throw noAddress(given)
  return at
}

/** For a filter: what it means, or what it says, since nobody may be there any more. */
export async function filterAddress(given: string, context: Context): Promise<Address> {
  return (await findAddress(given, context)) ?? address(given)
}

async function findAddress(given: string, context: Context): Promise<Address | undefined> {
  await settle(context)
  await catchUp(given, context)
  const { messages, sessions, tasks } = context.store
  const at = await messages.addressOf(given)
  if (await messages.isKnown(at)) return at
  const agent = await tasks.findAgent(given)
  if (agent !== undefined) return address(agent.id)
  if (given.length < MIN_ID_PREFIX) return undefined
  if (addressKind(at) === 'task' || given.startsWith('t-')) {
    const found = await filterTaskId(given, context)
    return found === taskId(given) ? undefined : address(found)
  }
  const candidates = await sessions.matchPrefix(given)
  if (candidates.length > 1)
    throw new AppError('conflict', `${candidates.length} sessions begin with ${given}.`, {
      hint: 'Give more of the ID.',
      details: { candidates },
    })
  const [only] = candidates
  return only === undefined ? undefined : await messages.addressOf(only)
}

const noAddress = (given: string): AppError =>
  new AppError('not_found', `There is no address ${given}.`, {
    hint: 'An address is the ID of a task, a session or an agent: run `lode task list`, `lode session list` or `lode agent list`.',
  })
