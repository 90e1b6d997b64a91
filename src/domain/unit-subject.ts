import type { AgentId, SessionId, TaskId } from './ids'
import type { RememberedToken } from './token/remembered-token'

/**
 * What a unit of work is about, where that is known before it begins: one task, or one that is to be made or taken. A store may then do
 * it in one statement. It has no other meaning: a unit that reads more than that is done as any other.
 */
export interface UnitSubject {
  task?: TaskId
  /** The row that it looks at. */
  agents?: readonly AgentId[]
  /** A conversation whose machines it looks at. */
  session?: SessionId
  /** Under which it remembers its answer: scope and key. */
  answer?: readonly [scope: string, key: string]
  /** It takes what is next for this agent. */
  claim?: AgentId
  /** The caller's token: looked up by the statement that does the unit. */
  remembered?: RememberedToken
  /** It is more than a short unit. Then it says nothing of what it is about: it is done as any other, and looks up the token itself. */
  isLong?: true
}
