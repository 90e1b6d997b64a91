import { sql } from 'kysely'
import { type SessionId, sessionId } from '../../../domain/ids'
import type { OldSession, RetentionReads } from '../../../domain/session/retention'
import type { IssueLinkSource } from '../../../domain/session/session-issue'
import { FINAL_TASK_STATUSES } from '../../../domain/task/task'
import { programDriver } from '../../sql/program-driver'
import type { ReadContext } from '../../sql/read-context'
import { linksOf } from './session-issues'

/** Sessions whose links are looked for together. */
const LINKS_AT_ONCE = 200

/** Reads what is old enough to be forgotten. */
export function retentionReads({ db }: ReadContext): RetentionReads {
  const drive = programDriver(db)
  const heldByIssues = async (ids: readonly SessionId[], linkFrom: readonly IssueLinkSource[]) => {
    const held = new Set<SessionId>()
    for (let from = 0; from < ids.length; from += LINKS_AT_ONCE)
      for (const [id, { issues }] of await drive(linksOf(ids.slice(from, from + LINKS_AT_ONCE), linkFrom)))
        if (issues.some(({ isOver }) => !isOver)) held.add(id)
    return held
  }
  /** Conversations that tasks which are not over have, had last, are to have, or that their parents had last. */
  const heldByTasks = async (): Promise<Set<string | null>> => {
    const rows = await db
      .selectFrom('tasks')
      .leftJoin('tasks as parent', 'parent.id', 'tasks.parent_id')
      .select([
        'tasks.session_native_id',
        'tasks.last_session_native_id',
        'tasks.next_session_native_id',
        'parent.last_session_native_id as parent_session',
      ])
      .where('tasks.status', 'not in', FINAL_TASK_STATUSES)
      .execute()
    return new Set(
      rows.flatMap((row) => [
        row.session_native_id,
        row.last_session_native_id,
        row.next_session_native_id,
        row.parent_session,
      ]),
    )
  }
  return {
    async oldSessions(before, linkFrom) {
      const rows = await db
        .selectFrom('sessions')
        .select((q) => [
          'native_id',
          'title',
          'last_event_at',
          'process_state',
          q
            .selectFrom('journals')
            .innerJoin('incarnations', 'incarnations.journal_id', 'journals.id')
            .select((sum) => sum.fn.sum<number>('incarnations.size').as('bytes'))
            .whereRef('journals.session_id', '=', 'sessions.id')
            .as('bytes'),
        ])
        .where('last_event_at', 'is not', null)
        // As the index has it.
        .where(sql<boolean>`coalesce(sessions.last_event_at, 0) < ${before}`)
        .orderBy(sql`coalesce(sessions.last_event_at, 0)`)
        .execute()
      const ids = rows.map((row) => sessionId(row.native_id))
      const [tasks, issues] = await Promise.all([heldByTasks(), heldByIssues(ids, linkFrom)])
      return rows.map((row): OldSession => {
        const id = sessionId(row.native_id)
        const isAlive = row.process_state === 'alive'
        const heldBy = isAlive ? 'process' : tasks.has(id) ? 'task' : issues.has(id) ? 'issue' : null
        return { id, title: row.title, lastEventAt: row.last_event_at ?? 0, bytes: Number(row.bytes ?? 0), heldBy }
      })
    },
  }
}
