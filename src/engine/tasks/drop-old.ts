import type { Store, WriteTx } from '../../domain/store'
import { DAY_MS } from '../../domain/time-units'

/** How long what is over is kept, in days; `null` = for ever. */
export interface KeptDays {
  feedDays: number | null
  taskDays: number | null
}

export interface DroppedRows {
  entries: number
  tasks: number
}

/** Rows that one unit removes: some milliseconds. */
const ENTRIES_AT_ONCE = 1_000
const TASKS_AT_ONCE = 50

/**
 * Removes entries of the feed and tasks that are older than this many days, in units beside which others get their turn.
 */
export async function dropOld(store: Pick<Store, 'write'>, { feedDays, taskDays }: KeptDays): Promise<DroppedRows> {
  // A parent goes after its children, so that there is more until nothing goes.
  const all = async (days: number | null, drop: (tx: WriteTx, before: number) => Promise<number>) => {
    for (let total = 0; days !== null; ) {
      const done = await store.write((tx) => drop(tx, tx.now - days * DAY_MS), { weight: 'bulk' })
      total += done
      if (done === 0) return total
    }
    return 0
  }
  return {
    entries: await all(feedDays, (tx, before) => tx.old.dropFeed(before, ENTRIES_AT_ONCE)),
    tasks: await all(taskDays, (tx, before) => tx.old.dropTasks(before, TASKS_AT_ONCE)),
  }
}
