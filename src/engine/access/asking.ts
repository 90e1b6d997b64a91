import type { AnyCaller } from '../../domain/access/access'
import type { Address } from '../../domain/ids'
import type { Awaitable } from '../../domain/port'
import type { Kinship } from '../../domain/task/kinship'

/** Who asks, and where it is looked up how the caller stands to what it asks for: a unit of work, or the reads of a request. */
export interface Asking {
  readonly caller: AnyCaller
  readonly tasks: Kinship
  readonly messages: { addressOf(id: string): Awaitable<Address> }
}

export type AgentCaller = Extract<AnyCaller, { kind: 'agent' }>
export type RunCaller = Extract<AnyCaller, { kind: 'attempt' }>
/** Callers that stand in some relation; people may do a thing to every object or to none. */
export type Related = AgentCaller | RunCaller
