import { sql } from 'kysely'
import type { TaskId } from '../../../domain/ids'
import type { TaskNode } from '../../../domain/task/task'
import type { ReadContext } from '../../sql/read-context'
import { toTask } from '../shown'
import { selectShown } from './tasks'

/** Tasks that a tree shows. */
const TREE_LIMIT = 10_000

/** The task with everything below it: one query, which walks down level by level and stops at the limit. */
export async function taskTree(
  context: ReadContext,
  id: TaskId,
  textLimit?: number,
): Promise<{ root: TaskNode; isCut: boolean } | undefined> {
  const isBelow = sql<boolean>`t.id in (
    with recursive below(id) as (
      select id from tasks where public_id = ${id}
      union all
      select c.id from below join tasks c on c.parent_id = below.id
    ) select id from below limit ${sql.lit(TREE_LIMIT + 1)})`
  // A parent is older than its children: it comes before them, and what is cut off at the end is nobody's parent.
  const rows = await selectShown(context, [isBelow], sql`t.id`, textLimit)
  const nodes = new Map<number, TaskNode>()
  let root: TaskNode | undefined
  for (const row of rows.slice(0, TREE_LIMIT)) {
    const parent = row.parentKey === null ? undefined : nodes.get(row.parentKey)
    const node: TaskNode = { task: toTask(row), children: [] }
    nodes.set(row.key, node)
    if (parent === undefined) root ??= node
    else parent.children.push(node)
  }
  return root && { root, isCut: rows.length > TREE_LIMIT }
}
