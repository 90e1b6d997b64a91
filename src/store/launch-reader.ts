import type { LaunchReads } from '../domain/launch'
import { openSqlite } from './dialect/sqlite-connection'
import { isBusy } from './dialect/sqlite-errors'
import { readApplied } from './dialect/sqlite-migration'
import { unreadLaunches } from './launch-facts'
import { requireCurrent } from './migrator'

/** Milliseconds that the read waits for a lock that stands in its way: an agent is about to act. */
const BUSY_MS = 50

/**
 * Opens the embedded database for the guard of launches: one connection that can't write, and nothing loaded but SQLite itself.
 *
 * @throws `not_found`  no database yet
 * @throws `schema_mismatch`  it is older than the tables that are read here
 */
export function openLaunchReader(path: string): LaunchReads & { close(): void } {
  const connection = openSqlite(path, { role: 'read', cacheKiB: 2_048 })
  try {
    requireCurrent(readApplied(connection))
  } catch (thrown) {
    connection.close()
    throw thrown
  }
  const retried = <T>(read: () => T): T => {
    for (const end = performance.now() + BUSY_MS; ; Bun.sleepSync(2)) {
      try {
        return read()
      } catch (thrown) {
        if (!isBusy(thrown) || performance.now() > end) throw thrown
      }
    }
  }
  return {
    async unread(asked) {
      const program = unreadLaunches(asked)
      let step = program.next()
      while (!step.done) {
        const { sql, params } = step.value
        step = program.next(retried(() => connection.all(sql, ...params)))
      }
      return step.value
    },
    close: () => connection.close(),
  }
}
