import type { LineContent } from '../../../domain/conversation/line-content'
import { BlockWriter } from '../../json-lines/block-writer'
import { isRecord, type JsonRecord, recordOf, textOf } from '../../json-lines/json-value'
import { openLine } from '../../json-lines/open-line'
import { writePart } from '../../json-lines/part-blocks'
import { partsOf } from '../../json-lines/parts'
import { answerLine, linesOf } from '../document/lines-of'

/** What a line holds: the parts of its message; what only this CLI has, as JSON. */
export function readLineContent(line: Uint8Array): LineContent {
  const { text, value: record, isLong } = openLine(line)
  const writer = new BlockWriter()
  if (!isRecord(record)) writer.other('line', text)
  else {
    const parts = partsOf(recordOf(record.message)?.parts ?? recordOf(ofDocument(record)?.message)?.parts)
    for (const part of parts) writePart(writer, part)
    if (parts.length === 0)
      writer.other(textOf(record.subtype) ?? textOf(record.type) ?? 'line', record.systemPayload ?? record)
  }
  return { blocks: writer.blocks, isCut: writer.isCut || isLong }
}

/** A message of a document of 2025, or one of its calls with the answer. */
function ofDocument(record: JsonRecord): JsonRecord | undefined {
  if (record.content !== undefined) return linesOf(record, '')[0]?.record
  return record.args === undefined ? undefined : answerLine(record, 0, { sessionId: '' })[0]?.record
}
