import type { Address, TaskId, TaskKey } from '../ids'
import type { Awaitable } from '../port'
import type { Wait } from '../task/task'

/** A task that is neither over nor in the backlog. */
export interface OpenChild {
  key: TaskKey
  id: TaskId
  waitingFor: Wait | null
}

/** What there is for an address. */
export interface Mail {
  /** Messages that wait for a route and are worth waking somebody: all but statuses. */
  waiting: number
  /** In flight. */
  flying: number
  /** In its transcript, but not read yet; statuses left out. */
  delivered: number
}

/**
 * Questions about what is for tasks, inside a unit of work. The address of a task is its own id, but for one that goes on in another's
 * conversation: that one's id is an alias, and it gets what is for the other.
 */
export interface MailTx {
  /** Those of these tasks for which messages wait or fly, by their addresses. */
  mailOf(tasks: readonly TaskKey[]): Awaitable<{ taskKey: TaskKey; to: Address }[]>
  mailAt(of: Address): Awaitable<Mail>
  /** Tasks that an agent or run made, that report to this address and that go on by themselves; at most `limit`. */
  openChildren(of: Address, limit: number): Awaitable<OpenChild[]>
  /** The task, if it goes on by itself. */
  openTask(task: TaskKey): Awaitable<OpenChild | undefined>
  /** Addresses of tasks that wait for others, oldest first. */
  awaiting(limit: number): Awaitable<Address[]>
  /** Tasks that went on in the conversation of this address, the newest first; at most `limit`. */
  speakersFor(of: Address, limit: number): Awaitable<{ id: TaskId; isOpen: boolean }[]>
  /** Attempts of the task that ended well: it was taken up again after each but the last. */
  completedAttempts(task: TaskKey): Awaitable<number>
}
