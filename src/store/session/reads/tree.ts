import { sql } from 'kysely'
import { toolUseId } from '../../../domain/ids'
import { signalsAt } from '../../../domain/overview/shown-status'
import type { TreeNode } from '../../../domain/session/session'
import type { StoredSession } from '../../../domain/session/session-store'
import { isSessionOver } from '../../../domain/subagent/subagent-status'
import type { ReadContext } from '../../sql/read-context'
import { isoTime } from '../../sql/read-context'
import { inOrder, NOWHERE, placeNodes, type SubagentRow, selectSubagents, toSubagent } from './subagent-nodes'
import { groupRows, readUsageTotals, sumUsage } from './usage-totals'

/** Running tool calls shown per node. */
const SHOWN_TOOLS = 5
/** Open tool calls looked at, newest first: a session that was killed often leaves calls without a result. */
const OPEN_TOOLS = 5_000

/**
 * The whole tree of a session, whatever its size, in three queries after the session's own: sub-agents, usage, and one for
 * everything that is counted by node.
 */
export async function readTree(context: ReadContext, session: StoredSession): Promise<TreeNode> {
  const [rows, totals, details] = await Promise.all([
    selectSubagents(context)
      .where('a.session_id', '=', session.key)
      .where('a.kind', '!=', 'internal')
      .execute()
      .then(inOrder),
    readUsageTotals(context, [session.key]),
    readDetails(context, session.key),
  ])
  const places = placeNodes(rows)
  const totalsOf = groupRows(totals, (total) => total.subagent_id)
  const detailsOf = groupRows(details, (detail) => detail.node)

  const nodes = new Map<number, TreeNode>()
  for (const row of rows) {
    const own = summarize(detailsOf.get(row.id))
    const facts = { place: places.get(row.id) ?? NOWHERE, totals: totalsOf.get(row.id) ?? [] }
    const subagent = toSubagent(row, facts, session, context)
    const isAtWork = subagent.status === 'running' || subagent.status === 'unknown'
    nodes.set(row.id, {
      subagent,
      runningTools: isAtWork ? own.runningTools : [],
      todos: own.todos,
      usage: subagent.usage,
      lastEventAt: subagent.lastEventAt,
      children: [],
    })
  }
  const main = summarize(detailsOf.get(null))
  const root: TreeNode = {
    subagent: null,
    runningTools: isSessionOver(signalsAt(session.signals, Date.now())) === undefined ? main.runningTools : [],
    todos: main.todos,
    usage: sumUsage(totalsOf.get(0) ?? [], context.costOf).usage,
    lastEventAt: session.lastEventAt,
    children: [],
  }
  for (const row of rows) hang(row, nodes, root, places.get(row.id)?.parent)
  return root
}

/** Hangs a node below its parent, in the order in which sub-agents were first recorded. */
function hang(
  row: SubagentRow,
  nodes: ReadonlyMap<number, TreeNode>,
  root: TreeNode,
  parent: SubagentRow | undefined,
): void {
  const node = nodes.get(row.id)
  const above = parent === undefined ? root : (nodes.get(parent.id) ?? root)
  if (node !== undefined) above.children.push(node)
}

/** One fact about one node (`null` = the main thread). */
interface Detail {
  part: 'tool' | 'todos' | 'current'
  node: number | null
  id: string | null
  label: string | null
  at: number | null
  count: number
  total: number
}

async function readDetails({ db }: ReadContext, session: number): Promise<Detail[]> {
  const { rows } = await sql<Detail>`
    select * from (
      select 'tool' as part, subagent_id as node, tool_use_id as id, name as label, called_at as at, 0 as count, 0 as total
        from tool_uses where session_id = ${session} and ended_at is null and name is not null
       order by coalesce(called_at, 0) desc limit ${sql.lit(OPEN_TOOLS)}
    ) as open_tools
    union all
    select 'todos', subagent_id, null, null, null, sum(case when status = 'completed' then 1 else 0 end), count(*)
      from todos where session_id = ${session} and status <> 'removed' group by subagent_id
    union all
    select 'current', subagent_id, null, coalesce(active_form, content), null, ordinal, 0
      from todos where session_id = ${session} and status = 'in_progress'
  `.execute(db)
  return rows
}

function summarize(details: readonly Detail[] | undefined): Pick<TreeNode, 'runningTools' | 'todos'> {
  if (details === undefined) return { runningTools: [], todos: { completed: 0, total: 0, current: null } }
  const tools = details.filter((detail) => detail.part === 'tool')
  tools.sort((a, b) => (b.at ?? 0) - (a.at ?? 0) || (a.id ?? '').localeCompare(b.id ?? ''))
  const current = details.filter((detail) => detail.part === 'current').sort((a, b) => a.count - b.count)[0]
  const todos = details.find((detail) => detail.part === 'todos')
  return {
    runningTools: tools.slice(0, SHOWN_TOOLS).map((tool) => ({
      toolUseId: toolUseId(tool.id ?? ''),
      name: tool.label ?? '',
      since: isoTime(tool.at),
    })),
    todos: { completed: todos?.count ?? 0, total: todos?.total ?? 0, current: current?.label ?? null },
  }
}
