import * as z from 'zod/mini'
import { COST_GROUPS, TREE_KINDS, TREE_STATUSES } from '../../../../domain/overview/tree-entry'
import { WAITS } from '../../../../domain/task/task'
import {
  COST,
  feedSeqSchema,
  Instant,
  issueIdSchema,
  MaybeInstant,
  MaybeText,
  sessionIdSchema,
  subagentIdSchema,
  taskIdSchema,
  toolUseIdSchema,
  Usage,
} from '../scalars'
import { Attempt, Task } from '../task'
import { Agent } from '../worker'
import { AgentNameSchema } from './session'

/**
 * One entry. `id` goes into `under`; a session that went through several tasks stands under each. `detail`: a project's folder, the agent that
 * a task is assigned to, a session's branch, a sub-agent's type, how a call begins. `childCount` 0 = a leaf; with a filter it counts what is shown.
 *
 * `rollup` sums up the entry with everything below it, each thing once wherever it stands; `null` on leaves. `running`: sessions and sub-agents,
 * shells and monitors at work, and live attempts of which no session is (yet); in a session that is over nothing runs, and one that is stuck or asks is not running. `blocked`: tasks that wait
 * or are paused, sessions that asked a person. `needs`: what needs a person, as the overview has it. Tokens count all four kinds.
 * `unknownAgents`: sub-agents of whose own lines none is recorded; what they used is in neither sum.
 */
export const TreeEntry = z.object({
  id: z.string(),
  kind: z.enum(TREE_KINDS),
  label: z.string(),
  detail: MaybeText,
  status: z.nullable(z.enum(TREE_STATUSES)),
  statusEvidence: MaybeText,
  startedAt: MaybeInstant,
  endedAt: MaybeInstant,
  childCount: z.int(),
  rollup: z.nullable(
    z.object({
      running: z.int(),
      blocked: z.int(),
      needs: z.int(),
      tokens: z.int(),
      unknownAgents: z.int(),
      ...COST,
      lastEventAt: MaybeInstant,
    }),
  ),
  agentCli: z.nullable(AgentNameSchema),
  taskId: z.nullable(taskIdSchema),
  sessionId: z.nullable(sessionIdSchema),
  subagentId: z.nullable(subagentIdSchema),
  toolUseId: z.nullable(toolUseIdSchema),
  issueId: z.nullable(issueIdSchema),
})

/**
 * One level. `path`: the entries above it, outermost first, `under` itself last; they come without roll-ups, and their `childCount` says only
 * whether something is below. Projects and their levels are in the order in which they were last heard of; tasks have their sessions in the
 * order of their attempts, then their children, oldest first; sessions their agents, background work, running calls and to-dos.
 * `total`: of the whole level, as far as the filter shows it. `feedSeq`: what the answer is true of.
 */
export const TreeLevel = z.object({
  path: z.array(TreeEntry),
  entries: z.array(TreeEntry),
  total: z.int(),
  nextCursor: MaybeText,
  feedSeq: feedSeqSchema,
})

const CostSums = { usage: Usage, ...COST, messages: z.int() }

/**
 * The dearest first, days newest first; every message is in one row. `unpriced` names models without a price,
 * `estimated` those that count at the price of another version of their family, `stated` those whose cost is what their agent CLI says.
 * `unknownAgents`: sub-agents of whose own lines none is recorded, which are in no row. `label` is for people, `key` is exact (a day: `2026-01-31`); '' = of none.
 */
export const Costs = z.object({
  by: z.enum(COST_GROUPS),
  rows: z.array(
    z.object({
      key: z.string(),
      label: z.string(),
      sessionId: z.nullable(sessionIdSchema),
      taskId: z.nullable(taskIdSchema),
      agentCli: z.nullable(AgentNameSchema),
      lastAt: MaybeInstant,
      ...CostSums,
    }),
  ),
  total: z.object(CostSums),
  unknownAgents: z.int(),
  unpriced: z.array(z.string()),
  estimated: z.array(z.string()),
  stated: z.array(z.string()),
  isCut: z.boolean(),
})

/** `stacks`: the dearest first; those that are left are one, whose `key` is null. `parts` name stacks by their index. `made` is null where more than time is asked for. */
export const CostsOverTime = z.object({
  stacks: z.array(
    z.object({
      key: MaybeText,
      label: z.string(),
      costUsd: z.nullable(z.number()),
      isEstimate: z.boolean(),
      tokens: z.int(),
    }),
  ),
  periods: z.array(
    z.object({
      begin: Instant,
      parts: z.array(z.object({ stack: z.int(), costUsd: z.nullable(z.number()), tokens: z.int() })),
    }),
  ),
  made: z.nullable(
    z.object({
      completedTasks: z.int(),
      taskCostUsd: z.nullable(z.number()),
      pullRequests: z.int(),
      mergedRequests: z.int(),
      commits: z.int(),
    }),
  ),
})

/**
 * `leases`: attempts that are live, those that lapse first before others. `queue`: tasks that are not over; `oldestAt` of those that are to be
 * taken, `next` the first 50 of them in their order.
 */
export const Fleet = z.object({
  now: Instant,
  hosts: z.array(
    z.object({
      name: z.string(),
      hostname: z.string(),
      lastSeenAt: MaybeInstant,
      agents: z.int(),
      liveSessions: z.int(),
      liveAttempts: z.int(),
    }),
  ),
  agents: z.array(Agent),
  leases: z.array(z.object({ attempt: Attempt, title: z.string(), isWaiting: z.boolean() })),
  queue: z.object({
    byStatus: z.record(z.string(), z.int()),
    waitingFor: z.partialRecord(z.enum(WAITS), z.int()),
    oldestAt: MaybeInstant,
    next: z.array(Task),
  }),
})
