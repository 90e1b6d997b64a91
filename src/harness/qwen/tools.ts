import { KEPT, MOST_TODOS } from '../../domain/record/kept-text'
import type { Launch, TodoChange } from '../../domain/record/observation'
import { addCall } from '../json-lines/call-words'
import { isRecord, type JsonRecord, listOf, recordOf, textOf } from '../json-lines/json-value'
import type { PartCall } from '../json-lines/parts'
import { clip, type TextBudget } from '../json-lines/text'

/** Tools whose calls ask a person for something: the session waits until they are answered. */
export const ASKING_TOOLS: ReadonlySet<string> = new Set(['ask_user_question'])

/** Tools that launch sub-agents: `task` until 2026. */
const LAUNCH_TOOLS: ReadonlySet<string> = new Set(['agent', 'task'])

/** Fields of a tool's input that say in words what the call is about, most telling first. */
const TELLING: ReadonlySet<string> = new Set([
  'command',
  'file_path',
  'absolute_path',
  'path',
  'pattern',
  'query',
  'url',
  'subagent_type',
  'description',
  'prompt',
])

/** Writes a call as a person reads it. */
export const addCallWords = (budget: TextBudget, { name, input }: PartCall): void =>
  addCall(budget, name, input, TELLING)

/** What a call asks for when it launches a sub-agent; else `undefined`. */
export function launchOf({ name, input }: PartCall): Launch | undefined {
  const asked = LAUNCH_TOOLS.has(name) ? recordOf(input) : undefined
  if (asked === undefined) return undefined
  const type = textOf(asked.subagent_type)
  const description = textOf(asked.description)
  const prompt = textOf(asked.prompt)
  return {
    ...(type && { type: clip(type, KEPT.short) }),
    ...(description && { description: clip(description, KEPT.short) }),
    ...(prompt && { prompt: clip(prompt, KEPT.long) }),
  }
}

/** The whole list, as `todo_write` shows it once it is done; `undefined` = the tool was another one, or it failed. */
export function todosOf(result: JsonRecord | undefined): TodoChange | undefined {
  const shown = recordOf(result?.resultDisplay)
  if (result?.status !== 'success' || shown?.type !== 'todo_list' || !Array.isArray(shown.todos)) return undefined
  const items = listOf(shown.todos).flatMap((todo) => {
    const content = isRecord(todo) ? textOf(todo.content) : undefined
    return isRecord(todo) && content !== undefined
      ? [{ content: clip(content, KEPT.todo), status: statusOf(todo.status) }]
      : []
  })
  const leftOut = Math.max(0, items.length - MOST_TODOS)
  return { op: 'snapshot', items: items.slice(0, MOST_TODOS), ...(leftOut > 0 && { leftOut }) }
}

const statusOf = (status: unknown): 'pending' | 'in_progress' | 'completed' =>
  status === 'in_progress' || status === 'completed' ? status : 'pending'
