import type { Address, TaskId, TaskKey } from './ids'
import type { Maybe } from './record-store'

/** What there is for an address, and whom it waits for. */
export interface Mail {
  /** Tasks that it spawned in the background and that go on by themselves: neither over nor in the backlog. */
  openChildren: number
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
  /** Of these tasks those for which messages wait or fly, by their addresses. */
  mailOf(tasks: readonly TaskKey[]): Maybe<{ taskKey: TaskKey; to: Address }[]>
  mailAt(of: Address): Maybe<Mail>
  /** Tasks that went on in the conversation of this address, the newest first; at most `limit`. */
  speakersFor(of: Address, limit: number): Maybe<{ id: TaskId; isOpen: boolean }[]>
  /** Attempts of the task that came to a good end: it was taken up again after each but the last. */
  completedAttempts(task: TaskKey): Maybe<number>
}
