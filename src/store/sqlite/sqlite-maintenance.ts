import { AppError } from '../../domain/errors'
import type { MaintenanceTask } from '../sql/kept-store'
import { openSqlite, type SqliteConnection } from './sqlite-connection'
import { isBusy, mapSqliteError } from './sqlite-errors'

/** Pages of the full-text index that one merge step may write: a step holds the write lock for some milliseconds. */
const MERGE_PAGES = 500

/**
 * Does one maintenance task on a connection of its own, in the calling thread.
 *
 * @param waitMs  how long to try again while others use the database.
 * @see KeptStore.maintain
 */
export async function maintainSqlite(path: string, task: MaintenanceTask, waitMs = 10_000): Promise<void> {
  const connection = openSqlite(path, { role: 'write' })
  try {
    const deadline = performance.now() + (task === 'scrub' ? waitMs : 0)
    if (task === 'scrub') await optimizeText(connection, deadline)
    const isEmptied = await checkpoint(connection, deadline)
    if (!isEmptied && task === 'scrub') throw busyError(path)
  } catch (thrown) {
    throw mapSqliteError(thrown, path)
  } finally {
    connection.close()
  }
}

const busyError = (path: string): AppError =>
  new AppError('unavailable', 'Other processes kept using the database; its files may still hold what was forgotten.', {
    hint: 'Try again when fewer processes use it.',
    details: { path },
  })

/**
 * Merges the whole full-text index into one segment, step by step: what was deleted leaves its pages only by a merge, and
 * one big `optimize` would hold the write lock for seconds.
 */
async function optimizeText(connection: SqliteConnection, deadline: number): Promise<void> {
  let pages = -MERGE_PAGES
  for (;;) {
    let before = 0
    let after = 0
    await retry(connection, deadline, () => {
      before = totalChanges(connection)
      connection.run(`insert into event_text (event_text, rank) values ('merge', ?)`, pages)
      after = totalChanges(connection)
    })
    // SQLite's documented sign that there is nothing left to merge.
    if (after - before < 2) return
    pages = MERGE_PAGES
    await Bun.sleep(0)
  }
}

const totalChanges = (connection: SqliteConnection): number =>
  connection.get<{ changes: number }>('select total_changes() as changes')?.changes ?? 0

/** Empties the write-ahead log; readers of old pages and writers keep it from being emptied for as long as they last. */
async function checkpoint(connection: SqliteConnection, deadline: number): Promise<boolean> {
  for (;;) {
    const row = connection.get<{ busy: number }>('pragma wal_checkpoint(truncate)')
    if (row?.busy === 0) return true
    if (performance.now() >= deadline) return false
    await Bun.sleep(20)
  }
}

async function retry(connection: SqliteConnection, deadline: number, step: () => void): Promise<void> {
  for (;;) {
    try {
      step()
      return
    } catch (thrown) {
      if (!isBusy(thrown)) throw thrown
      if (performance.now() >= deadline) throw busyError(connection.path)
      await Bun.sleep(5)
    }
  }
}
