import type { LineContent } from '../../../domain/conversation/line-content'
import { BlockWriter } from '../../json-lines/block-writer'
import { idOf, isRecord, type JsonRecord, listOf, textOf } from '../../json-lines/json-value'
import { openLine } from '../../json-lines/open-line'
import { writePart } from '../../json-lines/part-blocks'
import { isThought, nameOfTool, partsOf } from '../../json-lines/parts'
import { thoughtsOf } from '../reply'

/** What a line holds, or a part of one: a message, the words, thoughts or calls of a reply, or an answer. */
export function readLineContent(line: Uint8Array): LineContent {
  const { text, value, isLong } = openLine(line)
  const writer = new BlockWriter()
  if (value === undefined) writer.other('line', text)
  else if (isRecord(value)) writeRecord(writer, value)
  else writeContent(writer, value)
  return { blocks: writer.blocks, isCut: writer.isCut || isLong }
}

function writeRecord(writer: BlockWriter, record: JsonRecord): void {
  if (idOf(record.id) !== undefined && 'args' in record)
    writer.call(idOf(record.id) ?? '', nameOfTool(record.name), record.args)
  else if (idOf(record.id) !== undefined && typeof record.type === 'string') {
    for (const thought of thoughtsOf(record.thoughts)) writer.thinking(thought)
    writeContent(writer, record.content)
  } else if (partsOf(record).some(isPart)) writePart(writer, record)
  else writer.other('line', record)
}

/** Words, parts of a message, thoughts, or what a tool answered. */
function writeContent(writer: BlockWriter, content: unknown): void {
  const isOfThoughts = listOf(content).some(
    (one) => isRecord(one) && typeof one.description === 'string' && !isPart(one),
  )
  if (isOfThoughts) for (const thought of thoughtsOf(content)) writer.thinking(thought)
  else for (const part of partsOf(content)) writePart(writer, part)
}

const isPart = (part: JsonRecord): boolean =>
  isThought(part) ||
  textOf(part.text) !== undefined ||
  ['functionCall', 'functionResponse', 'inlineData', 'fileData'].some((name) => name in part)
