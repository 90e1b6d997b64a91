import { sql } from 'kysely'
import { type PlanId, planId } from '../../../domain/ids'
import type { Plan } from '../../../domain/task/plan'
import type { Task } from '../../../domain/task/task'
import { isoTime, type ReadContext } from '../../sql/read-context'
import { toTask } from '../shown'
import { selectShown } from './tasks'

/** @see TaskReads.findPlan */
export async function findPlan(context: ReadContext, id: PlanId): Promise<{ plan: Plan; tasks: Task[] } | undefined> {
  const row = await context.db
    .selectFrom('plans')
    .select(['public_id', 'title', 'creator', 'created_at'])
    .where('public_id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const tasks = await selectShown(context, [sql`t.plan_id = ${id}`], sql`t.id`)
  const { title, creator } = row
  return {
    plan: { id: planId(row.public_id), title, creator, createdAt: isoTime(row.created_at) },
    tasks: tasks.map(toTask),
  }
}
