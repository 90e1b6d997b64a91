import type { SessionKey, SubagentKey } from '../../../domain/ids'
import { subagentKey } from '../../../domain/ids'
import type { ChangedTodos, TodoChangeRow } from '../../../domain/record/record-store'
import type { TodoFoldOptions } from '../../../domain/todo/todo-step'
import { changed, first, insert, type Program, run } from '../../sql/program'
import { foldLists, type Part } from './todo-fold'

/** Stores the changes and folds each touched list again. */
export function* applyTodoChanges(
  lock: string,
  changes: TodoChangeRow[],
  options?: TodoFoldOptions,
): Program<ChangedTodos[]> {
  const touched = new Set<number>()
  for (const said of changes) {
    const change = yield* placed(said)
    const list = yield* findList(change.sessionKey, change.listName, change.subagentKey)
    yield* storeChange(list, change)
    touched.add(list)
    const other = yield* dropEarlyGuess(change)
    if (other !== null) touched.add(other)
  }
  return yield* foldLists(lock, touched, options)
}

/** The session's list of that name; made when it is not there. */
export function* findList(session: SessionKey, name: string, node: SubagentKey | null): Program<number> {
  const found = yield* first<{ id: number }>(
    'select id from todo_lists where session_id = ? and name = ?',
    session,
    name,
  )
  if (found) return found.id
  const id = yield* insert(
    'insert into todo_lists (session_id, name, subagent_id) values (?, ?, ?) on conflict (session_id, name) do nothing',
    session,
    name,
    name.startsWith('todo:') ? node : null,
  )
  return id ?? (yield* findList(session, name, node))
}

/** Lines of streams and hooks of old versions don't say which sub-agent wrote a list; its call's own line may have told by now. */
function* placed(row: TodoChangeRow): Program<TodoChangeRow> {
  if (row.listName !== 'todo') return row
  const caller = yield* first<{ id: number; native_id: string }>(
    `select a.id, a.native_id from tool_uses u join subagents a on a.id = u.subagent_id
      where u.session_id = ? and u.tool_use_id = ?`,
    row.sessionKey,
    row.toolUseId,
  )
  return caller ? { ...row, listName: `todo:${caller.native_id}`, subagentKey: subagentKey(caller.id) } : row
}

/** The other side of `placed`: the word stands in the main thread's list until a line tells whose call it was. Gives that list. */
function* dropEarlyGuess(row: TodoChangeRow): Program<number | null> {
  if (!row.listName.startsWith('todo:')) return null
  const main = yield* first<{ id: number }>(
    `select id from todo_lists where session_id = ? and name = 'todo'`,
    row.sessionKey,
  )
  if (!main) return null
  const dropped = yield* changed(
    'delete from todo_changes where list_id = ? and tool_use_id = ?',
    main.id,
    row.toolUseId,
  )
  return dropped > 0 ? main.id : null
}

interface StoredChange {
  at: number | null
  source: 0 | 1
  subagent_id: number | null
  body: string
}

function* storeChange(list: number, row: TodoChangeRow): Program<void> {
  const part: Part = { source: row.source, at: row.at, change: row.change }
  if (row.at === null && row.offset !== undefined) part.offset = row.offset
  const stored = yield* first<StoredChange>(
    'select at, source, subagent_id, body from todo_changes where list_id = ? and tool_use_id = ?',
    list,
    row.toolUseId,
  )
  if (!stored) {
    yield* run(
      'insert into todo_changes (list_id, tool_use_id, at, source, subagent_id, body) values (?, ?, ?, ?, ?, ?)',
      list,
      row.toolUseId,
      row.at,
      row.source,
      row.subagentKey,
      JSON.stringify([part]),
    )
    return
  }
  const parts = withPart(JSON.parse(stored.body) as Part[], part)
  const best = parts.some((known) => known.source === 1) ? parts.filter((known) => known.source === 1) : parts
  const times = best.map((known) => known.at).filter((at) => at !== null)
  const next: StoredChange = {
    at: times.length > 0 ? Math.max(...times) : null,
    source: row.source === 1 ? 1 : stored.source,
    // A line may leave out whose call it is; it never names another.
    subagent_id:
      row.source >= stored.source ? (row.subagentKey ?? stored.subagent_id) : (stored.subagent_id ?? row.subagentKey),
    body: JSON.stringify(parts),
  }
  if (next.body === stored.body && next.subagent_id === stored.subagent_id && next.at === stored.at) return
  yield* run(
    'update todo_changes set at = ?, source = ?, subagent_id = ?, body = ? where list_id = ? and tool_use_id = ?',
    next.at,
    next.source,
    next.subagent_id,
    next.body,
    list,
    row.toolUseId,
  )
}

/** The parts with one more: of each kind of change the best word is kept, in one order. */
function withPart(parts: Part[], part: Part): Part[] {
  const same = parts.findIndex((known) => known.change.op === part.change.op)
  const known = parts[same]
  if (!known) parts.push(part)
  // A file of the CLI's holds the newest state of its item; a call never changes.
  else if (part.change.op === 'item') parts[same] = part
  else parts[same] = better(known, part)
  return parts.sort((a, b) => (a.change.op < b.change.op ? -1 : 1))
}

/** If two sources report one change: a line before a hook, then the one that says more. A stream may leave the time out. */
function better(a: Part, b: Part): Part {
  if (a.source !== b.source) return a.source > b.source ? a : b
  const [saysA, saysB] = [JSON.stringify(a.change), JSON.stringify(b.change)]
  const isA = saysA.length > saysB.length || (saysA.length === saysB.length && saysA >= saysB)
  const at = a.at === null || b.at === null ? (a.at ?? b.at) : Math.min(a.at, b.at)
  const { source, change } = isA ? a : b
  if (at !== null || (a.offset === undefined && b.offset === undefined)) return { source, at, change }
  return { source, at, offset: Math.min(a.offset ?? b.offset ?? 0, b.offset ?? a.offset ?? 0), change }
}
