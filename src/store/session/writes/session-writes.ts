import type { Kysely } from 'kysely'
import type { SessionWrites } from '../../../domain/session/session-store'
import { programDriver } from '../../sql/program-driver'
import type { Schema } from '../../sql/tables'
import { markRead } from './read-marks'
import { forgetSession } from './session-forget'
import { setShell } from './shell-processes'

/** Writes sessions, inside a unit of work. `deleteText` removes a session's events from the full-text index. */
export function sessionWrites(
  db: Kysely<Schema>,
  now: number,
  deleteText: (db: Kysely<Schema>, session: number) => Promise<unknown>,
): SessionWrites {
  return {
    async setProcess(key, hostKey, process) {
      let update = db
        .updateTable('sessions')
        .set({
          process_id: process.id,
          process_started: process.started,
          process_state: process.state,
          process_at: process.at,
          ...(process.state === 'alive' && { live_at: process.at }),
          process_host_id: hostKey,
        })
        .where('id', '=', key)
      if (process.state === 'gone')
        update = update.where((eb) =>
          eb.or([
            eb('process_state', 'is', null),
            eb('process_state', '=', 'gone'),
            eb('process_host_id', 'is', null),
            eb('process_host_id', '=', hostKey),
          ]),
        )
      const { numUpdatedRows } = await update.executeTakeFirst()
      return numUpdatedRows > 0n
    },
    markRead: (key, subagent, run, by) => programDriver(db)(markRead(key, subagent, run, by, now)),
    setShell: (key, shell) => programDriver(db)(setShell(key, shell)),
    forget: (key, todos) => forgetSession(db, key, now, deleteText, todos),
  }
}
