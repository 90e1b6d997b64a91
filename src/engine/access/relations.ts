import type { RelationTo, Subject } from '../../domain/access/subjects'
import { address, attemptId, messageId, sessionId } from '../../domain/ids'
import type { Asking, Related } from './asking'
import { isKnownReceiver } from './known-receiver'
import { isOwnFolder } from './own-folder'
import { isSameKey } from './same-key'
import { standsToTask } from './task-relations'

/** @param id  of the object: an id, a folder's path, a machine's name */
export type Check = (asking: Asking, caller: Related, id: string) => boolean | Promise<boolean>
type Checks = { readonly [Of in Subject]: Readonly<Record<RelationTo<Of>, Check>> }

/** When a caller stands to an object as the table says. */
export const RELATIONS: Checks = {
  task: {
    own: (...asked) => standsToTask('own', ...asked),
    made: (...asked) => standsToTask('made', ...asked),
    below: (...asked) => standsToTask('below', ...asked),
    ownOrMade: (...asked) => standsToTask('ownOrMade', ...asked),
    ownOrBelow: (...asked) => standsToTask('ownOrBelow', ...asked),
    family: (...asked) => standsToTask('family', ...asked),
    tree: (...asked) => standsToTask('tree', ...asked),
  },
  attempt: { own: isOwnAttempt },
  session: { own: isOwnSession },
  agent: { self: (_, caller, id) => caller.kind === 'agent' && caller.agentId === id },
  address: { own: isOwnAddress },
  message: {
    party: (asking, caller, id) => isOwnMessage(asking, caller, id, 'party'),
    sender: (asking, caller, id) => isOwnMessage(asking, caller, id, 'sender'),
  },
  receiver: { known: isKnownReceiver },
  folder: { own: isOwnFolder },
  host: { own: isOwnHost },
}

/** A worker has the attempts that it was given, and where the worker of one is gone for good, another of that machine has it. */
async function isOwnAttempt({ tasks }: Asking, caller: Related, id: string): Promise<boolean> {
  if (caller.kind === 'attempt') return caller.attemptId === id
  const owner = await tasks.ownerOfAttempt(attemptId(id))
  if (owner?.agentId === caller.agentId) return true
  return isSameKey((await tasks.hostOfAgent(caller.agentId))?.hostKeyHash, owner?.hostKeyHash)
}

/**
 * A run has the conversation that its worker says it is in; a worker what is at home on its machine, is to go on there, or is known to
 * nobody.
 */
async function isOwnSession({ tasks }: Asking, caller: Related, id: string): Promise<boolean> {
  const session = sessionId(id)
  if (caller.kind === 'attempt') return (await tasks.placeOfAttempt(caller.attemptId))?.sessionId === session
  const host = (await tasks.hostOfAgent(caller.agentId))?.hostName ?? null
  return host !== null && (await tasks.isOfHost(host, session))
}

async function isOwnAddress({ messages }: Asking, caller: Related, id: string): Promise<boolean> {
  return (await ownAddress(messages, caller)) === (await messages.addressOf(id))
}

/** What goes on in the place of a task that ended has that one's address. */
const ownAddress = (messages: Asking['messages'], caller: Related) => messages.addressOf(ownId(caller))
const ownId = (caller: Related): string => (caller.kind === 'attempt' ? caller.taskId : caller.agentId)

async function isOwnMessage({ messages }: Asking, caller: Related, id: string, as: 'party' | 'sender') {
  const own = new Set([address(ownId(caller)), await ownAddress(messages, caller)])
  for (const one of own) if (await messages.isOf(messageId(id), one, as)) return true
  return false
}

async function isOwnHost({ tasks }: Asking, caller: Related, id: string): Promise<boolean> {
  return caller.kind === 'agent' && (await tasks.hostOfAgent(caller.agentId))?.hostName === id
}
