/**
 * Who may call, as tokens tell: the operator, an agent by what it is, one attempt, which can touch only its own task, or a person who
 * looks and changes nothing.
 */
export const CALLER_KINDS = ['operator', 'lead', 'worker', 'attempt', 'viewer'] as const
export type CallerKind = (typeof CALLER_KINDS)[number]

export const OPERATOR = ['operator'] as const
export const LEADS = ['operator', 'lead'] as const
export const WORKERS = ['operator', 'worker'] as const
/** Every agent, but no attempt. */
export const AGENTS = ['operator', 'lead', 'worker'] as const
export const EVERYONE = ['operator', 'lead', 'worker', 'attempt'] as const

/** Whether an operation takes this caller. A viewer has every read of the operator's, and nothing else. */
export const takesCaller = (
  { access, method }: { access: 'public' | readonly CallerKind[]; method: string },
  kind: CallerKind,
): boolean =>
  access === 'public' || access.includes(kind) || (kind === 'viewer' && method === 'GET' && access.includes('operator'))
