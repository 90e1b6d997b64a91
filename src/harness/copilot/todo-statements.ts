import { KEPT } from '../../domain/record/kept-text'
import type { TodoChange } from '../../domain/record/observation'
import { clip } from '../json-lines/text'
import { type Token, TokenReader } from './sql-tokens'

/** What one row of a statement does to one to-do: parts of one change. */
export type TodoStep = TodoChange[]

/** Characters of the agent's own id of a to-do. */
const ID_LIMIT = 200

const COLUMNS = ['id', 'title', 'description', 'status'] as const

/**
 * What a statement does to the tables `todos` and `todo_deps`, as far as its words alone tell: rows that it names by their id. What it
 * picks by another condition only the database knows; the next look at the table shows it.
 */
export function stepsOf(statement: readonly Token[]): TodoStep[] {
  const reader = new TokenReader(statement)
  if (reader.take('insert') || reader.take('replace')) return insertion(reader)
  if (reader.take('update')) return update(reader)
  return reader.take('delete', 'from', 'todos') ? deletion(reader) : []
}

/** Whether a statement shows the whole table: rows that it does not show are gone. */
export const isWholeLook = (statement: readonly Token[]): boolean =>
  isLook(statement) && !statement.some(({ kind, text }) => kind === 'word' && NARROWING.has(text))

/** Whether a statement shows rows of the table, each as it is. */
export function isLook(statement: readonly Token[]): boolean {
  const from = statement.findIndex(({ kind, text }) => kind === 'word' && text === 'from')
  return new TokenReader(statement).take('select') && statement[from + 1]?.text === 'todos'
}

const NARROWING: ReadonlySet<string> = new Set([
  'where',
  'limit',
  'join',
  'group',
  'having',
  'offset',
  'union',
  'except',
])

function insertion(reader: TokenReader): TodoStep[] {
  if (reader.take('or')) reader.name()
  if (!reader.take('into')) return []
  const table = reader.name()
  if (table !== 'todos' && table !== 'todo_deps') return []
  const columns = columnsOf(reader) ?? (table === 'todos' ? [...COLUMNS] : ['todo_id', 'depends_on'])
  if (!reader.take('values')) return []
  const steps: TodoStep[] = []
  while (reader.take('(')) {
    const row = new Map<string, string | null>()
    for (const column of columns) {
      row.set(column, reader.value())
      reader.take(',')
    }
    steps.push(table === 'todos' ? created(row) : blocked(row))
    if (!reader.take(')') || !reader.take(',')) break
  }
  return steps
}

function columnsOf(reader: TokenReader): string[] | undefined {
  if (!reader.take('(')) return undefined
  const columns: string[] = []
  for (let name = reader.name(); name !== undefined; name = reader.name()) {
    columns.push(name)
    reader.take(',')
  }
  reader.take(')')
  return columns
}

function created(row: ReadonlyMap<string, string | null>): TodoStep {
  const nativeId = idOf(row.get('id'))
  if (nativeId === undefined) return []
  const description = row.get('description')
  const words = { ...(description && { description: clip(description, KEPT.todo) }) }
  const subject = clip(row.get('title') ?? nativeId, KEPT.todo)
  const status = row.get('status')
  return [
    { op: 'create', nativeId, subject, ...words },
    ...(status ? changed(nativeId, { status: statusOf(status) }) : []),
  ]
}

function blocked(row: ReadonlyMap<string, string | null>): TodoStep {
  const nativeId = idOf(row.get('todo_id'))
  const blocker = idOf(row.get('depends_on'))
  return nativeId === undefined || blocker === undefined ? [] : changed(nativeId, { addBlockedBy: [blocker] })
}

function update(reader: TokenReader): TodoStep[] {
  if (!reader.take('todos', 'set')) return []
  const fields: Omit<TodoUpdate, 'op' | 'nativeId'> = {}
  do {
    const column = reader.name()
    if (column === undefined || !reader.take('=')) return []
    const value = reader.value('where')
    if (value === null) continue
    if (column === 'status') fields.status = statusOf(value)
    if (column === 'title') fields.subject = clip(value, KEPT.todo)
    if (column === 'description') fields.description = clip(value, KEPT.todo)
  } while (reader.take(','))
  return namedIds(reader).map((nativeId) => changed(nativeId, fields))
}

function deletion(reader: TokenReader): TodoStep[] {
  if (reader.isAtEnd) return [[{ op: 'list', items: [] }]]
  return namedIds(reader).map((nativeId) => changed(nativeId, { status: 'removed' }))
}

/** The ids of a condition that is nothing else: `where id = 'a'`, `where id in ('a', 'b')`. */
function namedIds(reader: TokenReader): string[] {
  const ids: (string | null)[] = []
  if (reader.take('where', 'id', '=')) ids.push(reader.value('and', 'or'))
  else if (reader.take('where', 'id', 'in', '('))
    do ids.push(reader.value())
    while (reader.take(',') || !reader.take(')'))
  return reader.isAtEnd ? ids.flatMap((id) => idOf(id) ?? []) : []
}

type TodoUpdate = Extract<TodoChange, { op: 'update' }>

/** A change that the database has made. */
export const changed = (nativeId: string, fields: Omit<TodoUpdate, 'op' | 'nativeId'>): TodoStep => [
  { op: 'update', nativeId, ...fields },
  { op: 'update_result', nativeId, isSuccess: true },
]

export function idOf(value: string | null | undefined): string | undefined {
  const id = value === null || value === undefined ? '' : clip(value, ID_LIMIT)
  return id === '' ? undefined : id
}

/** What is blocked is open. */
export function statusOf(status: string): 'pending' | 'in_progress' | 'completed' {
  if (status === 'done') return 'completed'
  return status === 'in_progress' ? 'in_progress' : 'pending'
}
