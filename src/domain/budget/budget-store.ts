import type { TaskId, TaskKey } from '../ids'
import type { Awaitable } from '../port'
import type { Budget, BudgetRow, UsageLimit } from './budget'

/** What a count of a budget gave. */
export interface BudgetCount {
  name: string
  /** The counted row: a budget with the same name that was added since is another one. */
  key: number
  used: number
  /** When the counted period ends, in milliseconds; `null` = never. */
  usedUntil: number | null
  isEstimate: boolean
}

/** That a task waits for a budget. */
export interface BudgetHold {
  taskKey: TaskKey
  budget: string
  /** When the budget's period ends, in milliseconds; `null` = never. */
  until: number | null
}

export interface BudgetTx {
  all(): Awaitable<BudgetRow[]>
  find(name: string): Awaitable<BudgetRow | undefined>
  insert(row: Omit<BudgetRow, 'key'>): Awaitable<void>
  update(name: string, patch: Partial<Omit<BudgetRow, 'key' | 'name'>>): Awaitable<void>
  /** @returns whether there was one */
  remove(name: string): Awaitable<boolean>
  /** One budget holds a task at a time: the last one that did. */
  hold(hold: BudgetHold): Awaitable<void>
  holdOf(task: TaskKey): Awaitable<BudgetHold | undefined>
  /** Tasks that wait for a budget. */
  heldBy(budget: string): Awaitable<TaskKey[]>
  release(task: TaskKey): Awaitable<void>
  /** Key in the tree of the project in which a task works; `null` = none. */
  projectOf(task: TaskKey): Awaitable<string | null>
  /** Tasks in progress. */
  tasksAtWork(): Awaitable<TaskKey[]>
}

export interface BudgetReads {
  /** By name. @param counts  newer than those of the rows */
  all(now: number, counts: readonly BudgetCount[]): Promise<Budget[]>
  /** To be counted. */
  rows(): Promise<BudgetRow[]>
  /** A project's key in the tree, by its key, folder or name; `undefined` = there is none. */
  projectKey(given: string): Promise<string | undefined>
  /** That stand at `now`, by the agent's name. */
  usageLimits(now: number): Promise<UsageLimit[]>
  /** A task and all below it, by both links. */
  tree(task: TaskId): Promise<TaskId[]>
}
