import type { SubagentId } from '../ids'
import type { Subagent } from '../session/session'

type Listed = Pick<Subagent, 'id' | 'parentId' | 'status' | 'startedAt'>

/**
 * So many of a session's sub-agents, those first that a person looks for: at work, then the newest.
 *
 * @param named  comes in any case, with the sub-agents that led to it
 */
export function firstAgents<Agent extends Listed>(all: readonly Agent[], limit: number, named?: SubagentId): Agent[] {
  if (all.length <= limit) return [...all]
  const started = ({ startedAt }: Agent): number => (startedAt === null ? 0 : Date.parse(startedAt))
  const isAtWork = ({ status }: Agent): number => (status === 'running' ? 1 : 0)
  const first = all.toSorted((a, b) => isAtWork(b) - isAtWork(a) || started(b) - started(a)).slice(0, limit)
  const kept = new Set(first)
  const byId = new Map(all.map((agent) => [agent.id, agent]))
  // A recorded parent may be wrong: a circle ends where it began.
  for (let next = named === undefined ? undefined : byId.get(named); next !== undefined && !kept.has(next); ) {
    kept.add(next)
    next = next.parentId === null ? undefined : byId.get(next.parentId)
  }
  return [...kept]
}
