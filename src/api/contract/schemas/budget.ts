import * as z from 'zod/mini'
import { BUDGET_ACTIONS, BUDGET_PERIODS, BUDGET_STATES, BUDGET_UNITS } from '../../../domain/budget/budget'
import { AgentNameSchema } from './record/session'
import { COST, Instant, MaybeInstant, MaybeText, taskIdSchema } from './scalars'

/**
 * `project`: a key in the tree. `most`: the limit in `unit`, and `extra` what a person allowed beyond it in this period. `used`: in this
 * period. `heldTasks`: those that wait for it.
 */
const Budget = z.object({
  name: z.string(),
  project: MaybeText,
  projectName: MaybeText,
  agentCli: z.nullable(AgentNameSchema),
  subagent: MaybeText,
  taskId: z.nullable(taskIdSchema),
  period: z.enum(BUDGET_PERIODS),
  zone: z.string(),
  unit: z.enum(BUDGET_UNITS),
  most: z.number(),
  extra: z.number(),
  action: z.enum(BUDGET_ACTIONS),
  used: z.nullable(z.number()),
  isEstimate: z.boolean(),
  state: z.enum(BUDGET_STATES),
  periodUntil: MaybeInstant,
  countedAt: MaybeInstant,
  heldTasks: z.array(taskIdSchema),
  createdAt: Instant,
})

/** That the provider of an agent CLI refuses a worker's runs, by the CLI's word. */
const UsageLimit = z.object({ agentName: z.string(), agentCli: z.nullable(AgentNameSchema), until: Instant })

/** How much of a subscription's window is used, by what an agent CLI of the server's machine said last. */
const UsageWindow = z.object({
  agentCli: AgentNameSchema,
  window: z.string(),
  usedPercent: z.number(),
  resetsAt: z.nullable(Instant),
  at: Instant,
})

export const Budgets = z.object({
  budgets: z.array(Budget),
  usageLimits: z.array(UsageLimit),
  usageWindows: z.array(UsageWindow),
})
export const SavedBudget = z.object({ budget: Budget })
/** `replay`: `null` where no message of the model is recorded. */
export const SessionReplay = z.object({
  replay: z.nullable(z.object({ tokens: z.int(), model: z.string(), at: Instant, ...COST })),
})
