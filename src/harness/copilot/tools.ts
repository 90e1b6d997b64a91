import { addCall } from '../json-lines/call-words'
import type { JsonRecord } from '../json-lines/json-value'
import { idOf, isRecord, listOf, parsedJson, recordOf, textOf } from '../json-lines/json-value'
import { clip, type TextBudget } from '../json-lines/text'
import { patchedFiles, type WritingTools, writtenFiles } from '../json-lines/written-files'

/** Tools whose calls ask a person for something: the session waits until they are answered. */
export const ASKING_TOOLS: ReadonlySet<string> = new Set(['ask_user', 'exit_plan_mode'])

/** Fields of a tool's input that say in words what the call is about, most telling first. */
const TELLING: ReadonlySet<string> = new Set([
  'command',
  'path',
  'pattern',
  'query',
  'url',
  'question',
  'description',
  'prompt',
  'message',
])

/** A call of a tool. */
export interface Call {
  toolUseId: string | undefined
  name: string
  input: unknown
}

/** Calls that one message may hold: a model makes a few, only a hostile line has more. */
const CALL_LIMIT = 1_000

/** The calls of a message of the model. */
export const callsOf = (data: JsonRecord): Call[] =>
  listOf(data.toolRequests)
    .slice(0, CALL_LIMIT)
    .filter(isRecord)
    .map((request) => ({
      toolUseId: idOf(request.toolCallId),
      name: toolName(request, 'name'),
      input: argumentsOf(request.arguments),
    }))

/** The call of a line that is about one. */
export const callIn = (data: JsonRecord): Call => ({
  toolUseId: idOf(data.toolCallId),
  name: toolName(data, 'toolName'),
  input: argumentsOf(data.arguments),
})

/** Characters of arguments that are parsed. */
const ARGUMENTS_LIMIT = 16_000_000

/** Some models' calls have them as a text of JSON; a patch is a text of its own kind. */
function argumentsOf(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('{') || value.length > ARGUMENTS_LIMIT) return value
  return recordOf(parsedJson(value)) ?? value
}

/** A server's tool is named as all agent CLIs name it: `mcp__<server>__<tool>`. */
function toolName(data: JsonRecord, field: string): string {
  const server = textOf(data.mcpServerName)
  const tool = textOf(data.mcpToolName)
  return clip(server && tool ? `mcp__${server}__${tool}` : (idOf(data[field]) ?? 'tool'), 200)
}

/** Writes a call as a person reads it. */
export const addCallWords = (budget: TextBudget, { name, input }: Call): void => addCall(budget, name, input, TELLING)

const WRITING_TOOLS: WritingTools = { create: 'path', edit: 'path' }
/** Older releases have one tool to read and to write. */
const EDITOR = 'str_replace_editor'
const EDITOR_WRITES: WritingTools = { create: 'path', str_replace: 'path', insert: 'path' }

/** The files that a call is to write; `undefined` = none. */
export function filesOf(name: string, input: unknown): string[] | undefined {
  if (name === 'apply_patch') return patchedFiles(textOf(input) ?? textOf(recordOf(input)?.input) ?? '')
  return name === EDITOR
    ? writtenFiles(EDITOR_WRITES, textOf(recordOf(input)?.command) ?? '', input)
    : writtenFiles(WRITING_TOOLS, name, input)
}

/** A tool's answer. */
export interface Answer {
  toolUseId: string | undefined
  text: string
  isError: boolean
  /** The process had ended, or a person had stopped the turn, before the tool was done. */
  isInterrupted: boolean
  /** Images and what else is no text. */
  others: readonly unknown[]
}

/** What a `tool.execution_complete` answers. */
export function answerOf(data: JsonRecord): Answer {
  const error = recordOf(data.error)
  const result = recordOf(data.result)
  const exitCode = recordOf(data.shellExecution)?.exitCode
  const isInterrupted = error?.code === 'interrupted'
  return {
    toolUseId: idOf(data.toolCallId),
    text: textOf(result?.content) ?? textOf(data.result) ?? textOf(error?.message) ?? '',
    isError: data.success === false || (typeof exitCode === 'number' && exitCode !== 0),
    isInterrupted,
    others: listOf(result?.binaryResultsForLlm),
  }
}
