/** When an agent is told its state (design §7). The first five are SessionStart's `source`, the last is PreCompact. */
export const RECALL_MOMENTS = ['startup', 'resume', 'fork', 'clear', 'compact', 'precompact'] as const
export type RecallMoment = (typeof RECALL_MOMENTS)[number]
