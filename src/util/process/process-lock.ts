import { Database } from 'bun:sqlite'
import { closeSync, openSync } from 'node:fs'

export interface ProcessLock {
  release(): void
}

/**
 * Takes a lock that the operating system frees when the process dies, however it dies; `null` = another process has it.
 *
 * Bun has no `flock`; an exclusive SQLite transaction on an otherwise empty file holds the same kind of lock on every system.
 */
export function tryProcessLock(path: string): ProcessLock | null {
  // SQLite would make it with the usual permissions, and gives its own journal those of the file.
  closeSync(openSync(path, 'a', 0o600))
  const db = new Database(path, { readwrite: true })
  try {
    db.run('pragma busy_timeout = 0')
    db.run('pragma journal_mode = delete')
    db.run('begin exclusive')
  } catch (error) {
    db.close()
    if ((error as { errno?: number }).errno === 5) return null
    throw error
  }
  return {
    release() {
      db.run('rollback')
      db.close()
    },
  }
}
