import type { Subagent } from '../session/session'

/** What of a sub-agent changes as time goes on. */
type Passing = Pick<Subagent, 'startedAt' | 'endedAt' | 'status' | 'statusEvidence' | 'resultPreview'>

/** A sub-agent at a moment, in milliseconds; `null` = nobody had launched it yet. */
export function agentAt<Agent extends Passing>(agent: Agent, at: number): Agent | null {
  const { startedAt, endedAt } = agent
  if (startedAt !== null && Date.parse(startedAt) > at) return null
  if (endedAt === null || Date.parse(endedAt) <= at) return agent
  return { ...agent, status: 'running', statusEvidence: 'at that time', endedAt: null, resultPreview: null }
}
