import { sha256 } from '../../../util/crypto'
import { uuidText } from '../../../util/uuid'
import { idOf, isRecord, type JsonRecord, listOf, recordOf, textOf, uuidOf } from '../../json-lines/json-value'
import { partsOf } from '../../json-lines/parts'

/** Calls and thoughts of one message that are read. */
const LIST_LIMIT = 10_000

/** A line of today that says what a message of a document says, or one of its calls. */
export interface DocumentLine {
  record: JsonRecord
  /** The place in the message's list of calls; `null` = the message itself. */
  call: number | null
}

/**
 * What a message of 2025 says, in the form of lines of today: `{id, timestamp, type: 'user' | 'qwen', content, thoughts, toolCalls, tokens,
 * model}`. A call has its answer within it, which is a line of its own.
 */
export function linesOf(message: JsonRecord, sessionId: string): DocumentLine[] {
  const id = idOf(message.id)
  if (id === undefined) return []
  const { timestamp } = message
  const frame = { uuid: uuidOf(id) ?? uuidFor(sessionId, id), sessionId, timestamp }
  const parts = partsOf(message.content)
  if (message.type !== 'qwen')
    return message.type === 'user' ? [{ record: { ...frame, type: 'user', message: { parts } }, call: null }] : []
  const calls = listOf(message.toolCalls).slice(0, LIST_LIMIT)
  const asked = calls.filter(isRecord).map(({ id: call, name, args }) => ({ functionCall: { id: call, name, args } }))
  const reply = {
    ...{ ...frame, type: 'assistant', model: message.model, usageMetadata: usageIn(message.tokens) },
    message: { parts: [...thoughtsIn(message.thoughts), ...parts, ...asked] },
  }
  return [
    { record: reply, call: null },
    ...calls.flatMap((call, n) => (isRecord(call) ? answerLine(call, n, frame) : [])),
  ]
}

/** The line of a call's answer; none = the call has none. */
export function answerLine(call: JsonRecord, n: number, frame: JsonRecord & { sessionId: string }): DocumentLine[] {
  const { id, name, status, resultDisplay } = call
  const callId = idOf(id)
  const result = partsOf(call.result)
  if (callId === undefined || (status === undefined && result.length === 0)) return []
  const output = textOf(resultDisplay) ?? ''
  const parts = result.length > 0 ? result : [{ functionResponse: { id, name, response: { output } } }]
  const own = { uuid: uuidFor(frame.sessionId, `answer ${callId}`), timestamp: call.timestamp ?? frame.timestamp }
  const record = {
    ...frame,
    ...own,
    type: 'tool_result',
    message: { parts },
    toolCallResult: { callId, status, resultDisplay },
  }
  return [{ record, call: n }]
}

const uuidFor = (sessionId: string, what: string): string =>
  uuidText(sha256('qwen', '\0', sessionId, '\0', what).subarray(0, 16))

const thoughtsIn = (thoughts: unknown): JsonRecord[] =>
  listOf(thoughts)
    .slice(0, LIST_LIMIT)
    .filter(isRecord)
    .map(({ subject, description }) => ({
      text: [textOf(subject), textOf(description)].filter(Boolean).join('\n'),
      thought: true,
    }))

function usageIn(tokens: unknown): JsonRecord | undefined {
  const counts = recordOf(tokens)
  return (
    counts && {
      promptTokenCount: counts.input,
      candidatesTokenCount: counts.output,
      thoughtsTokenCount: counts.thoughts,
      cachedContentTokenCount: counts.cached,
      totalTokenCount: counts.total,
    }
  )
}
