import { type RawBuilder, sql } from 'kysely'
import type { Address, TaskId } from '../../../domain/ids'
import { FINAL_TASK_STATUSES, type TaskStanding } from '../../../domain/task/task'
import type { ReadContext } from '../../sql/read-context'

/** Characters of an output. */
const SHOWN = 4_000

/** @see TaskReads.standing */
export async function standing(
  { db }: ReadContext,
  of: { ids: readonly TaskId[] } | { openFor: Address },
  limit: number,
): Promise<TaskStanding[]> {
  if ('ids' in of && of.ids.length === 0) return []
  const where = 'ids' in of ? sql`public_id in (${sql.join(of.ids)})` : isOpenFor(of.openFor)
  const { rows } = await sql<TaskStanding & { length: number | null }>`
    select public_id as "taskId", title, status, parent_task_id as "parentTaskId", plan_key as "planKey", progress,
           substr(output, 1, ${sql.lit(SHOWN)}) as output, length(output) as length, failure_reason as "failureReason",
           reply_to as "replyTo"
      from tasks where ${where} order by id limit ${limit}`.execute(db)
  return rows.map(({ length, ...row }) => ({ ...row, isCut: Number(length ?? 0) > SHOWN }))
}

export async function countOpenFor({ db }: ReadContext, address: Address): Promise<number> {
  const { rows } = await sql<{
    count: number
  }>`select count(*) as count from tasks where ${isOpenFor(address)}`.execute(db)
  return Number(rows[0]?.count ?? 0)
}

const isOpenFor = (address: Address): RawBuilder<unknown> =>
  sql`reply_to = ${address} and status not in (${sql.join(FINAL_TASK_STATUSES)})`
