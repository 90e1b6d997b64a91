import { KEPT } from '../../../domain/record/kept-text'
import type { TodoChange, TodoObservation, TodoStatus } from '../../../domain/record/observation'
import type { JsonRecord } from '../../json-lines/json-value'
import { idOf, isRecord, listOf, recordOf, textOf } from '../../json-lines/json-value'
import { clip } from '../../json-lines/text'
import type { ToolPlace } from './place'

/** Items of one list, and characters of them all: far more than a list that is worked on has. */
const ITEM_LIMIT = 100_000
const LIST_WORDS_LIMIT = 8_000_000
/** Ids of one item's blockers. */
const BLOCKER_LIMIT = 2_000

/** The tool of Lodeline's that does what TodoWrite does, by its own name and as agents call it. */
const UPDATE_TODOS = /^(?:mcp__.{1,150}__)?update-todos$/

/** Whether calls of this tool change a list of to-dos, by their input alone or with their answer. */
export const isTodoTool = (name: string): boolean =>
  isListTool(name) || name === 'TaskCreate' || name === 'TaskUpdate' || name === 'TaskList'

/** Tools whose input is the whole list. */
const isListTool = (name: string): boolean => name === 'TodoWrite' || UPDATE_TODOS.test(name)

export function todoObservation(place: ToolPlace, change: TodoChange): TodoObservation {
  return { kind: 'todo', ...place, change }
}

/** What a call of a to-do tool asks for; `undefined` for other tools and for calls that change nothing. */
export function todoCall(name: string, input: unknown): TodoChange | undefined {
  const fields = recordOf(input)
  if (!fields) return undefined
  if (isListTool(name)) return snapshotOf(fields.todos)
  if (name === 'TaskCreate') return { op: 'create_input', ...createFields(fields) }
  if (name === 'TaskUpdate') return updateOf(fields)
  return undefined
}

/** What the answer of a to-do tool says, told by its shape: the line does not name the tool. */
export function todoAnswer(answer: JsonRecord): TodoChange | undefined {
  const task = recordOf(answer.task)
  // TaskGet answers with a status too, TaskOutput with a `task_id`: neither changes a list.
  if (task && task.status === undefined && task.task_id === undefined) return createdOf(task)
  if (Array.isArray(answer.updatedFields)) return updateResultOf(answer)
  if (Array.isArray(answer.tasks)) return listChangeOf(answer.tasks)
  return undefined
}

/** The same from the answer's text, for lines that carry nothing else (sub-agents' files). */
export function todoAnswerText(text: string): TodoChange | undefined {
  const created = /^Task #(\S{1,200}) created successfully: (.*)/.exec(text)
  if (created) return createdOf({ id: created[1], subject: created[2] })
  const updated = /^Updated task #(\S{1,200}) /.exec(text)
  const nativeId = idOf(updated?.[1])
  return nativeId === undefined ? undefined : { op: 'update_result', nativeId, isSuccess: true }
}

type Snapshot = Extract<TodoChange, { op: 'snapshot' }>
type ListChange = Extract<TodoChange, { op: 'list' }>
type OpenStatus = Exclude<TodoStatus, 'removed'>

function snapshotOf(todos: unknown): Snapshot | undefined {
  if (!Array.isArray(todos)) return undefined
  const items: Snapshot['items'] = []
  let leftOut = 0
  let characters = 0
  for (const todo of todos) {
    if (!isRecord(todo)) continue
    const content = wordsOf(todo.content)
    if (content === undefined) continue
    const activeForm = wordsOf(todo.activeForm)
    characters += content.length + (activeForm?.length ?? 0)
    if (items.length >= ITEM_LIMIT || characters > LIST_WORDS_LIMIT) leftOut++
    else items.push({ content, ...optional('activeForm', activeForm), status: openStatusOf(todo.status) })
  }
  return { op: 'snapshot', items, ...(leftOut > 0 && { leftOut }) }
}

function createFields(fields: JsonRecord): { subject?: string; description?: string; activeForm?: string } {
  return {
    ...optional('subject', wordsOf(fields.subject)),
    ...optional('description', wordsOf(fields.description)),
    ...optional('activeForm', wordsOf(fields.activeForm)),
  }
}

function createdOf(task: JsonRecord): TodoChange | undefined {
  const nativeId = idOf(task.id)
  if (nativeId === undefined) return undefined
  const { subject = '', description, activeForm } = createFields(task)
  return {
    op: 'create',
    nativeId,
    subject,
    ...optional('description', description),
    ...optional('activeForm', activeForm),
  }
}

function updateOf(fields: JsonRecord): TodoChange | undefined {
  const nativeId = idOf(fields.taskId)
  if (nativeId === undefined) return undefined
  return {
    op: 'update',
    nativeId,
    ...optional('status', statusOf(fields.status)),
    ...createFields(fields),
    ...optional('owner', wordsOf(fields.owner)),
    ...optional('addBlocks', idsOf(fields.addBlocks)),
    ...optional('addBlockedBy', idsOf(fields.addBlockedBy)),
  }
}

function updateResultOf(answer: JsonRecord): TodoChange | undefined {
  const nativeId = idOf(answer.taskId)
  return nativeId === undefined ? undefined : { op: 'update_result', nativeId, isSuccess: answer.success === true }
}

function listChangeOf(tasks: readonly unknown[]): ListChange | undefined {
  const items: ListChange['items'] = []
  for (const task of tasks.slice(0, ITEM_LIMIT)) {
    const item = isRecord(task) ? taskItemOf(task) : undefined
    // Another tool's `tasks`, or a list of which a part can't be read: as a whole list it would remove what it lacks.
    if (!item) return undefined
    items.push(item)
  }
  return { op: 'list', items }
}

/** One item as TaskList and the CLI's own task files show it. */
export function taskItemOf(task: JsonRecord): ListChange['items'][number] | undefined {
  const nativeId = idOf(task.id)
  const subject = wordsOf(task.subject)
  if (nativeId === undefined || subject === undefined || typeof task.status !== 'string') return undefined
  return {
    nativeId,
    subject,
    status: openStatusOf(task.status),
    ...optional('owner', wordsOf(task.owner)),
    ...optional('blockedBy', idsOf(task.blockedBy)),
    ...optional('description', wordsOf(task.description)),
    ...optional('activeForm', wordsOf(task.activeForm)),
  }
}

function wordsOf(value: unknown): string | undefined {
  const text = textOf(value)
  return text === undefined ? undefined : clip(text, KEPT.todo)
}

function idsOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return listOf(value)
    .slice(0, BLOCKER_LIMIT)
    .map(idOf)
    .filter((id) => id !== undefined)
}

function statusOf(value: unknown): TodoStatus | undefined {
  if (value === 'deleted') return 'removed'
  return value === 'pending' || value === 'in_progress' || value === 'completed' ? value : undefined
}

/** A status that the tools do not have is a mistake of the model's: the item is there, so it is open. */
function openStatusOf(value: unknown): OpenStatus {
  return value === 'in_progress' || value === 'completed' ? value : 'pending'
}

function optional<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]?: Value })
}
