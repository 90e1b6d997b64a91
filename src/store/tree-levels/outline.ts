import { sql } from 'kysely'
import { signalsAt } from '../../domain/overview/shown-status'
import type { TreeStatus } from '../../domain/overview/tree-entry'
import type { TodoStatus } from '../../domain/record/observation'
import type { ShownSessionStatus, SubagentStatus } from '../../domain/session/session'
import type { SessionSignals } from '../../domain/session/session-store'
import { type NodePlace, type PlaceColumns, placeNodes } from '../session/reads/subagent-nodes'
import { nodeState, type StateColumns } from '../session/run-state'
import type { ReadContext } from '../sql/read-context'
import { LAUNCH_JOIN, STATE_COLUMNS } from './live'
import { isAtWork } from './look'
import { TODO_STATUS, TODO_TABLES } from './todo-status'

/** What stands in a session, without its texts. */
export interface Outline {
  /** By key, in the order in which they were first recorded. */
  nodes: ReadonlyMap<number, OutlineNode>
  /** What stands right below a node; `null` = below the session. */
  below: ReadonlyMap<number | null, OutlineItem[]>
}

export interface OutlineNode extends PlaceColumns, StateColumns {
  kind: 'agent' | 'shell' | 'monitor'
  status: SubagentStatus
  evidence: string
  first_started_at: number | null
  first_event_at: number | null
  /** Milliseconds; `null` = it is not over, or nobody knows. */
  endedAt: number | null
  parent: OutlineNode | undefined
}

/** One line of a level. `order` puts a level in order: by sort, then within it. Times in milliseconds. */
export type OutlineItem =
  | { kind: 'node'; order: ItemOrder; node: OutlineNode; heardAt: number }
  | { kind: 'tool'; order: ItemOrder; id: string; name: string; status: TreeStatus; heardAt: number }
  | { kind: 'todo'; order: ItemOrder; id: string; status: TodoStatus; heardAt: number }
export type ItemOrder = [sort: number, first: number, second: number, id: string]

/** Characters of an id that goes into a cursor. */
const ORDER_TEXT = 100
const SORTS = { agent: 0, shell: 1, monitor: 1, tool: 2, todo: 3 } as const

type NodeColumns = Omit<OutlineNode, 'status' | 'evidence' | 'endedAt' | 'parent'> & { session: number }

/** What a session is judged by, for what stands in it. */
export interface OutlineSession {
  signals: SessionSignals
  status: ShownSessionStatus
}

/** What stands in each of these sessions, by key. */
export async function readOutlines(
  context: ReadContext,
  sessions: ReadonlyMap<number, OutlineSession>,
  now: number,
): Promise<Map<number, Outline>> {
  if (sessions.size === 0) return new Map()
  const { db, capabilities } = context
  const keys = [...sessions.keys()]
  const ofThese = (column: string) => capabilities.inKeys(sql.ref<number>(column), keys)
  const nodes = await sql<NodeColumns>`
    select a.session_id as session, a.id, a.native_id, a.kind, a.parent_native_id, a.depth, u.subagent_id as launcher_key,
           case when u.session_id is null then 0 else 1 end as is_launch_known, ${sql.raw(STATE_COLUMNS)}
      from subagents a ${sql.raw(LAUNCH_JOIN)} where ${ofThese('a.session_id')} and a.kind <> 'internal'
  `.execute(db)
  const tools = await sql<{ session: number; node: number | null; id: string; name: string; at: number | null }>`
    select session_id as session, subagent_id as node, tool_use_id as id, name, called_at as at from tool_uses
     where ${ofThese('session_id')} and ended_at is null and name is not null
  `.execute(db)
  const todos = await sql<TodoColumns>`
    select t.session_id as session, t.subagent_id as node, t.id, t.list_id as list, t.ordinal, t.updated_at as at,
           ${sql.raw(TODO_STATUS)} as status
      from ${sql.raw(TODO_TABLES)} where ${ofThese('t.session_id')} and t.status <> 'removed'
  `.execute(db)
  const outlines = new Map([...sessions].map(([key, session]) => [key, new OutlineMaker(session, now)] as const))
  const nodesOf = Map.groupBy(nodes.rows, (row) => row.session)
  for (const [key, rows] of nodesOf) outlines.get(key)?.addNodes(rows)
  for (const row of tools.rows) outlines.get(row.session)?.addTool(row)
  for (const row of todos.rows) outlines.get(row.session)?.addTodo(row)
  return new Map([...outlines].map(([key, maker]) => [key, maker.finish()]))
}

interface TodoColumns {
  session: number
  node: number | null
  id: string
  list: number
  ordinal: number
  at: number | null
  status: TodoStatus
}

class OutlineMaker {
  private readonly signals: SessionSignals
  private readonly status: ShownSessionStatus
  private readonly nodes = new Map<number, OutlineNode>()
  private readonly below = new Map<number | null, OutlineItem[]>()

  constructor({ signals, status }: OutlineSession, now: number) {
    this.signals = signalsAt(signals, now)
    this.status = status
  }

  addNodes(rows: NodeColumns[]): void {
    const places: Map<number, NodePlace<NodeColumns>> = placeNodes(rows)
    rows.sort((a, b) => a.id - b.id)
    for (const row of rows) {
      const { status, evidence, at } = nodeState(row, this.signals)
      const isOver = status !== 'running' && status !== 'unknown'
      this.nodes.set(row.id, { ...row, status, evidence, endedAt: isOver ? at : null, parent: undefined })
    }
    for (const node of this.nodes.values()) {
      const parent = places.get(node.id)?.parent
      node.parent = parent === undefined ? undefined : this.nodes.get(parent.id)
      this.hang(node.parent?.id ?? null, {
        kind: 'node',
        order: [SORTS[node.kind], node.id, 0, ''],
        node,
        heardAt: Math.max(node.last_event_at ?? 0, node.last_started_at ?? 0, node.endedAt ?? 0),
      })
    }
  }

  /** Calls without an answer run only in a session or sub-agent that is at work: a session that was killed leaves many. */
  addTool(row: { node: number | null; id: string; name: string; at: number | null }): void {
    const status = row.node === null ? this.status : this.nodes.get(row.node)?.status
    const isOpen = row.node === null ? isAtWork(this.status) : status === 'running' || status === 'unknown'
    const at = row.at ?? 0
    if (isOpen && status !== undefined)
      this.hang(row.node, {
        kind: 'tool',
        order: [SORTS.tool, at, 0, row.id.slice(0, ORDER_TEXT)],
        id: row.id,
        name: row.name,
        status,
        heardAt: at,
      })
  }

  addTodo({ node, id, list, ordinal, at, status }: TodoColumns): void {
    // An item of an agent that is none for a person (the CLI's own) stands with the session.
    const under = node !== null && this.nodes.has(node) ? node : null
    this.hang(under, {
      kind: 'todo',
      order: [SORTS.todo, list, ordinal, id.slice(0, ORDER_TEXT)],
      id,
      status,
      heardAt: at ?? 0,
    })
  }

  private hang(under: number | null, item: OutlineItem): void {
    const items = this.below.get(under)
    if (items === undefined) this.below.set(under, [item])
    else items.push(item)
  }

  finish(): Outline {
    for (const items of this.below.values()) items.sort((a, b) => compareOrder(a.order, b.order))
    return { nodes: this.nodes, below: this.below }
  }
}

export function compareOrder(a: ItemOrder, b: ItemOrder): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || (a[3] < b[3] ? -1 : a[3] > b[3] ? 1 : 0)
}
