import type { ContentImage, LineContent } from '../../../domain/conversation/line-content'
import { BlockWriter, shownImage } from '../../json-lines/block-writer'
import { isRecord, type JsonRecord, listOf, recordOf, textOf } from '../../json-lines/json-value'
import { openLine } from '../../json-lines/open-line'
import { lineOf } from '../history/line-of'
import { answerOf, callIn, callsOf } from '../tools'

/** Texts, thinking, calls, answers and images of a line of `events.jsonl`; what only Copilot CLI has, as JSON. */
export function readLineContent(line: Uint8Array): LineContent {
  const { text, value: record, isLong } = openLine(line)
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

const imageOf = (part: unknown): ContentImage | null => (isRecord(part) ? shownImage(part.mimeType, part.data) : null)
