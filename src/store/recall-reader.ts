import type { SessionId } from '../domain/ids'
import type { WaitingMail } from '../domain/message-offer'
import type { RecallReads } from '../domain/recall'
import { openSqlite, type SqliteConnection } from './dialect/sqlite-connection'
import { isBusy } from './dialect/sqlite-errors'
import { readApplied } from './dialect/sqlite-migration'
import { requireCurrent } from './migrator'
import { changes } from './recall-changes'
import { company, left } from './recall-company'
import { sessionFacts } from './recall-facts'
import { issueOf, readyIssues } from './recall-issues'
import type { Program } from './record/program'
import { sessionMail } from './session-mail'

export interface RecallReader extends RecallReads {
  /** What waits at the session's address. */
  mail(session: SessionId, now: number): Promise<WaitingMail>
  close(): void
}

/** Milliseconds that a read waits for a lock that stands in its way; readers of a WAL file hardly ever meet one. */
const BUSY_MS = 200

/**
 * Opens the embedded database for hooks: one connection that can't write, and nothing loaded but SQLite itself.
 *
 * @throws `not_found`  no database yet
 * @throws `schema_mismatch`  it is older than the tables that are read here
 */
export function openRecallReader(path: string): RecallReader {
  const connection = openSqlite(path, { role: 'read', cacheKiB: 2_048 })
  try {
    requireCurrent(readApplied(connection))
  } catch (thrown) {
    connection.close()
    throw thrown
  }
  return {
    session: async (id) => drive(connection, sessionFacts(id)),
    issue: async (...call) => drive(connection, issueOf(...call)),
    company: async (...call) => drive(connection, company(...call)),
    left: async (...call) => drive(connection, left(...call)),
    changes: async (...call) => drive(connection, changes(...call)),
    ready: async (folder, limit) => drive(connection, readyIssues(folder, limit)),
    mail: async (session, now) => drive(connection, sessionMail(session, now)),
    close: () => connection.close(),
  }
}

function drive<T>(connection: SqliteConnection, program: Program<T>): T {
  let step = program.next()
  while (!step.done) {
    const { sql, params } = step.value
    step = program.next(retried(() => connection.all(sql, ...params)))
  }
  return step.value
}

function retried<T>(read: () => T): T {
  for (const end = performance.now() + BUSY_MS; ; Bun.sleepSync(2)) {
    try {
      return read()
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() > end) throw thrown
    }
  }
}
