import { sql } from 'kysely'
import type { RecordedCost } from '../../domain/cost/cost'
import { type TaskId, type TaskKey, taskId, taskKey } from '../../domain/ids'
import { modelUsage } from '../record/model-usage'
import type { ReadContext } from '../sql/read-context'
import { GrowingCosts } from './message-sums'

/**
 * What these tasks' conversations come to while the tasks had them, as `CostReads.sum` counts it by task. Tasks without a message are
 * left out.
 *
 * @param keys  a few hundred at most
 */
export async function readTaskCosts(
  { db, capabilities, costOf }: ReadContext,
  keys: readonly TaskKey[],
): Promise<ReadonlyMap<TaskKey, RecordedCost>> {
  if (keys.length === 0) return new Map()
  const rows = await db
    .selectFrom('usage_tasks')
    .selectAll()
    .where((eb) => capabilities.inKeys(eb.ref('task_id'), keys))
    // Fractions give the same sum only in the same order.
    .orderBy('session_id')
    .orderBy('model')
    .execute()
  const growing = new Map<TaskKey, GrowingCosts>()
  for (const row of rows) {
    const key = taskKey(row.task_id)
    const own = growing.get(key) ?? new GrowingCosts()
    growing.set(key, own)
    own.add(row, costOf(modelUsage(row)))
  }
  return new Map(
    [...growing].map(([key, costs]) => {
      const { messages: _, ...cost } = costs.sums()
      return [key, cost]
    }),
  )
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
