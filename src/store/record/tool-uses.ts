import type { SessionKey } from '../../domain/ids'
import type { ToolUseRow } from '../../domain/record/record-store'
import { type BulkProgram, first, type Insertion, insertEach, type Program, run, type Value } from '../sql/program'
import { describeLaunched } from './subagents'

const CALLS: Insertion = {
  table: 'tool_uses',
  columns: {
    ...{ session_id: 'bigint', tool_use_id: 'text', name: 'text', subagent_id: 'bigint', called_at: 'bigint' },
    ...{ ended_at: 'bigint', is_error: 'bigint', launch: 'text', files: 'text' },
  },
  key: ['session_id', 'tool_use_id'],
  hasId: false,
}

const FILES: Insertion = {
  table: 'session_files',
  columns: { session_id: 'bigint', path: 'text', calls: 'bigint' },
  key: ['session_id', 'path'],
  hasId: false,
}

interface Stored {
  name: string | null
  subagent_id: number | null
  called_at: number | null
  ended_at: number | null
  is_error: number | null
  launch: string | null
  /** JSON list of paths. */
  files: string | null
}

/** A call and its answer come on different lines, by several paths: one row, counted once in its session. */
export function* mergeToolUses(given: ToolUseRow[]): BulkProgram<void> {
  const grown = new Map<SessionKey, Growth>()
  const byNode = new Map<number, number>()
  const rows = combined(given)
  const added = yield* insertEach(CALLS, rows.map(callValues))
  for (const [at, row] of rows.entries()) {
    const growth = growthOf(grown, row.sessionKey)
    if (added[at] === null) yield* mergeInto(row, byNode, growth)
    else {
      growth.calls++
      count(byNode, row.subagentKey, 1)
      noteEnd(growth, NOT_STORED, { is_error: errorOf(row), files: jsonOrNull(row.files) })
    }
    if (row.launch) yield* describeLaunched(row.sessionKey, row.toolUseId)
  }
  for (const [session, { calls, errors, writes }] of grown) {
    const files = yield* countWrites(session, writes)
    if (calls + errors + files > 0)
      yield* run(
        'update sessions set tool_call_count = tool_call_count + ?, error_count = error_count + ?, file_count = file_count + ? where id = ?',
        calls,
        errors,
        files,
        session,
      )
  }
  for (const [node, calls] of byNode)
    if (calls !== 0) yield* run('update subagents set tool_call_count = tool_call_count + ? where id = ?', calls, node)
}

const callValues = (row: ToolUseRow): Value[] => [
  row.sessionKey,
  row.toolUseId,
  row.name,
  row.subagentKey,
  row.calledAt,
  row.endedAt,
  errorOf(row),
  jsonOrNull(row.launch),
  jsonOrNull(row.files),
]

/** What a session's row counts of its calls. */
interface Growth {
  calls: number
  errors: number
  /** Calls that wrote a file, by its path. */
  writes: Map<string, number>
}

function growthOf(grown: Map<SessionKey, Growth>, session: SessionKey): Growth {
  const known = grown.get(session) ?? { calls: 0, errors: 0, writes: new Map() }
  grown.set(session, known)
  return known
}

type End = Pick<Stored, 'is_error' | 'files'>
const NOT_STORED: End = { is_error: null, files: null }

const hasWritten = ({ is_error, files }: End): boolean => is_error === 0 && files !== null

/** Counts a call that failed, and the files of one that is known to have written them, when that becomes known. */
function noteEnd(growth: Growth, before: End, after: End): void {
  if (after.is_error === 1 && before.is_error !== 1) growth.errors++
  if (!hasWritten(after) || hasWritten(before)) return
  for (const path of JSON.parse(after.files ?? '[]') as string[])
    growth.writes.set(path, (growth.writes.get(path) ?? 0) + 1)
}

/** @returns how many of the paths no call of the session had written */
function* countWrites(session: SessionKey, writes: Growth['writes']): BulkProgram<number> {
  const paths = [...writes]
  const added = yield* insertEach(
    FILES,
    paths.map(([path, calls]) => [session, path, calls]),
  )
  for (const [at, [path, calls]] of paths.entries())
    if (added[at] === null)
      yield* run('update session_files set calls = calls + ? where session_id = ? and path = ?', calls, session, path)
  return added.filter((one) => one !== null).length
}

const jsonOrNull = (value: object | null): string | null => (value === null ? null : JSON.stringify(value))

/** As `tool_uses.is_error` has it. */
function errorOf({ isError, isInterrupted }: ToolUseRow): number | null {
  if (isError === null) return null
  return isInterrupted ? 2 : Number(isError)
}

function count(byNode: Map<number, number>, node: number | null, by: number): void {
  if (node !== null) byNode.set(node, (byNode.get(node) ?? 0) + by)
}

function* mergeInto(row: ToolUseRow, byNode: Map<number, number>, growth: Growth): Program<void> {
  const stored = yield* first<Stored>(
    'select name, subagent_id, called_at, ended_at, is_error, launch, files from tool_uses where session_id = ? and tool_use_id = ?',
    row.sessionKey,
    row.toolUseId,
  )
  if (!stored) return
  const next: Stored = {
    name: stored.name ?? row.name,
    // The call's own line says best where it was made; an answer only when no call was seen.
    subagent_id: row.isPlaced && (row.name !== null || stored.name === null) ? row.subagentKey : stored.subagent_id,
    called_at: stored.called_at ?? row.calledAt,
    ended_at: stored.ended_at ?? row.endedAt,
    is_error: stored.is_error ?? errorOf(row),
    launch: stored.launch ?? jsonOrNull(row.launch),
    files: stored.files ?? jsonOrNull(row.files),
  }
  const isSame = (Object.keys(next) as (keyof Stored)[]).every((key) => next[key] === stored[key])
  if (isSame) return
  if (next.subagent_id !== stored.subagent_id) {
    count(byNode, stored.subagent_id, -1)
    count(byNode, next.subagent_id, 1)
  }
  yield* run(
    'update tool_uses set name = ?, subagent_id = ?, called_at = ?, ended_at = ?, is_error = ?, launch = ?, files = ? where session_id = ? and tool_use_id = ?',
    next.name,
    next.subagent_id,
    next.called_at,
    next.ended_at,
    next.is_error,
    next.launch,
    next.files,
    row.sessionKey,
    row.toolUseId,
  )
  noteEnd(growth, stored, next)
}

/** Most calls are answered within the same batch: one statement instead of three. */
function combined(rows: ToolUseRow[]): ToolUseRow[] {
  const byId = new Map<string, ToolUseRow>()
  for (const row of rows) {
    const key = `${row.sessionKey} ${row.toolUseId}`
    const so = byId.get(key)
    if (!so) {
      byId.set(key, { ...row })
      continue
    }
    if (row.isPlaced && (row.name !== null || so.name === null)) {
      so.subagentKey = row.subagentKey
      so.isPlaced = true
    }
    so.name ??= row.name
    so.calledAt ??= row.calledAt
    so.endedAt ??= row.endedAt
    if (so.isError === null) so.isInterrupted = row.isInterrupted
    so.isError ??= row.isError
    so.launch ??= row.launch
    so.files ??= row.files
  }
  return [...byId.values()]
}
