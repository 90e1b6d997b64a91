import type { SessionKey } from '../../domain/ids'
import type { ToolUseRow } from '../../domain/record/record-store'
import { changed, first, type Program, run } from '../sql/program'
import { describeLaunched } from './subagents'

const INSERT = `insert into tool_uses (session_id, tool_use_id, name, subagent_id, called_at, ended_at, is_error, launch)
  values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (session_id, tool_use_id) do nothing`

interface Stored {
  name: string | null
  subagent_id: number | null
  called_at: number | null
  ended_at: number | null
  is_error: number | null
  launch: string | null
}

/** A call and its answer come on different lines, by several paths: one row, counted once in its session. */
export function* mergeToolUses(rows: ToolUseRow[]): Program<void> {
  const added = new Map<SessionKey, number>()
  const byNode = new Map<number, number>()
  for (const row of combined(rows)) {
    const changes = yield* changed(
      INSERT,
      row.sessionKey,
      row.toolUseId,
      row.name,
      row.subagentKey,
      row.calledAt,
      row.endedAt,
      errorOf(row),
      row.launch === null ? null : JSON.stringify(row.launch),
    )
    if (changes > 0) {
      added.set(row.sessionKey, (added.get(row.sessionKey) ?? 0) + 1)
      count(byNode, row.subagentKey, 1)
    } else yield* mergeInto(row, byNode)
    if (row.launch) yield* describeLaunched(row.sessionKey, row.toolUseId)
  }
  for (const [session, calls] of added)
    yield* run('update sessions set tool_call_count = tool_call_count + ? where id = ?', calls, session)
  for (const [node, calls] of byNode)
    if (calls !== 0) yield* run('update subagents set tool_call_count = tool_call_count + ? where id = ?', calls, node)
}

/** As `tool_uses.is_error` has it. */
function errorOf({ isError, isInterrupted }: ToolUseRow): number | null {
  if (isError === null) return null
  return isInterrupted ? 2 : Number(isError)
}

function count(byNode: Map<number, number>, node: number | null, by: number): void {
  if (node !== null) byNode.set(node, (byNode.get(node) ?? 0) + by)
}

function* mergeInto(row: ToolUseRow, byNode: Map<number, number>): Program<void> {
  const stored = yield* first<Stored>(
    'select name, subagent_id, called_at, ended_at, is_error, launch from tool_uses where session_id = ? and tool_use_id = ?',
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
    launch: stored.launch ?? (row.launch === null ? null : JSON.stringify(row.launch)),
  }
  const isSame = (Object.keys(next) as (keyof Stored)[]).every((key) => next[key] === stored[key])
  if (isSame) return
  if (next.subagent_id !== stored.subagent_id) {
    count(byNode, stored.subagent_id, -1)
    count(byNode, next.subagent_id, 1)
  }
  yield* run(
    'update tool_uses set name = ?, subagent_id = ?, called_at = ?, ended_at = ?, is_error = ?, launch = ? where session_id = ? and tool_use_id = ?',
    next.name,
    next.subagent_id,
    next.called_at,
    next.ended_at,
    next.is_error,
    next.launch,
    row.sessionKey,
    row.toolUseId,
  )
}

/** Most calls are answered within the same batch: one statement instead of three. */
function combined(rows: ToolUseRow[]): Iterable<ToolUseRow> {
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
  }
  return byId.values()
}
