import type { EventKey, SessionKey, SubagentKey } from '../../domain/ids'
import { eventKey, subagentKey } from '../../domain/ids'
import type { EventRow } from '../../domain/record/record-store'
import { type BulkProgram, first, type Insertion, insertEach, type Program, run, type Value } from '../sql/program'

export const FLAG_INHERITED = 1
export const FLAG_CUT = 2
export const FLAG_FINAL = 4

const EVENTS: Insertion = {
  table: 'conversation_events',
  columns: {
    ...{ session_id: 'bigint', uuid: 'bytea', parent_uuid: 'bytea', at: 'bigint', type: 'text', role: 'text' },
    ...{ subagent_id: 'bigint', parent_tool_use_id: 'text', tool_use_id: 'text', tool_name: 'text', text: 'text' },
    ...{ flags: 'bigint', incarnation_id: 'bigint', offset: 'bigint', length: 'bigint' },
  },
  key: ['session_id', 'uuid'],
  hasId: true,
}

const eventValues = (row: EventRow): Value[] => [
  row.sessionKey,
  row.uuid,
  row.parentUuid,
  row.at,
  row.type,
  row.role,
  row.subagentKey,
  row.parentToolUseId,
  row.toolUseId,
  row.toolName,
  row.text,
  (row.isInherited ? FLAG_INHERITED : 0) | (row.isCut ? FLAG_CUT : 0) | (row.isFinal ? FLAG_FINAL : 0),
  row.incarnation,
  row.offset,
  row.length,
]

/** Times and count of one node's new events in a batch. */
interface NodeGrowth {
  count: number
  /** `null` = none of them has a time. */
  firstAt: number | null
  lastAt: number | null
  /** Its newest words. */
  said: { at: number; text: string } | null
  /** Its newest line with the last words of a turn. */
  finalAt: number | null
  /** Its newest line after which the model goes on. */
  turnAt: number | null
}

/** What of an event counts for its node. */
export type Grown = Pick<EventRow, 'at' | 'type' | 'role' | 'text' | 'isFinal'>

/** Other words of the model tell nothing: whether more follows shows in what follows. */
const goesOn = ({ role, type }: Grown): boolean =>
  role === 'user' || type === 'tool_call' || type === 'thinking' || type === 'error'

export function* insertEvents(rows: EventRow[]): BulkProgram<(EventKey | null)[]> {
  const grown = new Map<SubagentKey, NodeGrowth>()
  const ids = yield* insertEach(EVENTS, rows.map(eventValues))
  for (const [at, row] of rows.entries()) {
    if (ids[at] === null) yield* place(row)
    else if (row.subagentKey !== null) growth(grown, row.subagentKey, row)
  }
  yield* saveGrowth(grown)
  return ids.map((id) => (id === null ? null : eventKey(id)))
}

export function growth(grown: Map<SubagentKey, NodeGrowth>, node: SubagentKey, event: Grown, count = 1): void {
  const { at, type, text, isFinal } = event
  let so = grown.get(node)
  if (!so) {
    so = { count: 0, firstAt: null, lastAt: null, said: null, finalAt: null, turnAt: null }
    grown.set(node, so)
  }
  so.count += count
  // 0: a stream's line without a time.
  if (at > 0) {
    so.firstAt = Math.min(so.firstAt ?? at, at)
    so.lastAt = Math.max(so.lastAt ?? at, at)
    if (isFinal) so.finalAt = Math.max(so.finalAt ?? at, at)
    else if (goesOn(event)) so.turnAt = Math.max(so.turnAt ?? at, at)
  }
  if (type === 'text' && text !== null && (so.said === null || at >= so.said.at)) so.said = { at, text }
}

export function* saveGrowth(grown: Map<SubagentKey, NodeGrowth>): Program<void> {
  for (const [node, { count, firstAt, lastAt, said, finalAt, turnAt }] of grown) {
    yield* run(
      `update subagents set event_count = event_count + ?,
         first_event_at = case when first_event_at <= ? then first_event_at else coalesce(?, first_event_at) end,
         last_event_at = case when last_event_at >= ? then last_event_at else coalesce(?, last_event_at) end,
         final_at = case when final_at >= ? then final_at else coalesce(?, final_at) end,
         turn_at = case when turn_at >= ? then turn_at else coalesce(?, turn_at) end
       where id = ?`,
      count,
      firstAt,
      firstAt,
      lastAt,
      lastAt,
      finalAt,
      finalAt,
      turnAt,
      turnAt,
      node,
    )
    if (said !== null)
      yield* run(
        'update subagents set last_text = ?, last_text_at = ? where id = ? and coalesce(last_text_at, -1) <= ?',
        said.text,
        said.at,
        node,
        said.at,
      )
  }
}

