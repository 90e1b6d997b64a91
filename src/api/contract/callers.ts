/** Who may call, as tokens tell: the operator, an agent by what it is, or one attempt, which can touch only its own task. */
export const CALLER_KINDS = ['operator', 'lead', 'worker', 'attempt'] as const
export type CallerKind = (typeof CALLER_KINDS)[number]

export const OPERATOR = ['operator'] as const
export const LEADS = ['operator', 'lead'] as const
export const WORKERS = ['operator', 'worker'] as const
/** Every agent, but no attempt. */
export const AGENTS = ['operator', 'lead', 'worker'] as const
export const EVERYONE = CALLER_KINDS
