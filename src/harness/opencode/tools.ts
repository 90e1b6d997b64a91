import { KEPT, MOST_TODOS } from '../../domain/record/kept-text'
import type { EndStatus, Launch, TodoChange } from '../../domain/record/observation'
import { addCall } from '../json-lines/call-words'
import { idOf, isRecord, type JsonRecord, listOf, recordOf, textOf } from '../json-lines/json-value'
import { clip, type TextBudget } from '../json-lines/text'
import { patchedFiles, type WritingTools, writtenFiles } from '../json-lines/written-files'
import { timesOf } from './place'

/** By these the agent asks a person. */
export const ASKING_TOOLS: ReadonlySet<string> = new Set(['question'])
/** The tool that keeps the agent's to-dos, and the one that launches another session. */
export const TODO_TOOL = 'todowrite'
export const TASK_TOOL = 'task'

const WRITING_TOOLS: WritingTools = { edit: 'filePath', write: 'filePath' }

/** The files that a call is to write; `undefined` = none. */
export const filesOf = ({ name, input }: ToolPart): string[] | undefined =>
  name === 'patch' || name === 'apply_patch'
    ? patchedFiles(textOf(recordOf(input)?.patchText) ?? '')
    : writtenFiles(WRITING_TOOLS, name, input)

const TODO_WORDS = 4_000

/** A part of the type `tool`: a call, and its answer once it has one. */
export interface ToolPart {
  toolUseId: string
  name: string
  /** `pending` = the model is still writing the call. */
  status: 'pending' | 'running' | 'completed' | 'error'
  input: unknown
  answer: string
  isInterrupted: boolean
  metadata: JsonRecord
  /** Files that the tool answered with. */
  attachments: readonly unknown[]
  start: number | null
  end: number | null
}

/** Ids of calls that a model's server makes are no shorter, unless it numbers those of each answer anew. */
const UNIQUE_LENGTH = 10

/** @param id  of the part */
export function toolPart(data: JsonRecord, id: string): ToolPart | null {
  const state = recordOf(data.state)
  if (data.type !== 'tool' || state === undefined) return null
  const callId = idOf(data.callID) ?? ''
  const name = textOf(data.tool) ?? 'tool'
  const status = statusOf(state.status)
  const answer = textOf(status === 'error' ? state.error : state.output) ?? ''
  const metadata = recordOf(state.metadata) ?? {}
  return {
    toolUseId: callId.length >= UNIQUE_LENGTH ? callId : `${callId}:${id}`,
    name: clip(name, 200),
    status,
    input: state.input,
    answer,
    isInterrupted:
      status === 'error' &&
      (metadata.interrupted === true || /^Tool execution (?:was )?(?:aborted|interrupted)/.test(answer)),
    metadata,
    attachments: listOf(state.attachments ?? metadata.attachments),
    ...timesOf(data),
  }
}

function statusOf(status: unknown): ToolPart['status'] {
  return status === 'running' || status === 'completed' || status === 'error' ? status : 'pending'
}

/** Whether an answer is a failure: of the tool, or of the command that it ran. */
export const hasFailed = ({ status, metadata }: ToolPart): boolean =>
  status === 'error' || (typeof metadata.exit === 'number' && metadata.exit !== 0)

/** Fields of inputs that say in words what a call is about. */
export const TELLING: ReadonlySet<string> = new Set([
  'command',
  'filePath',
  'pattern',
  'url',
  'query',
  'prompt',
  'description',
  'content',
  'newString',
])

export const addToolWords = (budget: TextBudget, { name, input }: ToolPart): void =>
  addCall(budget, name, input, TELLING)

/** What a call asks for when it launches a session. */
export function launchOf({ name, input }: ToolPart): Launch | undefined {
  const asked = name === TASK_TOOL ? recordOf(input) : undefined
  if (asked === undefined) return undefined
  return {
    ...short('type', asked.subagent_type),
    ...short('description', asked.description),
    ...(typeof asked.prompt === 'string' && { prompt: clip(asked.prompt, KEPT.long) }),
  }
}

/** The session that a call launched, or continued; `null` = the answer does not say yet. */
export function launchedBy(part: ToolPart): { id: string; isContinued: boolean } | null {
  const id = part.name === TASK_TOOL ? idOf(part.metadata.sessionId) : undefined
  if (id === undefined) return null
  const asked = recordOf(part.input)
  return { id, isContinued: idOf(asked?.task_id ?? asked?.session_id) === id }
}

/** How the launched session ended, and its last words. */
export function launchEnd({ status, answer, isInterrupted }: ToolPart): { status: EndStatus; result: string } | null {
  if (status !== 'completed' && status !== 'error') return null
  const [, words] = /<task_result>\n?([\s\S]*?)\n?<\/task_result>/.exec(answer) ?? []
  const ended = status === 'completed' ? 'completed' : isInterrupted ? 'killed' : 'failed'
  return { status: ended, result: clip(words ?? answer, KEPT.long) }
}

/** The whole list of to-dos, as a call gives it. An item that the agent cancelled is off its list. */
export function todosOf({ name, input }: ToolPart): TodoChange | undefined {
  const list = name === TODO_TOOL ? recordOf(input)?.todos : undefined
  if (!Array.isArray(list)) return undefined
  const items = listOf(list).flatMap((item) => {
    const content = isRecord(item) ? textOf(item.content) : undefined
    if (!isRecord(item) || content === undefined || item.status === 'cancelled') return []
    return [{ content: clip(content, TODO_WORDS), status: todoStatus(item.status) }]
  })
  const leftOut = Math.max(0, items.length - MOST_TODOS)
  return { op: 'snapshot', items: items.slice(0, MOST_TODOS), ...(leftOut > 0 && { leftOut }) }
}

/** A status that the tool does not have is a mistake of the model's: the item is there, so it is open. */
function todoStatus(status: unknown): 'pending' | 'in_progress' | 'completed' {
  return status === 'in_progress' || status === 'completed' ? status : 'pending'
}

function short<Key extends 'type' | 'description'>(key: Key, value: unknown): Partial<Record<Key, string>> {
  const text = textOf(value)
  return text === undefined || text === '' ? {} : ({ [key]: clip(text, KEPT.short) } as Record<Key, string>)
}
