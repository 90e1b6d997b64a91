import type { Access } from '../../domain/access/access'

export { CALLER_KINDS, type CallerKind } from '../../domain/access/caller-kind'

/** Rows of operations that are about no object of anybody. `domain/access/rules.ts` has those that a use case enforces as well. */
export const OPERATOR = { operator: 'any' } satisfies Access
/** People who see to what needs one. */
export const APPROVERS = { operator: 'any', approver: 'any' } satisfies Access
export const LEADS = { operator: 'any', lead: 'any' } satisfies Access
/** Every agent, but no run. */
export const AGENTS = { operator: 'any', lead: 'any', worker: 'any' } satisfies Access
export const EVERYONE = { operator: 'any', lead: 'any', worker: 'any', attempt: 'any' } satisfies Access
