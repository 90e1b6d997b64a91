import type { Store } from '../../domain/store'

/**
 * - `checkpoint`  SQLite: copies the write-ahead log into the database and empties it; do it when little is going on
 * - `scrub`       after something was forgotten: makes sure that its bytes are in none of the database's files
 */
export type MaintenanceTask = 'checkpoint' | 'scrub'

/** The store with what its keeper may do. */
export interface KeptStore extends Store {
  /**
   * Does a maintenance task. On SQLite it works in the calling thread, some milliseconds at a time for `scrub` and one disk
   * write for `checkpoint`: a server calls it in a thread of its own.
   *
   * A `checkpoint` that others are in the way of is left for the next time.
   *
   * @throws `unavailable`  `scrub`: others used the database all the time; the bytes may still be there
   * @throws `storage_readonly` `storage_full` `storage_corrupt`
   */
  maintain(task: MaintenanceTask): Promise<void>
}
