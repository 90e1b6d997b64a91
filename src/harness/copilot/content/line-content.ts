import {
  CONTENT_BYTES,
  type ContentImage,
  IMAGE_TYPES,
  type LineContent,
  PARSED_LINE_BYTES,
} from '../../../domain/conversation/line-content'
import { BlockWriter } from '../../json-lines/block-writer'
import { isRecord, type JsonRecord, listOf, recordOf, textOf } from '../../json-lines/json-value'
import { lineOf } from '../history/line-of'
import { answerOf, callIn, callsOf } from '../tools'

/** Texts, thinking, calls, answers and images of a line of `events.jsonl`; what only Copilot CLI has, as JSON. */
export function readLineContent(line: Uint8Array): LineContent {
  const isLong = line.length > PARSED_LINE_BYTES
  const text = new TextDecoder().decode(isLong ? line.subarray(0, CONTENT_BYTES) : line)
  const record = isLong ? undefined : parsed(text)
  const content = isRecord(record) ? contentOf(record) : undefined
  if (content !== undefined && content.blocks.length > 0) return content
  // What is no record, or has no words.
  const writer = new BlockWriter()
  writer.other('line', text)
  return { blocks: writer.blocks, isCut: writer.isCut || isLong }
}

/** What a line that was parsed holds. */
export function contentOf(record: JsonRecord): LineContent {
  const writer = new BlockWriter()
  readRecord(writer, record)
  return { blocks: writer.blocks, isCut: writer.isCut }
}

function readRecord(writer: BlockWriter, given: JsonRecord): void {
  const record = recordOf(given.data) === undefined ? { ...given, ...lineOf(given) } : given
  const data = recordOf(record.data) ?? {}
  if (record.type === 'assistant.message') readAssistant(writer, data)
  else if (record.type === 'tool.execution_complete') readAnswer(writer, data)
  else if (record.type === 'tool.user_requested') addCall(writer, callIn(data))
  else if (record.type === 'user.message') readPrompt(writer, data)
  else if (typeof data.content === 'string') writer.text(data.content)
  else if (record.type === 'session.compaction_complete' && typeof data.summaryContent === 'string')
    writer.text(data.summaryContent)
  else writer.other(textOf(record.type) ?? 'line', record.data ?? record)
}

/** Images stand beside the words. */
function readPrompt(writer: BlockWriter, data: JsonRecord): void {
  const content = textOf(data.content)
  if (content !== undefined) writer.text(content)
  for (const attachment of listOf(data.attachments)) {
    const image = imageOf(attachment)
    if (image !== null) writer.image(image)
  }
}

function readAssistant(writer: BlockWriter, data: JsonRecord): void {
  const thinking = textOf(data.reasoningText)
  const content = textOf(data.content)
  if (thinking) writer.thinking(thinking)
  if (content) writer.text(content)
  for (const call of callsOf(data)) addCall(writer, call)
}

const addCall = (writer: BlockWriter, { toolUseId = '', name, input }: ReturnType<typeof callIn>): void =>
  writer.call(toolUseId, name, input)

function readAnswer(writer: BlockWriter, data: JsonRecord): void {
  const { toolUseId = '', isError, text, others } = answerOf(data)
  const images = others.flatMap((part) => imageOf(part) ?? [])
  writer.answer(toolUseId, isError, text, images)
  for (const part of others) if (imageOf(part) === null) writer.other('answer', part)
}

const SHOWN_TYPES: ReadonlySet<string> = new Set(IMAGE_TYPES)
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

function imageOf(part: unknown): ContentImage | null {
  if (!isRecord(part) || typeof part.data !== 'string' || typeof part.mimeType !== 'string') return null
  return SHOWN_TYPES.has(part.mimeType) && BASE64.test(part.data)
    ? { mediaType: part.mimeType, base64: part.data }
    : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
