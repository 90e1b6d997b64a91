import { TODO_STATUSES } from '../record/observation'
import { SHOWN_SESSION_STATUSES, SUBAGENT_STATUSES } from '../session/session'
import { SHOWN_TASK_STATUSES } from '../task/task'

/** What stands in the tree of all work, from the outside in. */
export const TREE_KINDS = ['project', 'task', 'session', 'subagent', 'shell', 'monitor', 'tool', 'todo'] as const
export type TreeKind = (typeof TREE_KINDS)[number]

/** A status of all kinds; a project has none. A call without an answer has its caller's: `running`, `waiting`, `stuck` or `unknown`. */
export const TREE_STATUSES = [
  ...new Set([...SHOWN_TASK_STATUSES, ...SHOWN_SESSION_STATUSES, ...SUBAGENT_STATUSES, ...TODO_STATUSES]),
] as const
export type TreeStatus = (typeof TREE_STATUSES)[number]

/** By what costs are summed. */
export const COST_GROUPS = ['project', 'day', 'model', 'agent', 'subagent', 'session', 'task'] as const
export type CostGroup = (typeof COST_GROUPS)[number]
