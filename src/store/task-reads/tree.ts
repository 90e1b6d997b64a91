import { sql } from 'kysely'
import type { TaskId } from '../../domain/ids'
import type { TaskNode } from '../../domain/task'
import type { ReadContext } from '../read-context'
import { toTask } from '../tasks/shown'
import { selectShown } from './tasks'

/** Tasks that a tree shows. */
const TREE_LIMIT = 10_000

/** The task with everything below it, level by level: two queries, whatever its size. */
export async function taskTree(
  context: ReadContext,
  id: TaskId,
): Promise<{ root: TaskNode; isCut: boolean } | undefined> {
  const { rows: found } = await sql<{ id: number }>`
    with recursive below(id) as (
      select id from tasks where public_id = ${id}
      union all
      select t.id from below join tasks t on t.parent_id = below.id
    ) select id from below limit ${sql.lit(TREE_LIMIT + 1)}
  `.execute(context.db)
  const keys = found.slice(0, TREE_LIMIT).map((row) => row.id)
  if (keys.length === 0) return undefined
  const rows = await selectShown(context, [sql`${context.capabilities.inKeys(sql.ref('t.id'), keys)}`], sql`t.id`)
  const nodes = new Map<number, TaskNode>()
  let root: TaskNode | undefined
  // A parent is older than its children, so it comes before them.
  for (const row of rows) {
    const parent = row.parentKey === null ? undefined : nodes.get(row.parentKey)
    const node: TaskNode = { task: toTask(row), children: [] }
    nodes.set(row.key, node)
    if (parent === undefined) root ??= node
    else parent.children.push(node)
  }
  return root && { root, isCut: found.length > TREE_LIMIT }
}
