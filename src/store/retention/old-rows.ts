import { type Kysely, sql } from 'kysely'
import { address, type TaskId, type TaskKey } from '../../domain/ids'
import type { OldRowsTx } from '../../domain/old-rows'
import { FINAL_TASK_STATUSES } from '../../domain/task/task'
import type { Schema } from '../sql/tables'

const FINAL = sql.join(FINAL_TASK_STATUSES.map((status) => sql.lit(status)))
const isOpen = (task: string) => sql`${sql.raw(task)}.status not in (${FINAL})`

/**
 * These old tasks stay: those with tasks below them (which go first), with an open parent, with a task that waits for them, in an epic or
 * plan with an open task, of an open issue, with an unread message, and those that a request of the inbox was handed to.
 */
const isFree = sql`not exists (select 1 from tasks c where c.parent_id = t.id)
  and not exists (select 1 from tasks p where p.id = t.parent_id and ${isOpen('p')})
  and not exists (select 1 from task_dependencies d join tasks w on w.id = d.task_id where d.depends_on = t.id and ${isOpen('w')})
  and not exists (select 1 from tasks e where e.epic_id = t.epic_id and ${isOpen('e')})
  and not exists (select 1 from tasks l where l.plan_id = t.plan_id and ${isOpen('l')})
  and not exists (select 1 from issues i where i.public_id in (t.issue_id, t.epic_id) and i.closed_at is null)
  and not exists (select 1 from messages m where m.to_address = t.public_id and m.status in ('produced', 'queued', 'delivered'))
  and not exists (select 1 from inbox_tasks x where x.task_public_id = t.public_id)`

/** The port over one unit. */
export const oldRows = (db: () => Kysely<Schema>): OldRowsTx => ({
  async dropFeed(before, limit) {
    const { numAffectedRows = 0n } = await sql`
      delete from feed where seq in (select o.seq from feed o where o.seq is not null order by o.seq limit ${sql.lit(limit)})
        and at < ${before} and seq < (select max(n.seq) from feed n)`.execute(db())
    return Number(numAffectedRows)
  },

  async dropTasks(before, limit) {
    const unit = db()
    const { rows } = await sql<{ id: TaskKey; public_id: TaskId }>`
      select t.id, t.public_id from tasks t where t.finished_at < ${before} and t.status in (${FINAL}) and ${isFree}
       order by t.finished_at limit ${sql.lit(limit)}`.execute(unit)
    if (rows.length === 0) return 0
    const keys = rows.map(({ id }) => id)
    const addresses = rows.map(({ public_id }) => address(public_id))
    await unit
      .deleteFrom('message_steps')
      .where('message_seq', 'in', (q) => q.selectFrom('messages').select('seq').where('to_address', 'in', addresses))
      .execute()
    await unit.deleteFrom('messages').where('to_address', 'in', addresses).execute()
    for (const table of ['questions', 'offers', 'rejections', 'task_log', 'attempts'] as const)
      await unit.deleteFrom(table).where('task_id', 'in', keys).execute()
    await unit
      .deleteFrom('task_dependencies')
      .where((q) => q.or([q('task_id', 'in', keys), q('depends_on', 'in', keys)]))
      .execute()
    await unit.deleteFrom('tasks').where('id', 'in', keys).execute()
    return rows.length
  },
})
