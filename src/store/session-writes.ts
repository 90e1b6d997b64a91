import type { Kysely } from 'kysely'
import type { SessionWrites } from '../domain/store'
import { programDriver } from './program-driver'
import { markRead } from './read-marks'
import type { Schema } from './schema'
import { forgetSession } from './session-forget'
import { setShell } from './shell-processes'

/** Writes sessions, inside a unit of work. `deleteText` removes a session's events from the full-text index. */
export function sessionWrites(
  db: Kysely<Schema>,
  now: number,
  deleteText: (db: Kysely<Schema>, session: number) => Promise<unknown>,
): SessionWrites {
  return {
    async setProcess(key, process) {
      await db
        .updateTable('sessions')
        .set({
          process_id: process.id,
          process_started: process.started,
          process_state: process.state,
          process_at: process.at,
          ...(process.state === 'alive' && { live_at: process.at }),
        })
        .where('id', '=', key)
        .execute()
    },
    markRead: (key, subagent, run, by) => programDriver(db)(markRead(key, subagent, run, by, now)),
    setShell: (key, shell) => programDriver(db)(setShell(key, shell)),
    forget: (key, todos) => forgetSession(db, key, now, deleteText, todos),
  }
}
