import { sql } from 'kysely'
import type { ReadContext } from '../../sql/read-context'

/** Before an index on open tasks: statuses of tasks that are not over. */
const OPEN = sql`status in ('backlog', 'unassigned', 'pending', 'in_progress', 'paused')`

/**
 * One statement of index look-ups, each as the sweep's own (`engine/tasks/runs/sweep.ts`).
 *
 * @see TaskReads.isSweepDue
 */
export async function isSweepDue({ db, capabilities }: ReadContext, lookMs: number, awayMs: number): Promise<boolean> {
  const now = capabilities.now()
  const { rows } = await sql<{ isDue: number }>`
    select case when
      (exists (select 1 from tasks where ${OPEN}) or exists (select 1 from attempts where ended_at is null))
      and (
        exists (select 1 from lease_clock where at < ${now} - ${lookMs} or at > ${now} + ${lookMs})
        or exists (select 1 from attempts where ended_at is null and lease_expires_at < ${now})
        or exists (select 1 from tasks where due_at <= ${now})
        or exists (select 1 from offers where expires_at <= ${now})
        or exists (select 1 from questions where status = 'open' and deadline <= ${now})
        or exists (select 1 from agents a where (a.last_seen_at is null or a.last_seen_at < ${now} - ${awayMs}) and (
          exists (select 1 from tasks t where t.agent_id = a.id and t.assigned_by in ('affinity', 'offer')
            and t.status in ('backlog', 'unassigned', 'pending'))
          or exists (select 1 from tasks t where t.agent_id = a.id and t.status = 'paused' and t.paused_by = 'shutdown')))
      ) then 1 else 0 end as "isDue"`.execute(db)
  return Number(rows[0]?.isDue) === 1
}
