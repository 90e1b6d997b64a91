import { type SessionKey, type SubagentKey, sessionKey, subagentKey } from '../../../domain/ids'
import type { TodoChange } from '../../../domain/record/observation'
import type { ChangedTodos } from '../../../domain/record/record-store'
import { foldTodos, otherTodoId } from '../../../domain/todo/todo'
import type { FoldedTodo, TodoFoldOptions, TodoNode, TodoStep } from '../../../domain/todo/todo-step'
import { sha256 } from '../../../util/crypto'
import { first, type Program, rows, run, type Value } from '../../sql/program'

/** One part of a tool call as one source told it. A line's word replaces a hook's. */
export interface Part {
  source: 0 | 1
  at: number | null
  /** As `TodoChangeRow.offset`. */
  offset?: number
  change: TodoChange
}

interface List {
  id: number
  session_id: number
  name: string
  native_list: string | null
  left_out: number
  /** The session's. */
  native_id: string
}

const LISTS = `select l.id, l.session_id, l.name, l.native_list, l.left_out, s.native_id
  from todo_lists l join sessions s on s.id = l.session_id`

/** Folds lists again, each with those that share its native list, and writes their items. Gives what changed, by session. */
export function* foldLists(
  lock: string,
  touched: Iterable<number>,
  options?: TodoFoldOptions,
): Program<ChangedTodos[]> {
  const changed = new Map<number, ChangedTodos>()
  const waiting = new Set(touched)
  for (const id of waiting) {
    waiting.delete(id)
    const list = yield* first<List>(`${LISTS} where l.id = ?`, id)
    if (!list) continue
    const lists = yield* sharing(lock, list)
    for (const { id: other } of lists) waiting.delete(other)
    const { changedLists, evicted } = yield* foldTogether(lists, options)
    for (const other of evicted) waiting.add(other)
    for (const { session_id, native_id, name } of lists.filter((one) => changedLists.has(one.id))) {
      const so = changed.get(session_id) ?? { sessionKey: sessionKey(session_id), sessionId: native_id, lists: [] }
      if (!so.lists.includes(name)) so.lists.push(name)
      changed.set(session_id, so)
    }
  }
  return [...changed.values()]
}

/** The lists that are one with this one, it included, in a fixed order. */
function* sharing(lock: string, list: List): Program<List[]> {
  if (list.native_list === null) return [list]
  if (lock !== '') yield* lockNativeList(list.native_list)
  return yield* rows<List>(`${LISTS} where l.native_list = ? order by s.native_id, l.name`, list.native_list)
}

/**
 * PostgreSQL only. Sessions that share a list may be recorded at the same time, and neither transaction sees the other's changes. Each
 * takes the list's lock and keeps it until it commits, so the later one folds both.
 */
export function* lockNativeList(nativeList: string): Program<void> {
  const hash = sha256(nativeList)
  yield* rows('select pg_advisory_xact_lock(?, ?)', hash.readInt32BE(0), hash.readInt32BE(4))
}

function* foldTogether(
  lists: List[],
  options: TodoFoldOptions | undefined,
): Program<{ changedLists: Set<number>; evicted: number[] }> {
  const [main] = lists
  if (!main) return { changedLists: new Set(), evicted: [] }
  const listId = main.native_list ?? `${main.native_id}/${main.name}`
  const steps: TodoStep[] = []
  for (const list of lists) steps.push(...(yield* stepsOf(list)))
  if (main.native_list !== null) steps.push(...(yield* filesOf(main.native_list)))
  const { items, leftOut } = foldTodos(listId, steps, options)
  const written = yield* writeItems(lists, listId, items)
  for (const list of lists) {
    if (list.left_out === leftOut) continue
    yield* run('update todo_lists set left_out = ? where id = ?', leftOut, list.id)
    written.changedLists.add(list.id)
  }
  return written
}