/**
 * The line is stored already, by another path or from another file. A main file's line belongs to the main thread, whatever
 * copy came first; a stream's line that knew only the launching call gets its node from the sub-agent's own file.
 */
function* place(row: EventRow): Program<void> {
  const found = yield* first<StoredRow>(
    'select id, subagent_id, at, parent_uuid, parent_tool_use_id, type, role, text, flags from conversation_events where session_id = ? and uuid = ?',
    row.sessionKey,
    row.uuid,
  )
  if (!found) return
  const stored: StoredPlace = { ...found, isFinal: (found.flags & FLAG_FINAL) !== 0 }
  // Lines of streams up to 2.1.197 have no time; their transcript's do.
  const isTimed = stored.at === 0 && row.at > 0
  // Nor do streams say that these are the last words of a turn.
  const isFinal = row.isFinal && !stored.isFinal
  if (isTimed || isFinal) {
    stored.at = isTimed ? row.at : stored.at
    stored.isFinal ||= row.isFinal
    const flags = found.flags | (stored.isFinal ? FLAG_FINAL : 0)
    yield* run('update conversation_events set at = ?, flags = ? where id = ?', stored.at, flags, stored.id)
    if (stored.subagent_id !== null) {
      const grown = new Map<SubagentKey, NodeGrowth>()
      growth(grown, subagentKey(stored.subagent_id), stored, 0)
      yield* saveGrowth(grown)
    }
  }
  const parent = parentOf(stored, row)
  if (!isSame(parent, stored.parent_uuid))
    yield* run('update conversation_events set parent_uuid = ? where id = ?', parent, stored.id)
  if (row.isMainFile && row.subagentKey === null) {
    if (stored.subagent_id !== null) yield* movePlace(stored, null, null)
  } else if (stored.subagent_id === null && row.subagentKey !== null && stored.parent_tool_use_id !== null) {
    yield* movePlace(stored, row.subagentKey, row.parentToolUseId ?? stored.parent_tool_use_id)
  }
}

/** The main file decides what its line follows; else whoever says something, and of two files the lesser word. */
function parentOf(stored: StoredPlace, row: EventRow): Uint8Array | null {
  const { parentUuid } = row
  if (row.isMainFile && row.subagentKey === null) return parentUuid
  const isMainThread = stored.subagent_id === null && stored.parent_tool_use_id === null
  if (parentUuid === null || (isMainThread && row.subagentKey !== null)) return stored.parent_uuid
  if (stored.parent_uuid === null) return parentUuid
  return Buffer.compare(parentUuid, stored.parent_uuid) < 0 ? parentUuid : stored.parent_uuid
}

const isSame = (a: Uint8Array | null, b: Uint8Array | null): boolean =>
  a === b || (a !== null && b !== null && Buffer.compare(a, b) === 0)

interface StoredRow {
  id: number
  parent_uuid: Uint8Array | null
  subagent_id: number | null
  at: number
  parent_tool_use_id: string | null
  type: string
  role: string
  text: string | null
  flags: number
}

type StoredPlace = StoredRow & { isFinal: boolean }

function* movePlace(stored: StoredPlace, node: SubagentKey | null, parentToolUseId: string | null): Program<void> {
  yield* run(
    'update conversation_events set subagent_id = ?, parent_tool_use_id = ? where id = ?',
    node,
    parentToolUseId,
    stored.id,
  )
  if (stored.subagent_id !== null)
    yield* run('update subagents set event_count = event_count - 1 where id = ?', stored.subagent_id)
  if (node === null) return
  const grown = new Map<SubagentKey, NodeGrowth>()
  growth(grown, node, stored)
  yield* saveGrowth(grown)
}

export function* nodeOfEvent(session: SessionKey, uuid: Uint8Array): Program<SubagentKey | null | undefined> {
  const row = yield* first<{ subagent_id: number | null }>(
    'select subagent_id from conversation_events where session_id = ? and uuid = ?',
    session,
    uuid,
  )
  if (!row) return undefined
  return row.subagent_id === null ? null : subagentKey(row.subagent_id)
}
