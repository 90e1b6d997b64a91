import * as z from 'zod/mini'
import { WAITS } from '../../../domain/task'
import { COST_GROUPS, TREE_KINDS, TREE_STATUSES } from '../../../domain/tree-entry'
import { feedSeqSchema, issueIdSchema, sessionIdSchema, subagentIdSchema, taskIdSchema, toolUseIdSchema } from './ids'
import { Attempt, Task } from './task'
import { CostUsd, Instant, MaybeInstant, MaybeText, Usage } from './usage'
import { Agent } from './worker'

/**
 * One entry. `id` goes into `under`; a session that went through several tasks stands under each. `detail`: the branch, the agent's type, the
 * call's beginning. `childCount` 0 = a leaf. `rollup` sums up the entry with everything below it; `null` on leaves. Tokens count all four kinds.
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
      costUsd: CostUsd,
      lastEventAt: MaybeInstant,
    }),
  ),
  taskId: z.nullable(taskIdSchema),
  sessionId: z.nullable(sessionIdSchema),
  subagentId: z.nullable(subagentIdSchema),
  toolUseId: z.nullable(toolUseIdSchema),
  issueId: z.nullable(issueIdSchema),
})

/** One level. `path`: the entries above it, outermost first. `total`: of the whole level. `feedSeq`: what the answer is true of. */
export const TreeLevel = z.object({
  path: z.array(TreeEntry),
  entries: z.array(TreeEntry),
  total: z.int(),
  nextCursor: MaybeText,
  feedSeq: feedSeqSchema,
})

const CostSums = { usage: Usage, costUsd: CostUsd, messages: z.int() }

/** `costUsd` leaves out models without a price; `unpriced` names them. `label` is for people, `key` is exact (a day: `2026-01-31`). */
export const Costs = z.object({
  by: z.enum(COST_GROUPS),
  rows: z.array(
    z.object({
      key: z.string(),
      label: z.string(),
      sessionId: z.nullable(sessionIdSchema),
      taskId: z.nullable(taskIdSchema),
      lastAt: MaybeInstant,
      ...CostSums,
    }),
  ),
  total: z.object(CostSums),
  unpriced: z.array(z.string()),
  isCut: z.boolean(),
})

/** `leases`: attempts that are live, those that lapse first before others. `next`: the first of the queue in its order. */
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
  leases: z.array(z.object({ attempt: Attempt, title: z.string() })),
  queue: z.object({
    byStatus: z.record(z.string(), z.int()),
    waitingFor: z.partialRecord(z.enum(WAITS), z.int()),
    oldestAt: MaybeInstant,
    next: z.array(Task),
  }),
})
