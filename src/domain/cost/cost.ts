import type { AgentName, SessionId, TaskId } from '../ids'
import type { CostGroup } from '../overview/tree-entry'
import type { CostStep } from './periods'
import type { Cost } from './price'
import type { Usage } from './usage'
import type { TimeZone } from './zone-days'

/** Which messages are summed, and by what. Times in milliseconds. */
export interface CostRequest {
  by: CostGroup
  /** Messages from this time on. */
  since?: number
  /** Messages before this time. */
  until?: number
  /** A project's key in the tree, its folder or its name; `null` = of no project. */
  project?: string | null
  model?: string
  /** Only sessions of this agent CLI. */
  agent?: AgentName
  sessionId?: SessionId
  taskId?: TaskId
  /** The time zone of the days. */
  timeZone: TimeZone
  /** Rows of the answer. */
  limit: number
  /** Only this row, by its `key`, which rows of sessions and tasks lack; the total sums all rows. */
  key?: string
}

/** The usage of some messages. */
export interface CostSums extends Cost {
  usage: Usage
  messages: number
}

export interface CostRow extends CostSums {
  /** Exact: a project's id in the tree, a day, a model, an agent CLI, a kind of agent, a session's or a task's id. '' = of none. */
  key: string
  label: string
  sessionId: SessionId | null
  taskId: TaskId | null
  /** Sessions only. */
  agentCli: AgentName | null
  lastAt: string | null
}

/** The dearest first, days newest first; each message in one row. */
export interface Costs {
  by: CostGroup
  rows: CostRow[]
  /** Sums all rows, those beyond the limit too. */
  total: CostSums
  /** Sub-agents of whose own lines none is recorded, of the same sessions and time: they are in no row, and in no sum. */
  unknownAgents: number
  /** Models that were used and have no price. */
  unpriced: string[]
  /** Models that are not on the price list: their part of the sums is an estimate, by the nearest version of their family. */
  estimated: string[]
  /** Models that are not on the price list either: their part of the sums is what their agent CLI states. */
  stated: string[]
  isCut: boolean
}

/** By what costs over time are split. */
export const COST_STACKS = ['model', 'agent', 'project', 'subagent', 'person'] as const
export type CostStack = (typeof COST_STACKS)[number]

/** What costs over time are asked of. */
export interface CostTimeRequest extends Omit<CostRequest, 'by' | 'limit' | 'since'> {
  since: number
  step: CostStep
  stack: CostStack
}

export interface CostPart {
  /** Index of the stack. */
  stack: number
  costUsd: number | null
  tokens: number
}

/** Costs by period, each split by the same stacks. */
export interface CostsOverTime {
  /** The dearest first; those that are left are one, whose key is null. */
  stacks: { key: string | null; label: string; costUsd: number | null; isEstimate: boolean; tokens: number }[]
  /** Oldest first; periods without a message are left out. */
  periods: { begin: string; parts: CostPart[] }[]
  /** What was made in the same time, whoever made it; `null` = the costs are narrowed by more than time. */
  made: {
    completedTasks: number
    taskCostUsd: number | null
    pullRequests: number
    /** Made by sessions at any time, and merged in this one. */
    mergedRequests: number
    commits: number
  } | null
}

/** The usage of a task's conversations by their recorded messages, of each while the task had it. */
export type RecordedCost = Omit<CostSums, 'messages'>

/** What a resume or a fork of a conversation reads again: all that its model held last. */
export interface Replay extends Cost {
  /** Tokens of its last message: input, cached or not, and output. */
  tokens: number
  model: string
  /** When that message came. */
  at: string
}

export interface CostReads {
  /** Its cost is that of writing it to the prompt cache, which is over when nobody spoke for some minutes. `null` = no message is recorded. */
  replay(session: SessionId): Promise<Replay | null>
  /**
   * Sums up messages of the model, each once. A message of a session that went through several tasks is of the one that had the session
   * when it came.
   *
   * @throws `not_found` no such project, session or task
   */
  sum(request: CostRequest): Promise<Costs>
  /**
   * The same messages by hour, day or week.
   *
   * @throws `not_found` no such project, session or task
   */
  overTime(request: CostTimeRequest): Promise<CostsOverTime>
  /** What `sum` says by task, of a few hundred tasks at most, along indexes. Tasks of which no message is recorded are left out. */
  ofTasks(tasks: readonly TaskId[]): Promise<ReadonlyMap<TaskId, RecordedCost>>
}
