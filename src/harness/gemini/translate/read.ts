import type { LineContent } from '../../../domain/conversation/line-content'
import type { NeutralConversation } from '../../../domain/harness/translation'
import { BlockWriter } from '../../json-lines/block-writer'
import { ConversationBuilder } from '../../json-lines/conversation-builder'
import { idOf, isRecord, type JsonRecord, listOf, textOf } from '../../json-lines/json-value'
import { writePart } from '../../json-lines/part-blocks'
import { callIn, nameOfTool, partsOf } from '../../json-lines/parts'
import { eachLine } from '../lines'
import { isContext } from '../messages'
import { thoughtsOf } from '../reply'

/** Calls of one message that are read. */
const CALL_LIMIT = 10_000

/** What the model would see of a conversation: each message as it was written last, after the last change of the whole and steps back. */
export function readConversation(transcript: Uint8Array): NeutralConversation {
  const builder = new ConversationBuilder()
  for (const message of messagesOf(transcript).values()) {
    if (message.type === 'user') addUser(builder, message)
    else if (message.type === 'gemini') addReply(builder, message)
  }
  return builder.build()
}

/** By their ids, in the order in which they came first. */
function messagesOf(transcript: Uint8Array): Map<string, JsonRecord> {
  const messages = new Map<string, JsonRecord>()
  const put = (record: unknown): void => {
    const id = isRecord(record) ? idOf(record.id) : undefined
    if (isRecord(record) && id !== undefined) messages.set(id, record)
  }
  const read = (record: JsonRecord): void => {
    if (isRecord(record.$set)) {
      if (!Array.isArray(record.$set.messages)) return
      messages.clear()
      for (const message of record.$set.messages) put(message)
    } else if (isRecord(record.$patch)) patch(messages, record.$patch)
    else if (typeof record.$rewindTo === 'string') stepBack(messages, record.$rewindTo)
    else if (typeof record.projectHash === 'string') for (const message of listOf(record.messages)) put(message)
    else put(record)
  }
  const document = documentIn(transcript)
  if (document !== undefined) read(document)
  else eachLine(transcript, { onRecord: ({ record }) => read(record), onBroken() {} })
  return messages
}

/** Conversations of 2025 are one JSON value over many lines. */
function documentIn(transcript: Uint8Array): JsonRecord | undefined {
  const end = transcript.indexOf(10)
  if (end !== -1 && transcript.subarray(0, end).includes(CLOSE_BRACE)) return undefined
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(transcript))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

const CLOSE_BRACE = 0x7d

/** Changes messages by themselves; see `../patch.ts`. */
function patch(messages: Map<string, JsonRecord>, { updates, removeIds, ...own }: JsonRecord): void {
  for (const id of listOf(removeIds)) messages.delete(idOf(id) ?? NO_ID)
  for (const change of [own, ...listOf(updates)]) {
    const id = isRecord(change) ? idOf(change.id) : undefined
    const message = id === undefined ? undefined : messages.get(id)
    if (!isRecord(change) || id === undefined) continue
    if (message === undefined) {
      if (typeof change.type === 'string') messages.set(id, change)
      continue
    }
    const answered = new Map(listOf(change.toolCalls).flatMap((call) => (isRecord(call) ? [[call.id, call]] : [])))
    const toolCalls = listOf(message.toolCalls).map((call) =>
      isRecord(call) ? { ...call, ...answered.get(call.id) } : call,
    )
    messages.set(id, { ...message, ...change, ...(message.toolCalls !== undefined && { toolCalls }) })
  }
}

function stepBack(messages: Map<string, JsonRecord>, target: string): void {
  if (!messages.has(target)) return
  const ids = [...messages.keys()]
  for (const id of ids.slice(ids.indexOf(target))) messages.delete(id)
}

function addUser(builder: ConversationBuilder, { content }: JsonRecord): void {
  const written = contentOf(partsOf(content))
  builder.answers(written)
  builder.person({ ...written, isCut: false }, (text) => !isContext(text))
}

/** Calls stand in a list with their answers; those of a conversation that was restated stand in the words alone. */
function addReply(builder: ConversationBuilder, { content, thoughts, toolCalls }: JsonRecord): void {
  for (const text of thoughtsOf(thoughts)) builder.agent({ blocks: [{ kind: 'thinking', text }], isCut: false })
  const calls = listOf(toolCalls).slice(0, CALL_LIMIT).filter(isRecord)
  const kept = new Set(calls.map(({ id }) => idOf(id)))
  builder.agent(contentOf(partsOf(content).filter((part) => !kept.has(callIn(part)?.toolUseId ?? NO_ID))))
  for (const { id, name, args, result, status, resultDisplay } of calls) {
    const asked = new BlockWriter()
    asked.call(idOf(id) ?? '', nameOfTool(name), args)
    builder.agent(asked)
    const answer = contentOf(partsOf(result))
    const isError = status !== undefined && status !== 'success'
    builder.answers({
      ...answer,
      blocks: answer.blocks.map((block) => (block.kind === 'answer' && isError ? { ...block, isError } : block)),
    })
    if (answer.blocks.length > 0 || status === undefined) continue
    const shown = new BlockWriter()
    shown.answer(idOf(id) ?? '', isError, textOf(resultDisplay) ?? '', [])
    builder.answers(shown)
  }
}

/** No id of a call. */
const NO_ID = ''

function contentOf(parts: readonly JsonRecord[]): LineContent {
  const writer = new BlockWriter()
  for (const part of parts) writePart(writer, part)
  return { blocks: writer.blocks, isCut: writer.isCut }
}
