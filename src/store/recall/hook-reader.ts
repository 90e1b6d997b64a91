import { requireCurrent } from '../sql/migrator'
import type { Program } from '../sql/program'
import { openSqlite } from '../sqlite/sqlite-connection'
import { isBusy } from '../sqlite/sqlite-errors'
import { readApplied } from '../sqlite/sqlite-migration'

/** The embedded database as hooks read it, whose agent waits: one connection that can't write, and nothing loaded but SQLite itself. */
export interface HookReader {
  drive<T>(program: Program<T>): T
  close(): void
}

/**
 * @param busyMs  milliseconds that a read waits for a lock that stands in its way; readers of a WAL file hardly ever meet one
 * @throws `not_found`  no database yet
 * @throws `schema_mismatch`  it is older than the tables that are read here
 */
export function openHookReader(path: string, busyMs: number): HookReader {
  const connection = openSqlite(path, { role: 'read', cacheKiB: 2_048 })
  try {
    requireCurrent(readApplied(connection))
  } catch (thrown) {
    connection.close()
    throw thrown
  }
  const retried = <T>(read: () => T): T => {
    for (const end = performance.now() + busyMs; ; Bun.sleepSync(2)) {
      try {
        return read()
      } catch (thrown) {
        if (!isBusy(thrown) || performance.now() > end) throw thrown
      }
    }
  }
  return {
    drive(program) {
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
