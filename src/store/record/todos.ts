import type { SessionKey, SubagentKey } from '../../domain/ids'
import type { TodoChange } from '../../domain/observation'
import type { TodoChangeRow } from '../../domain/record-store'
import { type FoldedTodo, foldTodos, type TodoStep } from '../../domain/todo'
import { first, insert, type Program, rows, run } from './program'

/** One part of a tool call as one source told it. A line's word replaces a hook's. */
interface Part {
  source: 0 | 1
  at: number | null
  change: TodoChange
}

interface StoredChange {
  tool_use_id: string
  at: number | null
  subagent_id: number | null
  body: string
}

/** Stores the changes and folds each touched list again; returns the names of lists whose items changed. */
export function* applyTodoChanges(changes: TodoChangeRow[]): Program<string[]> {
  const touched = new Map<number, { name: string; session: SessionKey }>()
  for (const change of changes) {
    const list = yield* findList(change.sessionKey, change.listName, change.subagentKey)
    touched.set(list, { name: change.listName, session: change.sessionKey })
    yield* storeChange(list, change)
    if (change.source === 1)
      for (const other of yield* dropEarlyGuess(list, change))
        touched.set(other, { name: '', session: change.sessionKey })
  }
  const names: string[] = []
  for (const [list, { name, session }] of touched) if ((yield* foldList(list, session)) && name !== '') names.push(name)
  return names
}

function* findList(session: SessionKey, name: string, node: SubagentKey | null): Program<number> {
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

function* storeChange(list: number, row: TodoChangeRow): Program<void> {
  const part: Part = { source: row.source, at: row.at, change: row.change }
  const stored = yield* first<StoredChange>(
    'select tool_use_id, at, subagent_id, body from todo_changes where list_id = ? and tool_use_id = ?',
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
  const parts = JSON.parse(stored.body) as Part[]
  const same = parts.findIndex((known) => known.change.op === part.change.op)
  const known = parts[same]
  if (!known) parts.push(part)
  // A file of the CLI's holds the newest state of its item; a call never changes.
  else if (part.source > known.source || part.change.op === 'item') parts[same] = part
  else return
  const best = parts.some((known) => known.source === 1) ? parts.filter((known) => known.source === 1) : parts
  const times = best.map((known) => known.at).filter((at) => at !== null)
  yield* run(
    'update todo_changes set at = ?, source = ?, subagent_id = ?, body = ? where list_id = ? and tool_use_id = ?',
    times.length > 0 ? Math.max(...times) : null,
    Math.max(...parts.map((known) => known.source)),
    row.source === 1 ? row.subagentKey : stored.subagent_id,
    JSON.stringify(parts.sort((a, b) => (a.change.op < b.change.op ? -1 : 1))),
    list,
    row.toolUseId,
  )
}

/**
 * Hooks of old CLI versions don't say which sub-agent called: their word may stand in the main thread's list. Once a line
 * has told whose call it was, the guess goes. Returns the lists that lost one.
 */
function* dropEarlyGuess(list: number, row: TodoChangeRow): Program<number[]> {
  const guesses = yield* rows<{ list_id: number }>(
    `select c.list_id from todo_lists l join todo_changes c on c.list_id = l.id
     where l.session_id = ? and l.id <> ? and c.tool_use_id = ? and c.source = 0`,
    row.sessionKey,
    list,
    row.toolUseId,
  )
  for (const guess of guesses)
    yield* run('delete from todo_changes where list_id = ? and tool_use_id = ?', guess.list_id, row.toolUseId)
  return guesses.map((guess) => guess.list_id)
}

function* foldList(list: number, session: SessionKey): Program<boolean> {
  const owner = yield* first<{ native_id: string; name: string }>(
    'select s.native_id, l.name from todo_lists l join sessions s on s.id = l.session_id where l.id = ?',
    list,
  )
  if (!owner) return false
  const stored = yield* rows<StoredChange>(
    'select tool_use_id, at, subagent_id, body from todo_changes where list_id = ?',
    list,
  )
  const steps: TodoStep[] = stored.map((change) => ({
    toolUseId: change.tool_use_id,
    at: change.at,
    node: change.subagent_id,
    parts: (JSON.parse(change.body) as Part[]).map((part) => part.change),
  }))
  const items = foldTodos(`${owner.native_id}/${owner.name}`, steps)
  return yield* writeItems(list, session, items)
}

const COLUMNS = [
  'id',
  'list_id',
  'session_id',
  'subagent_id',
  'native_id',
  'ordinal',
  'content',
  'active_form',
  'description',
  'owner',
  'blocked_by',
  'status',
  'created_at',
  'updated_at',
  'completed_at',
] as const
const INSERT = `insert into todos (${COLUMNS.join(', ')}) values (${COLUMNS.map(() => '?').join(', ')})
  on conflict (id) do update set ${COLUMNS.slice(1)
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}`

function* writeItems(list: number, session: SessionKey, items: FoldedTodo[]): Program<boolean> {
  const before = yield* rows(`select ${COLUMNS.join(', ')} from todos where list_id = ?`, list)
  const left = new Map(before.map((row) => [row.id as string, row]))
  let changed = false
  for (const item of items) {
    const values = [
      item.id,
      list,
      session,
      item.node,
      item.nativeId,
      item.ordinal,
      item.content,
      item.activeForm,
      item.description,
      item.owner,
      JSON.stringify(item.blockedBy),
      item.status,
      item.createdAt,
      item.updatedAt,
      item.completedAt,
    ]
    const old = left.get(item.id)
    left.delete(item.id)
    if (old && COLUMNS.every((name, at) => old[name] === values[at])) continue
    changed = true
    yield* run(INSERT, ...values)
  }
  // An earlier change that arrived late can give items other ids: what the fold no longer makes never was.
  for (const id of left.keys()) {
    changed = true
    yield* run('delete from todos where id = ?', id)
  }
  return changed
}
