import { sql } from 'kysely'
import type { RecordedCost } from '../../domain/cost/cost'
import { type TaskId, type TaskKey, taskId, taskKey } from '../../domain/ids'
import { modelUsage } from '../record/model-usage'
import { readSessionTotals } from '../session/reads/usage-totals'
import type { ReadContext } from '../sql/read-context'
import { GrowingCosts, MESSAGE_SUMS, type MessageSums } from './message-sums'
import { isInSpan, readSpansOf, type TaskSpan } from './task-spans'

/**
 * What these tasks' conversations come to while the tasks had them, as `CostReads.sum` counts it by task: sessions of one task by the
 * sums that the record keeps, those of several by their messages, which the database adds up. Tasks without a message are left out.
 *
 * @param keys  a few hundred at most
 */
export async function readTaskCosts(
  context: ReadContext,
  keys: readonly TaskKey[],
): Promise<ReadonlyMap<TaskKey, RecordedCost>> {
  if (keys.length === 0) return new Map()
  const asked = new Set<number>(keys)
  const alone = new Map<number, number>()
  const shared: [number, TaskSpan[]][] = []
  for (const [session, spans] of await readSpansOf(context, keys)) {
    const [first] = spans
    if (spans.length === 1 && first !== undefined) alone.set(session, first.task)
    else shared.push([session, spans])
  }
  const [totals, parts] = await Promise.all([
    readSessionTotals(context, [...alone.keys()]),
    readShared(context, shared, asked),
  ])
  const growing = new Map<TaskKey, GrowingCosts>()
  const add = (task: number | null | undefined, row: MessageSums) => {
    if (task === null || task === undefined || row.messages === 0) return
    const key = taskKey(task)
    const own = growing.get(key) ?? new GrowingCosts()
    growing.set(key, own)
    own.add(row, context.costOf(modelUsage(row)))
  }
  for (const row of totals) add(alone.get(row.session_id), { ...row, last_at: null })
  for (const { task, ...row } of parts) add(task, row)
  return new Map(
    [...growing].map(([key, costs]) => {
      const { messages: _, ...cost } = costs.sums()
      return [key, cost]
    }),
  )
}

/** Messages of sessions that went through several tasks, by the task that had the session, of those that are asked for. */
async function readShared(
  { db, capabilities }: ReadContext,
  sessions: readonly (readonly [number, readonly TaskSpan[]])[],
  asked: ReadonlySet<number>,
): Promise<(MessageSums & { task: number | null })[]> {
  if (sessions.length === 0) return []
  const cases = sessions.map(([session, spans]) => {
    const own = spans.flatMap(({ task }, at) =>
      asked.has(task) ? [sql`when ${isInSpan(spans, at)} then ${sql.lit(task)}`] : [],
    )
    return sql`when u.session_id = ${session} then case ${sql.join(own, sql` `)} end`
  })
  const keys = sessions.map(([session]) => session)
  const { rows } = await sql<MessageSums & { task: number | null }>`
    select case ${sql.join(cases, sql` `)} end as task, ${sql.raw(MESSAGE_SUMS)} from usage_messages u
     where ${capabilities.inKeys(sql.ref<number>('u.session_id'), keys)} group by 1, u.model
  `.execute(db)
  return rows
}

/** The same by the ids that people know. Ids of no task are left out. */
export async function readCostsOf(
  context: ReadContext,
  ids: readonly TaskId[],
): Promise<ReadonlyMap<TaskId, RecordedCost>> {
  if (ids.length === 0) return new Map()
  const { db, capabilities } = context
  const rows = await db
    .selectFrom('tasks')
    .select(['id', 'public_id'])
    .where(capabilities.inTexts(sql.ref('public_id'), ids))
    .execute()
  const costs = await readTaskCosts(
    context,
    rows.map(({ id }) => taskKey(id)),
  )
  return new Map(
    rows.flatMap(({ id, public_id }) => {
      const cost = costs.get(taskKey(id))
      return cost === undefined ? [] : [[taskId(public_id), cost] as const]
    }),
  )
}
