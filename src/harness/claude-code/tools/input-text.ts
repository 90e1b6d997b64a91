import { addCall } from '../../json-lines/call-words'
import type { TextBudget } from '../../json-lines/text'

/** Fields of a tool's input that say in words what the call is about, most telling first. */
const TELLING: ReadonlySet<string> = new Set([
  'command',
  'file_path',
  'notebook_path',
  'path',
  'pattern',
  'query',
  'url',
  'subject',
  'description',
  'prompt',
  'skill',
  'to',
  'message',
  'taskId',
])

/** Writes a call of Claude Code's as a person reads it. */
export const addToolInput = (budget: TextBudget, name: string, input: unknown): void =>
  addCall(budget, name, input, TELLING)
