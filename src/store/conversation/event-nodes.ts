import { sql } from 'kysely'
import type { EventNode } from '../../domain/conversation/conversation'
import { type SubagentKey, subagentId, subagentKey, toolUseId } from '../../domain/ids'
import type { Subagent } from '../../domain/session/session'
import type { ReadContext } from '../sql/read-context'

export const MAIN_NODE: EventNode = Object.freeze({
  subagentId: null,
  kind: 'main',
  type: null,
  description: null,
  depth: 0,
  isOrphan: false,
})

/** A sub-agent of which only its lines are known. */
export const UNKNOWN_NODE: EventNode = Object.freeze({ ...MAIN_NODE, kind: 'agent', depth: null })

/** Levels that are climbed to find a depth; deeper nodes, and circles, have none. */
const DEPTH_LIMIT = 64

export interface NodeRow {
  id: number
  native_id: string
  kind: 'agent' | 'shell' | 'monitor' | 'internal'
  type: string | null
  description: string | null
  told_depth: number | null
  tool_use_id: string | null
  launch_id: string | null
  /** The sub-agent whose call launched it, else the one that the CLI named. */
  parent: number | null
}

/** The nodes of these sub-agents, with their depths. */
export async function readNodes(context: ReadContext, keys: readonly number[]): Promise<Map<SubagentKey, EventNode>> {
  const rows = await climb(context, keys)
  const nodes = new Map<SubagentKey, EventNode>()
  for (const key of keys) {
    const row = rows.get(key)
    if (row !== undefined) nodes.set(subagentKey(key), toNode(row, depthOf(row, rows)))
  }
  return nodes
}

/** A sub-agent's place: its depth, and its parent. */
export function placeOf(
  key: number,
  rows: ReadonlyMap<number, NodeRow>,
): Pick<Subagent, 'depth' | 'parentId' | 'parentToolUseId'> {
  const row = rows.get(key)
  const parent = row === undefined || row.parent === null ? undefined : rows.get(row.parent)
  return {
    depth: row === undefined ? null : depthOf(row, rows),
    parentId: parent === undefined ? null : subagentId(parent.native_id),
    parentToolUseId: parent === undefined || parent.tool_use_id === null ? null : toolUseId(parent.tool_use_id),
  }
}

/** These sub-agents and those above them: one query for each level, whatever else their sessions have. */
export async function climb(context: ReadContext, keys: readonly number[]): Promise<Map<number, NodeRow>> {
  const rows = new Map<number, NodeRow>()
  let wanted = [...new Set(keys)]
  for (let level = 0; wanted.length > 0 && level < DEPTH_LIMIT; level++) {
    const found = await select(context, wanted)
    for (const row of found) rows.set(row.id, row)
    wanted = [...new Set(found.flatMap((row) => (row.parent === null || rows.has(row.parent) ? [] : [row.parent])))]
  }
  return rows
}

function select({ db, capabilities }: ReadContext, keys: readonly number[]): Promise<NodeRow[]> {
  return db
    .selectFrom('subagents as a')
    .leftJoin('tool_uses as u', (join) =>
      join.onRef('u.session_id', '=', 'a.session_id').onRef('u.tool_use_id', '=', 'a.tool_use_id'),
    )
    .leftJoin('subagents as named', (join) =>
      join.onRef('named.session_id', '=', 'a.session_id').onRef('named.native_id', '=', 'a.parent_native_id'),
    )
    .select(['a.id', 'a.native_id', 'a.kind', 'a.type', 'a.description', 'a.depth as told_depth', 'a.tool_use_id'])
    .select('u.tool_use_id as launch_id')
    .select(sql<number | null>`case when u.subagent_id is not null then u.subagent_id else named.id end`.as('parent'))
    .where((eb) => capabilities.inKeys(eb.ref('a.id'), keys))
    .execute()
}

/** By the same rule as `placeNodes`: a parent that is known decides, else what the CLI said, else the recorded launch. */
function depthOf(row: NodeRow, rows: ReadonlyMap<number, NodeRow>): number | null {
  let steps = 0
  let at = row
  for (; steps < DEPTH_LIMIT; steps++) {
    const parent = at.parent === null ? undefined : rows.get(at.parent)
    if (parent === undefined) break
    at = parent
  }
  if (steps === DEPTH_LIMIT) return row.told_depth
  const top = at.told_depth ?? (at.launch_id === null ? null : 1)
  return top === null ? row.told_depth : top + steps
}

function toNode(row: NodeRow, depth: number | null): EventNode {
  return {
    subagentId: subagentId(row.native_id),
    kind: row.kind === 'internal' ? 'agent' : row.kind,
    type: row.type,
    description: row.description,
    depth,
    isOrphan: row.tool_use_id === null,
  }
}
