import type { HostKey, SessionKey } from '../../../domain/ids'
import type { ChangedTodos, ListFileRow } from '../../../domain/record/record-store'
import type { TodoFoldOptions } from '../../../domain/todo/todo-step'
import { first, type Program, rows, run } from '../../sql/program'
import { foldLists, lockNativeList } from './todo-fold'
import { findList } from './todos'

/** Lists of other sessions that are one with a list of this session. */
export function* sharingLists(session: number): Program<number[]> {
  const lists = yield* rows<{ id: number }>(
    `select other.id from todo_lists own join todo_lists other on other.native_list = own.native_list
      where own.session_id = ? and other.session_id <> ?`,
    session,
    session,
  )
  return lists.map(({ id }) => id)
}

/** Two machines may have lists of one name: they are two lists. */
function* nativeListOf(host: number, name: string): Program<string> {
  const row = yield* first<{ name: string }>('select name from hosts where id = ?', host)
  return `${name}@${row?.name.slice(0, 8) ?? host}`
}

/**
 * The session's task tools work on the list of this name, which other sessions of its machine may share. The newest word counts, and of
 * two at one time the greater name. Folds again what changes hands.
 */
export function* setNativeList(
  lock: string,
  session: SessionKey,
  said: { name: string; at: number },
  options?: TodoFoldOptions,
): Program<ChangedTodos[]> {
  const row = yield* first<{ host_id: number }>('select host_id from sessions where id = ?', session)
  if (!row) return []
  const next = yield* nativeListOf(row.host_id, said.name)
  const list = yield* findList(session, 'tasks', null)
  const stored = yield* first<{ native_list: string | null; native_list_at: number | null }>(
    'select native_list, native_list_at from todo_lists where id = ?',
    list,
  )
  const before = stored?.native_list ?? null
  const at = stored?.native_list_at ?? 0
  if (before !== null && (said.at < at || (said.at === at && next <= before))) return []
  yield* run('update todo_lists set native_list = ?, native_list_at = ? where id = ?', next, said.at, list)
  if (next === before) return []
  const touched = [list]
  if (before !== null) {
    if (lock !== '') yield* lockNativeList(before)
    const others = yield* rows<{ id: number }>('select id from todo_lists where native_list = ?', before)
    touched.push(...others.map(({ id }) => id))
  }
  return yield* foldLists(lock, touched, options)
}

/** Takes in files of a list whose folder names no session, and folds the list when a session is known to have it. */
export function* putListFiles(
  lock: string,
  host: HostKey,
  files: ListFileRow[],
  options?: TodoFoldOptions,
): Program<ChangedTodos[]> {
  const touched = new Set<number>()
  for (const { listName, file, change } of files) {
    const list = yield* nativeListOf(host, listName)
    if (lock !== '') yield* lockNativeList(list)
    yield* run(
      `insert into todo_files (native_list, file, body) values (?, ?, ?)
       on conflict (native_list, file) do update set body = excluded.body`,
      list,
      file,
      JSON.stringify(change),
    )
    for (const { id } of yield* rows<{ id: number }>('select id from todo_lists where native_list = ?', list))
      touched.add(id)
  }
  return yield* foldLists(lock, touched, options)
}
