import type { SessionId } from '../ids'
import type { Awaitable } from '../port'
import type { Handoff } from './recall'

/** Hand-overs of all machines, where the database is shared. */
export interface HandoffReads {
  /** Newest first: all, or those that nobody got. */
  newest(limit: number, which?: 'all' | 'open'): Promise<Handoff[]>
}

export interface HandoffTx {
  /** Adds one, given or not; one of the same id stays as it is. */
  add(handoff: Handoff): Awaitable<void>
  /** @returns whether this call gave it to `session` */
  take(id: string, session: SessionId): Awaitable<boolean>
  /** Removes what the session wrote. @returns how many there were */
  forget(session: SessionId): Awaitable<number>
}
