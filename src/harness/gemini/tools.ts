import { KEPT, MOST_TODOS } from '../../domain/record/kept-text'
import type { Launch, TodoChange } from '../../domain/record/observation'
import { addCall } from '../json-lines/call-words'
import { isRecord, listOf, recordOf, textOf } from '../json-lines/json-value'
import type { PartCall } from '../json-lines/parts'
import { clip, type TextBudget } from '../json-lines/text'

/** Tools whose calls ask a person for something: the session waits until they are answered. */
export const ASKING_TOOLS: ReadonlySet<string> = new Set(['ask_user'])

/** The tool that launches a sub-agent. */
export const LAUNCH_TOOL = 'invoke_agent'
/** The tool by which the agent keeps its to-dos: models of 3.x do not have it (0.61). */
export const TODO_TOOL = 'write_todos'
/** The tool by which models of 3.x name what they work on. */
export const TOPIC_TOOL = 'update_topic'

/** Fields of a tool's input that say in words what the call is about, most telling first. */
const TELLING: ReadonlySet<string> = new Set([
  'command',
  'file_path',
  'path',
  'dir_path',
  'pattern',
  'query',
  'url',
  'title',
  'summary',
  'agent_name',
  'prompt',
  'description',
])

/** Writes a call as a person reads it. */
export const addCallWords = (budget: TextBudget, { name, input }: PartCall): void =>
  addCall(budget, name, input, TELLING)

/** Characters at an answer's end in which the code of a command stands. */
const END_LENGTH = 600

/** Whether an answer says that a command ended with another code than 0. What the command printed stands before that line. */
export const commandFailed = (name: string | undefined, text: string): boolean =>
  name === 'run_shell_command' && /^Exit Code: -?[1-9]\d{0,9}\s*$/m.test(text.slice(-END_LENGTH))

/** What a call asks for when it launches a sub-agent; else `undefined`. */
export function launchOf({ name, input }: PartCall): Launch | undefined {
  const asked = name === LAUNCH_TOOL ? recordOf(input) : undefined
  if (asked === undefined) return undefined
  const type = textOf(asked.agent_name)
  const prompt = textOf(asked.prompt)
  return {
    ...(type && { type: clip(type, KEPT.short) }),
    ...(prompt && { prompt: clip(prompt, KEPT.long) }),
  }
}

/** The whole list, as a call gives it; `undefined` = it gives none. One that the agent cancelled is no longer on it. */
export function todosOf({ name, input }: PartCall): TodoChange | undefined {
  const todos = name === TODO_TOOL ? recordOf(input)?.todos : undefined
  if (!Array.isArray(todos)) return undefined
  const items = listOf(todos).flatMap((todo) => {
    const content = isRecord(todo) ? textOf(todo.description) : undefined
    if (!isRecord(todo) || content === undefined || todo.status === 'cancelled') return []
    return [{ content: clip(content, KEPT.todo), status: statusOf(todo.status) }]
  })
  const leftOut = Math.max(0, items.length - MOST_TODOS)
  return { op: 'snapshot', items: items.slice(0, MOST_TODOS), ...(leftOut > 0 && { leftOut }) }
}

/** `blocked` is still to be done. */
const statusOf = (status: unknown): 'pending' | 'in_progress' | 'completed' =>
  status === 'in_progress' || status === 'completed' ? status : 'pending'
