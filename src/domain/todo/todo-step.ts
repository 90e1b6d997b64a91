import type { SessionKey, SubagentKey } from '../ids'
import type { TodoChange, TodoStatus } from '../record/observation'
import type { TodoChangeEntry } from './todo-history'

/** The author of a change: an agent of a session. The database's keys are only passed through. */
export interface TodoNode {
  session: SessionKey
  subagent: SubagentKey | null
  /** The CLI's own ids. */
  sessionId: string
  subagentId: string | null
}

/** What one tool call did to a list: its parts (call and answer) in any order. */
export interface TodoStep {
  toolUseId: string
  /** Milliseconds; `null` sorts first. */
  at: number | null
  /** Place in a source without times: the order of steps of one time. */
  offset?: number | undefined
  /** The node that made the call; `null` = nobody that is known (the CLI's own file). */
  node: TodoNode | null
  parts: TodoChange[]
}

/** An item of a folded list, before it has a place in the database. Times in milliseconds. */
export interface FoldedTodo {
  id: string
  /** Hexadecimal; where `id` is taken by another list's item, a longer part of this stands for it. */
  hash: string
  nativeId: string | null
  ordinal: number
  content: string
  activeForm: string | null
  description: string | null
  owner: string | null
  blockedBy: string[]
  status: TodoStatus
  /** The agent that made it. */
  node: TodoNode | null
  /** The agent that changed it last. */
  changedBy: TodoNode | null
  createdAt: number | null
  updatedAt: number | null
  /**
   * When it was completed: the first moment from which on it was completed without a break. Saying it again moves nothing, opening
   * it again clears it.
   */
  completedAt: number | null
  /** Oldest first, at most `HISTORY_LIMIT`. */
  history: TodoChangeEntry[]
}

export interface TodoFoldOptions {
  /** Items of a list that are kept, at least 1. What it holds now comes first, in order; then what it held last. */
  maxItems: number
  /** What becomes of an item that vanishes: it is kept as removed, or dropped as well. */
  onReplace: 'merge' | 'replace'
}

export const TODO_FOLD_DEFAULTS: TodoFoldOptions = { maxItems: 1_000, onReplace: 'merge' }

/** A list as it stands. */
export interface FoldedTodos {
  items: FoldedTodo[]
  /** Items that the list holds beyond the limit. */
  leftOut: number
}

/** One kind of change. */
export type TodoPart<Op extends TodoChange['op']> = Extract<TodoChange, { op: Op }>

/** The step's part of that kind. */
export const partOf = <Op extends TodoChange['op']>(step: TodoStep, op: Op): TodoPart<Op> | undefined =>
  step.parts.find((candidate): candidate is TodoPart<Op> => candidate.op === op)
