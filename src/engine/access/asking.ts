import type { AnyCaller } from '../../domain/access/access'
import type { Address, MessageId } from '../../domain/ids'
import type { Awaitable } from '../../domain/port'
import type { Kinship } from '../../domain/task/kinship'

/** The caller, and where its relation to an object is looked up: a unit of work, or the reads of a request. */
export interface Asking {
  readonly caller: AnyCaller
  readonly tasks: Kinship
  readonly messages: {
    addressOf(id: string): Awaitable<Address>
    /** Whether a message is from the address, or (`party`) from or to it. */
    isOf(id: MessageId, of: Address, as: 'sender' | 'party'): Awaitable<boolean>
    /** Whether a message went from the one to the other, whatever became of it. */
    hasWritten(from: Address, to: Address): Awaitable<boolean>
  }
}

export type AgentCaller = Extract<AnyCaller, { kind: 'agent' }>
export type RunCaller = Extract<AnyCaller, { kind: 'attempt' }>
/** Callers that stand in some relation; people may do a thing to every object or to none. */
export type Related = AgentCaller | RunCaller
