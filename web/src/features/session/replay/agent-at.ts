import type { Subagent } from '#api/contract/wire'

/** A sub-agent at a moment, in milliseconds; `null` = nobody had launched it yet. */
export function agentAt(agent: Subagent, at: number): Subagent | null {
  const { startedAt, endedAt } = agent
  if (startedAt !== null && Date.parse(startedAt) > at) return null
  if (endedAt === null || Date.parse(endedAt) <= at) return agent
  return { ...agent, status: 'running', statusEvidence: 'at that time', endedAt: null, resultPreview: null }
}
