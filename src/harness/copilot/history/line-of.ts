import { MOST_PARTS } from '../../../domain/record/kept-text'
import { idOf, isRecord, type JsonRecord, listOf, recordOf, textOf } from '../../json-lines/json-value'

/** What a line of `events.jsonl` says. */
export interface Line {
  type: string
  data: JsonRecord
}

/**
 * What a value of a document of 2025 says, in the form of a line of today: a message as the model's API has it, or an entry of what the
 * screen showed. `undefined` = it is neither, or of a kind that is not known.
 */
export function lineOf(value: JsonRecord): Line | undefined {
  return typeof value.role === 'string' ? lineOfMessage(value) : lineOfEntry(value)
}

function lineOfMessage(message: JsonRecord): Line | undefined {
  const content = wordsOf(message.content)
  switch (message.role) {
    case 'user':
      return { type: 'user.message', data: { content } }
    case 'assistant':
      return {
        type: 'assistant.message',
        data: {
          content,
          toolRequests: listOf(message.tool_calls).slice(0, MOST_PARTS).filter(isRecord).map(requestOf),
        },
      }
    case 'tool':
      return { type: 'tool.execution_complete', data: { toolCallId: message.tool_call_id, result: { content } } }
    case 'system':
    case 'developer':
      return { type: 'system.message', data: { content } }
    default:
      return undefined
  }
}

const requestOf = (call: JsonRecord): JsonRecord => {
  const asked = recordOf(call.function)
  return { toolCallId: call.id, name: asked?.name, arguments: argumentsOf(asked?.arguments) }
}

/** Characters of arguments that are parsed. */
const ARGUMENTS_LIMIT = 16_000_000

function argumentsOf(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > ARGUMENTS_LIMIT) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

function lineOfEntry(entry: JsonRecord): Line | undefined {
  const text = textOf(entry.text) ?? ''
  switch (entry.type) {
    case 'user':
      return { type: 'user.message', data: { content: text } }
    case 'copilot':
      return { type: 'assistant.message', data: { content: text } }
    case 'info':
    case 'warning':
      return { type: `session.${entry.type}`, data: { message: text } }
    case 'error':
      return { type: 'session.error', data: { message: text } }
    case 'tool_call_requested': {
      const { callId: toolCallId, name } = entry
      return { type: 'assistant.message', data: { toolRequests: [{ toolCallId, name, arguments: entry.arguments }] } }
    }
    case 'tool_call_completed': {
      const content = textOf(recordOf(entry.result)?.log) ?? ''
      return {
        type: 'tool.execution_complete',
        data: { toolCallId: entry.callId, success: !hasFailed(entry), result: { content } },
      }
    }
    default:
      return undefined
  }
}

/** Whether a call that is over did not do what it was to do. */
export function hasFailed(entry: JsonRecord): boolean {
  const outcome = idOf(recordOf(entry.result)?.type)
  return outcome !== undefined && outcome !== 'success'
}

/** The words of a message; an image is `[image]`. */
function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content
  return listOf(content)
    .slice(0, MOST_PARTS)
    .flatMap((part) => {
      if (!isRecord(part)) return []
      if (typeof part.text === 'string') return [part.text]
      return [part.type === 'image_url' ? '[image]' : `[${(idOf(part.type) ?? 'part').slice(0, 100)}]`]
    })
    .join('\n')
}
