import { AppError } from '../../domain/errors'
import { type Address, address, type TaskId } from '../../domain/ids'
import { addressKind } from '../../domain/message/message'
import type { Awaitable } from '../../domain/port'
import { quoted } from '../unit/find-task'
import type { Unit } from '../unit/unit'
import type { MessageUnit } from './move-message'

/** The address that an id means: itself, or what it is an alias of. */
export const addressOf = async (unit: MessageUnit, id: string): Promise<Address> => await unit.messages.addressOf(id)

/** An id that a person or agent may give: no control characters, of a length that an index takes. */
export const FORM_OF_ADDRESS = /^[\x21-\x7e]{1,200}$/

/** What the database said of a text that looks like an address: most ids are addresses themselves. */
export interface AskedAddress {
  text: string
  address: Awaitable<Address>
  isKnown: Awaitable<boolean>
}

export const askAddress = (unit: Unit, text: string): AskedAddress => ({
  text,
  address: unit.messages.addressOf(text),
  isKnown: unit.messages.isKnown(address(text)),
})

/**
 * The address that a caller's text means: a task's, session's or agent's id, an agent's name, or `parent`.
 *
 * @param asked  of the same text, asked before
 * @throws `invalid` no id at all, or nobody stands behind `parent` · `not_found`
 */
export async function resolveAddress(unit: Unit, text: string, asked?: AskedAddress): Promise<Address> {
  if (text === 'parent') return await parentOf(unit)
  if (!FORM_OF_ADDRESS.test(text))
    throw new AppError('invalid', `${quoted(text)} is not an address.`, {
      hint: 'An address is the ID of a task, a session or an agent.',
    })
  const of = asked ?? askAddress(unit, text)
  const [found, isKnown] = await Promise.all([of.address, of.isKnown])
  if (found === text ? isKnown : await unit.messages.isKnown(found)) return found
  const agent = await unit.tasks.agentByName(text)
  if (agent !== undefined) return address(agent.id)
  throw new AppError('not_found', `There is no address ${quoted(text)}.`, {
    hint: 'Give a full ID: run `lode task list`, `lode session list` or `lode agent list`.',
  })
}

async function parentOf({ caller, tasks }: Unit): Promise<Address> {
  if (caller.kind !== 'attempt')
    throw new AppError('invalid', 'Only a run has a parent.', { hint: 'Give the ID of a task, a session or an agent.' })
  const task = await tasks.task(caller.taskId)
  if (task?.replyTo != null) return task.replyTo
  throw new AppError('not_found', `Nobody is waiting for the result of ${caller.taskId}.`, {
    hint: 'A person created it outside any session. Report with finish-task.',
  })
}

/** The caller's own address: what it may read, and what its messages are from. `null` = a person at a terminal. */
export function ownAddress(caller: Unit['caller']): Address | null {
  if (caller.kind === 'attempt') return address(caller.taskId)
  return caller.kind === 'agent' ? address(caller.agentId) : null
}

/** The reader, and where ids are looked up. */
interface AddressReader {
  caller: Unit['caller']
  messages: { addressOf(id: string): Address | Promise<Address> }
}

/** @throws `forbidden` a run reads at its own task's address alone, an agent at its own; an operator everywhere */
export async function mayReadAt({ caller, messages }: AddressReader, at: Address): Promise<void> {
  const own = ownAddress(caller)
  if (own === null || own === at || (await messages.addressOf(own)) === at) return
  throw new AppError('forbidden', `${own ?? 'This caller'} may not read messages for ${at}.`)
}

/** Whether the task of this id is the address itself. */
export const isTaskAddress = (of: Address): of is Address & TaskId => addressKind(of) === 'task'
