/** To-dos beside the issues that they are for, in files that issues are kept in: only where somebody asks for it. */
import { join } from 'node:path'
import type { Client } from '../../api/client/client'
import { AppError, toAppError } from '../../domain/errors'
import type { Todo } from '../../domain/todo/todo-item'
import { openTracker } from '../issues/issue-call'
import { listRows } from '../kit/arguments/paging'
import type { Context } from '../kit/context'
import { todoRecord } from './todo-line'
import { writeTurn } from './write-turn'

/**
 * The key of an issue's line that holds them. A line of a kind of our own would be taken for a broken issue by other readers; a key that
 * they don't know they leave alone.
 */
const KEY = 'todos'

/** Which tracker is meant. */
interface Where {
  dir?: string
}

/**
 * The to-dos of each issue that has any, over all its sessions, oldest first.
 * @param isMeant  whether it is of this tracker, and wanted
 * @param session  only issues that this session is linked to
 */
export async function todosByIssue(
  client: Client,
  where: Where,
  isMeant: (id: string) => boolean | Promise<boolean>,
  session?: string,
): Promise<Map<string, Todo[]>> {
  const linked =
    session === undefined ? await linkedIssues(client) : (await client.links.ofSession(session, where)).issues
  const found = new Map<string, Todo[]>()
  for (const id of new Set(linked.map((issue) => issue.id))) {
    // An issue of another tracker may have the same id: only what this one's says counts.
    if (!(await isMeant(id))) continue
    const { sessions } = await client.links.ofIssue(id, where)
    const items = new Map(sessions.flatMap(({ todos }) => todos).map((todo) => [todo.id, todo]))
    if (items.size > 0) found.set(id, [...items.values()].sort(oldestFirst))
  }
  return found
}

async function linkedIssues(client: Client): Promise<{ id: string }[]> {
  const { rows: lists } = await listRows({ all: true, limit: 0, cursor: undefined }, async (paging) => {
    const page = await client.todos.lists(paging)
    return { rows: page.lists, nextCursor: page.nextCursor }
  })
  return lists.flatMap(({ issues }) => issues)
}

const oldestFirst = (a: Todo, b: Todo): number =>
  (a.createdAt ?? '').localeCompare(b.createdAt ?? '') || a.ordinal - b.ordinal || a.id.localeCompare(b.id)

/** The lines with the to-dos of each issue as one more key; all other bytes stay. */
export async function withTodos(text: string, todos: ReadonlyMap<string, readonly Todo[]>): Promise<string> {
  // Only an export needs the parser, and every command of to-dos loads this file.
  const { appendTo, removeAt, scanJson } = await import('../../util/json/json-text')
  return text.replace(/[^\r\n]+/g, (line) => {
    const id = idOf(line)
    const items = id === null ? undefined : todos.get(id)
    if (items === undefined) return line
    try {
      const root = scanJson(line)
      const present = root.kind === 'object' ? root.members.findIndex(({ key }) => key === KEY) : -1
      const without = present < 0 ? line : removeAt(line, root, present)
      return appendTo(without, scanJson(without), items.map(todoRecord), KEY)
    } catch (error) {
      // Nested more deeply than issues are read: it stays as it is.
      if (error instanceof RangeError) return line
      throw error
    }
  })
}

function idOf(line: string): string | null {
  try {
    const value: unknown = JSON.parse(line.replace(/^\ufeff/, ''))
    const { id, _type: type } = (value ?? {}) as Record<string, unknown>
    return typeof id === 'string' && (type === undefined || type === 'issue') ? id : null
  } catch {
    // A line that nobody can read stays as it is.
    return null
  }
}

/** Ids of the issues of a file's lines. */
export function issueIds(text: string): Set<string> {
  return new Set(text.split(/\r?\n/).flatMap((line) => idOf(line) ?? []))
}

/**
 * With `todos.exportToJsonl`, brings the to-dos in the git-tracked file up to date. A failure is reported and undoes nothing: the command
 * that calls this has done its own work. Calls that follow each other within `todos.debounceMs` write once, with the last call's state.
 *
 * @param session  only those of its issues; without it of all
 */
export async function keepTodosInFile(
  context: Context,
  options: { dir?: string | undefined },
  session?: string,
): Promise<void> {
  const { enabled, exportToJsonl, debounceMs } = context.config().todos
  if (!enabled || !exportToJsonl) return
  try {
    const { issues, scope } = await openTracker(context, { dir: options.dir, actor: undefined, session: undefined })
    const client = await context.client()
    const { io, signal } = context
    const name = Bun.hash(`${scope.dir ?? io.cwd} ${session ?? ''}`).toString(36)
    const path = join(context.config().home, 'todo-turns', name)
    if (!(await writeTurn({ path, windowMs: debounceMs, signal }))) return
    const known = new Map<string, Record<string, unknown>>()
    const isHere = async (id: string): Promise<boolean> => {
      const issue = await issues.get(id, scope).then((found) => found.issue, absent)
      if (issue?.id !== id) return false
      known.set(id, issue.extra)
      return true
    }
    const { dir } = scope
    for (const [id, items] of await todosByIssue(client, dir === undefined ? {} : { dir }, isHere, session)) {
      const records = items.map(todoRecord)
      if (JSON.stringify(known.get(id)?.[KEY]) === JSON.stringify(records)) continue
      await issues.update(id, { ...scope, extra: { [KEY]: records } })
    }
  } catch (thrown) {
    context.note(`todos.exportToJsonl: ${toAppError(thrown).message}`)
  }
}

/** An issue of another tracker is none of this one's. */
function absent(thrown: unknown): undefined {
  if (thrown instanceof AppError && thrown.code === 'not_found') return undefined
  throw thrown
}