function* stepsOf(list: List): Program<TodoStep[]> {
  const stored = yield* rows<{
    tool_use_id: string
    at: number | null
    subagent_id: number | null
    native_id: string | null
    body: string
  }>(
    `select c.tool_use_id, c.at, c.subagent_id, a.native_id, c.body
       from todo_changes c left join subagents a on a.id = c.subagent_id where c.list_id = ?`,
    list.id,
  )
  const nodes = new Map<number | null, TodoNode>()
  const nodeOf = (subagent: number | null, native: string | null): TodoNode => {
    const known = nodes.get(subagent)
    if (known) return known
    const key: SubagentKey | null = subagent === null ? null : subagentKey(subagent)
    const node = { session: sessionKey(list.session_id), subagent: key, sessionId: list.native_id, subagentId: native }
    nodes.set(subagent, node)
    return node
  }
  return stored.map((change) => {
    const told = JSON.parse(change.body) as Part[]
    const parts = told.map((part) => part.change)
    const isFile = parts.every(({ op }) => op === 'item')
    return {
      toolUseId: change.tool_use_id,
      at: change.at,
      offset: told.find((part) => part.offset !== undefined)?.offset,
      node: isFile ? null : nodeOf(change.subagent_id, change.native_id),
      parts,
    }
  })
}

/** The CLI's own files of a list whose folder names no session. */
function* filesOf(nativeList: string): Program<TodoStep[]> {
  const files = yield* rows<{ file: string; body: string }>(
    'select file, body from todo_files where native_list = ?',
    nativeList,
  )
  return files.map(({ file, body }) => ({
    toolUseId: file,
    at: null,
    node: null,
    parts: [JSON.parse(body) as TodoStep['parts'][number]],
  }))
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
  'history',
  'changed_subagent_id',
  'changed_session_id',
] as const
const SELECT = `select ${COLUMNS.join(', ')} from todos where list_id = ?`
const INSERT = `insert into todos (${COLUMNS.join(', ')}) values (${COLUMNS.map(() => '?').join(', ')})
  on conflict (id) do nothing`
const UPDATE = `update todos set ${COLUMNS.slice(1)
  .map((name) => `${name} = ?`)
  .join(', ')} where id = ?`

type Stored = Record<(typeof COLUMNS)[number], Value>

/** Each item stands in the list and session of the node that made it. */
function* writeItems(
  lists: List[],
  listId: string,
  items: FoldedTodo[],
): Program<{ changedLists: Set<number>; evicted: number[] }> {
  const left = new Map<Value, Stored>()
  for (const { id } of lists) for (const row of yield* rows<Stored>(SELECT, id)) left.set(row.id, row)
  const homes = new Map<SessionKey, List>(lists.map((list) => [sessionKey(list.session_id), list]))
  const own = new Set(left.keys())
  const changedLists = new Set<number>()
  const evicted: number[] = []
  for (const item of items) {
    const home = (item.node && homes.get(item.node.session)) ?? lists[0]
    if (!home) continue
    const values = valuesOf(item, home)
    if (!own.has(item.id)) {
      const { id, holder } = yield* freeId(item, listId, own)
      values[0] = id
      if (holder !== null) evicted.push(holder)
    }
    const old = left.get(values[0] ?? '')
    left.delete(values[0] ?? '')
    if (old && COLUMNS.every((name, at) => old[name] === values[at])) continue
    changedLists.add(home.id)
    if (old) yield* run(UPDATE, ...values.slice(1), values[0] ?? '')
    else yield* run(INSERT, ...values)
    own.add(values[0] ?? '')
  }
  // An earlier change that arrived late can give items other ids: what the fold no longer makes never was.
  for (const [id, row] of left) {
    changedLists.add(Number(row.list_id))
    yield* run('delete from todos where id = ?', id)
  }
  return { changedLists, evicted }
}

function valuesOf(item: FoldedTodo, home: List): Value[] {
  return [
    item.id,
    home.id,
    home.session_id,
    item.node?.subagent ?? null,
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
    JSON.stringify(item.history),
    item.changedBy?.subagent ?? null,
    item.changedBy?.session ?? null,
  ]
}

/**
 * The id for an item that is not stored under its own. Where another list's item has it, the list whose name comes first keeps it, in
 * whatever order they were recorded: then that one's row goes, and its list (`holder`) has to be folded again.
 */
function* freeId(item: FoldedTodo, listId: string, own: Set<Value>): Program<{ id: string; holder: number | null }> {
  let id = item.id
  for (let attempt = 1; ; attempt++) {
    const holder = yield* first<List>(
      `select l.id, l.session_id, l.name, l.native_list, l.left_out, s.native_id
         from todos t join todo_lists l on l.id = t.list_id join sessions s on s.id = l.session_id where t.id = ?`,
      id,
    )
    if (!holder || own.has(id)) return { id, holder: null }
    if (listId < (holder.native_list ?? `${holder.native_id}/${holder.name}`)) {
      yield* run('delete from todos where id = ?', id)
      return { id, holder: holder.id }
    }
    id = otherTodoId(item, attempt)
  }
}
