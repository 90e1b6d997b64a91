import type { Caller } from '../task/worker-protocol'

/**
 * Kinds of callers, by their tokens: the operator, a person who answers and stops, one who only looks, an agent, or one attempt, which can
 * touch only what its task touches. A person with the role of an admin is an operator with a name.
 */
export const CALLER_KINDS = ['operator', 'approver', 'viewer', 'lead', 'worker', 'attempt'] as const
export type CallerKind = (typeof CALLER_KINDS)[number]

export const kindOf = (caller: Caller): CallerKind => (caller.kind === 'agent' ? caller.agentKind : caller.kind)

/** What sentences call a caller; `callerName` begins one. */
export const CALLER_NOUNS: Readonly<Record<CallerKind, string>> = {
  operator: 'the operator',
  approver: 'an approver',
  viewer: 'a viewer',
  lead: 'a lead',
  worker: 'a worker',
  attempt: 'a run',
}

export const callerName = (caller: Caller): string =>
  CALLER_NOUNS[kindOf(caller)].replace(/^./, (letter) => letter.toUpperCase())
