import { addCall } from '../json-lines/call-words'
import type { JsonRecord } from '../json-lines/json-value'
import { idOf, isRecord, listOf, textOf } from '../json-lines/json-value'
import { clip, type TextBudget } from '../json-lines/text'

/** Tools whose calls ask a person for something: the session waits until they are answered. */
export const ASKING_TOOLS: ReadonlySet<string> = new Set(['request_user_input'])

/** Fields of a tool's input that say in words what the call is about, most telling first. */
const TELLING: ReadonlySet<string> = new Set([
  'cmd',
  'command',
  'path',
  'query',
  'url',
  'task_name',
  'message',
  'prompt',
  'explanation',
])

/** A call of a tool, whichever of its forms it is written in. */
export interface Call {
  toolUseId: string | undefined
  name: string
  input: unknown
}

/** What an item calls; `undefined` = it is no call. */
export function callOf(item: JsonRecord): Call | undefined {
  const toolUseId = idOf(item.call_id ?? item.id)
  switch (item.type) {
    case 'function_call':
      return { toolUseId, name: toolName(item), input: argumentsOf(item.arguments) }
    case 'custom_tool_call':
      return { toolUseId, name: toolName(item), input: item.input }
    case 'local_shell_call':
      return { toolUseId, name: 'local_shell', input: commandOf(item.action) }
    case 'web_search_call':
      return { toolUseId, name: 'web_search', input: item.action }
    case 'image_generation_call':
      return { toolUseId, name: 'image_generation', input: { prompt: textOf(item.revised_prompt) ?? '' } }
    case 'tool_search_call':
      return { toolUseId, name: 'tool_search', input: argumentsOf(item.arguments) }
    default:
      return undefined
  }
}

/** A server's tool is named as all agent CLIs name it: `mcp__<server>__<tool>`. */
function toolName(item: JsonRecord): string {
  const name = clip(idOf(item.name) ?? 'tool', 200)
  const space = idOf(item.namespace)
  return space?.startsWith('mcp__') === true && !name.startsWith('mcp__') ? clip(`${space}__${name}`, 200) : name
}

/** Characters of arguments that are parsed. */
const ARGUMENTS_LIMIT = 16_000_000

function argumentsOf(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > ARGUMENTS_LIMIT) return value
  try {
    const read: unknown = JSON.parse(value)
    return isRecord(read) ? simplified(read) : read
  } catch {
    return value
  }
}

/** A command of the older `shell` tool is a list of words: `["bash", "-lc", "make test"]`. */
function simplified(input: JsonRecord): JsonRecord {
  return Array.isArray(input.command) ? { ...input, command: wordsOf(input.command) } : input
}

const commandOf = (action: unknown): unknown => (isRecord(action) ? simplified(action) : action)

function wordsOf(command: readonly unknown[]): string {
  const words = command.filter((word) => typeof word === 'string')
  const isShell = words.length === 3 && /(?:^|\/)(?:ba|z|da)?sh$/.test(words[0] ?? '') && /^-l?c$/.test(words[1] ?? '')
  return isShell ? (words[2] ?? '') : words.join(' ')
}

/** Writes a call as a person reads it. */
export const addCallWords = (budget: TextBudget, { name, input }: Call): void => addCall(budget, name, input, TELLING)

/** A tool's answer. */
export interface Answer {
  toolUseId: string | undefined
  text: string
  isError: boolean
  /** The session had ended, or a person had stopped the turn, before the tool was done. */
  isInterrupted: boolean
  /** Images and what else is no text. */
  others: readonly unknown[]
}

const ANSWERS: ReadonlySet<unknown> = new Set([
  'function_call_output',
  'custom_tool_call_output',
  'local_shell_call_output',
  'tool_search_output',
])

/** What a tool answered; `undefined` = the item is no answer. */
export function answerOf(item: JsonRecord): Answer | undefined {
  if (!ANSWERS.has(item.type)) return undefined
  const output =
    isRecord(item.output) && 'content' in item.output ? item.output : { content: item.output ?? item.tools }
  const { text, others } = partsOf(output.content)
  const isInterrupted = /^(?:Wall time: [^\n]{1,60}\n)?aborted(?: by user[^\n]*)?\s*$/.test(text.slice(0, 200))
  const isRefused = 'success' in output && output.success === false
  return {
    toolUseId: idOf(item.call_id),
    text,
    isError: isInterrupted || isRefused || hasFailed(text) || hasFailedBefore(item),
    isInterrupted,
    others,
  }
}

function partsOf(content: unknown): { text: string; others: unknown[] } {
  if (typeof content === 'string') return { text: outputIn(content), others: [] }
  const texts: string[] = []
  const others: unknown[] = []
  for (const part of listOf(content)) {
    if (isRecord(part) && typeof part.text === 'string') texts.push(part.text)
    else others.push(part)
  }
  if (isRecord(content)) others.push(content)
  return { text: texts.join('\n'), others }
}

/** Releases of 2025 answer `{"output": "…", "metadata": {"exit_code": 0}}` as a text. */
function outputIn(text: string): string {
  const old = metadataIn(text)
  return typeof old?.output === 'string' ? old.output : text
}

function metadataIn(text: string): JsonRecord | undefined {
  if (!text.startsWith('{"output":') || text.length > ARGUMENTS_LIMIT) return undefined
  try {
    const read: unknown = JSON.parse(text)
    return isRecord(read) && isRecord(read.metadata) ? read : undefined
  } catch {
    return undefined
  }
}

/** Whether a command says that it ended with another code than 0, in the lines before its output. */
function hasFailed(text: string): boolean {
  const facts = text.slice(0, 500).split(/^Output:/m, 1)[0] ?? ''
  const code = /^(?:Process exited with code|Exit code:) (-?\d{1,10})\s*$/m.exec(facts)?.[1]
  return code !== undefined && code !== '0'
}

/** The code of an answer of 2025, whose text no longer says it. */
function hasFailedBefore(item: JsonRecord): boolean {
  const metadata = typeof item.output === 'string' ? metadataIn(item.output)?.metadata : undefined
  return isRecord(metadata) && typeof metadata.exit_code === 'number' && metadata.exit_code !== 0
}
