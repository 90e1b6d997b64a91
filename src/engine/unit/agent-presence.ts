import type { Agent } from '../../domain/agent'
import { meets } from '../../domain/machine/needs'
import { chooseCli } from '../../domain/task/agent-choice'
import { cliNeed } from '../../domain/task/placement/why-nobody'
import type { AgentRow, TaskRow } from '../../domain/task/task-store'
import { DEFAULT_LEASE_MS } from '../../domain/task/worker-protocol'
import { agentOf, type Unit } from './unit'

/** An agent that was silent for this long is away. */
export const AWAY_AFTER_MS = DEFAULT_LEASE_MS

/** Not written more often than this. */
const SEEN_EVERY_MS = 1_000

/** A process runs as this agent and was seen recently. */
export const isOnline = (agent: Pick<AgentRow, 'bootId' | 'lastSeenAt'>, now: number): boolean =>
  agent.bootId !== null && agent.lastSeenAt !== null && now - agent.lastSeenAt <= AWAY_AFTER_MS

/** It is there and takes new tasks. */
export const isTaking = (agent: Pick<AgentRow, 'bootId' | 'lastSeenAt' | 'drainingSince'>, now: number): boolean =>
  agent.drainingSince === null && isOnline(agent, now)

/** The agent that has, or had last, this task; `undefined` when there was none, it is away or takes nothing new. */
export async function takingAgentOf(unit: Unit, task: Pick<TaskRow, 'agentKey'>): Promise<AgentRow | undefined> {
  const agent = await agentOf(unit, task.agentKey)
  return agent !== undefined && isTaking(agent, unit.now) ? agent : undefined
}

/** What of a task's demands the agent lacks; empty = it can do it. */
export const lacking = (
  agent: AgentRow,
  { requiredCapabilities, neededClis }: Pick<TaskRow, 'requiredCapabilities' | 'neededClis'>,
): string[] => {
  const lacks = requiredCapabilities.filter((need) => !meets(agent, need))
  // A limit passes; a CLI that is not there does not come by itself.
  const hasCli = chooseCli(neededClis, { ...agent, cliLimits: {} }, 0) !== undefined
  return hasCli ? lacks : [...lacks, cliNeed(neededClis)]
}

/** All that `lacking` may name. */
export const needsOf = ({
  requiredCapabilities,
  neededClis,
}: Pick<TaskRow, 'requiredCapabilities' | 'neededClis'>): string[] => [
  ...requiredCapabilities,
  ...(neededClis.length === 0 ? [] : [cliNeed(neededClis)]),
]

/** Records that the agent was seen, and reports it in the feed if it was away. */
export async function recordSeen(unit: Unit, agent: AgentRow): Promise<void> {
  if (agent.lastSeenAt !== null && Math.abs(unit.now - agent.lastSeenAt) < SEEN_EVERY_MS) return
  if (!isOnline(agent, unit.now)) await unit.feed('agent.updated', { agentId: agent.id, status: 'online' })
  await unit.tasks.updateAgent(agent.key, { lastSeenAt: unit.now })
}

/** An agent as the API gives it. @param running  its live attempts */
export const shownAgent = (agent: AgentRow, running: number, now: number): Agent => ({
  id: agent.id,
  name: agent.name,
  kind: agent.kind,
  status: isOnline(agent, now) ? 'online' : 'offline',
  host: agent.hostname,
  capabilities: agent.capabilities,
  clis: agent.clis,
  machine: agent.machine,
  drainingSince: agent.drainingSince === null ? null : new Date(agent.drainingSince).toISOString(),
  restartAskedAt: agent.restartAskedAt === null ? null : new Date(agent.restartAskedAt).toISOString(),
  concurrency: agent.concurrency,
  running,
  limitedUntil: agent.limitedUntil === null ? null : new Date(agent.limitedUntil).toISOString(),
  version: agent.version,
  description: agent.description,
  model: agent.model,
  isSpecialist: agent.instructions !== null,
  createdAt: new Date(agent.createdAt).toISOString(),
  lastSeenAt: agent.lastSeenAt === null ? null : new Date(agent.lastSeenAt).toISOString(),
})
