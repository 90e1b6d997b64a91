import type { ContentImage, LineContent } from '../../../domain/conversation/line-content'
import { BlockWriter, shownImage } from '../../json-lines/block-writer'
import { idOf, isRecord, type JsonRecord, recordOf, textOf } from '../../json-lines/json-value'
import { openLine } from '../../json-lines/open-line'
import { bashWords, type Part, partsOf, systemWords } from '../parts'
import { patchOf } from './patch'

/** Texts, thinking, calls, answers, changes and images of a line of a session's file; what only Pi has, as JSON. */
export function readLineContent(line: Uint8Array): LineContent {
  const { text, value: record, isLong } = openLine(line)
  const content = isRecord(record) ? contentOf(record) : undefined
  if (content !== undefined && content.blocks.length > 0) return content
  // No record, or an answer without words: the model was stopped before its first one.
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

function readRecord(writer: BlockWriter, record: JsonRecord): void {
  const message = record.type === 'message' ? recordOf(record.message) : undefined
  if (message !== undefined) readMessage(writer, message)
  else if (typeof record.summary === 'string') writer.text(record.summary)
  else if (record.type === 'custom_message') addParts(writer, partsOf(record.content))
  else writer.other(textOf(record.type) ?? 'line', record)
}

function readMessage(writer: BlockWriter, message: JsonRecord): void {
  if (message.role === 'toolResult') addAnswer(writer, message)
  else if (message.role === 'system') writer.text(systemWords(message))
  else if (message.role === 'bashExecution') writer.text(bashWords(message))
  else if (message.content === undefined) writer.other(textOf(message.role) ?? 'message', message)
  else addParts(writer, partsOf(message.content))
  if (typeof message.errorMessage === 'string') writer.text(message.errorMessage)
}

function addAnswer(writer: BlockWriter, message: JsonRecord): void {
  const parts = partsOf(message.content)
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []))
  const images = parts.flatMap((part) => imageOf(part) ?? [])
  writer.answer(idOf(message.toolCallId) ?? '', message.isError === true, texts.join('\n'), images)
  addParts(
    writer,
    parts.filter((part) => part.kind !== 'text' && imageOf(part) === null),
  )
}

function addParts(writer: BlockWriter, parts: readonly Part[]): void {
  for (const part of parts) {
    const image = imageOf(part)
    if (image !== null) writer.image(image)
    else if (part.kind === 'text') writer.text(part.text)
    else if (part.kind === 'thinking') writer.thinking(part.text)
    else if (part.kind === 'call') {
      writer.call(part.toolUseId ?? '', part.name, part.input)
      const patch = patchOf(part)
      if (patch !== null) writer.patch(patch)
    } else
      writer.other(part.kind === 'other' ? part.name : part.kind, part.kind === 'other' ? part.value : part.mediaType)
  }
}

const imageOf = (part: Part): ContentImage | null =>
  part.kind === 'image' ? shownImage(part.mediaType, part.base64) : null
