import type { Agent } from '../agent'
import type { Attempt, ShownTaskStatus, Task, Wait } from '../task/task'

/** A machine where agents run. */
export interface FleetHost {
  /** The installation's own name, or the hostname where that is not known. */
  name: string
  hostname: string
  lastSeenAt: string | null
  agents: number
  liveSessions: number
  liveAttempts: number
}

/** The agents at work, and the tasks that wait for them. */
export interface Fleet {
  hosts: FleetHost[]
  agents: Agent[]
  /** Attempts that are live, those that lapse first before others. */
  leases: {
    attempt: Attempt
    title: string
    /** It asked a person, and has no answer yet. */
    isWaiting: boolean
  }[]
  queue: {
    /** Tasks that are not over. */
    byStatus: Partial<Record<ShownTaskStatus, number>>
    /** Counts `pending` tasks. */
    waitingFor: Partial<Record<Wait, number>>
    /** When the oldest of those that are to be taken was made. */
    oldestAt: string | null
    /** The first ones of the queue in its order. */
    next: Task[]
  }
}

export interface FleetReads {
  /** @param now  milliseconds since the epoch: sessions are live as of then */
  /** @param textLimit  as of `TaskReads.list` */
  show(now: number, textLimit?: number): Promise<Fleet>
}
