import { CONTENT_BYTES, type LineContent, PARSED_LINE_BYTES } from '../../../domain/session/line-content'
import { BlockWriter } from '../../json-lines/block-writer'
import { isRecord, recordOf, textOf } from '../../json-lines/json-value'
import { writePart } from '../../json-lines/part-blocks'
import { partsOf } from '../../json-lines/parts'

/** What a line holds: the parts of its message; what only this CLI has, as JSON. */
export function readLineContent(line: Uint8Array): LineContent {
  const isLong = line.length > PARSED_LINE_BYTES
  const text = new TextDecoder().decode(isLong ? line.subarray(0, CONTENT_BYTES) : line)
  const record = isLong ? undefined : parsed(text)
  const writer = new BlockWriter()
  if (!isRecord(record)) writer.other('line', text)
  else {
    const parts = partsOf(recordOf(record.message)?.parts)
    for (const part of parts) writePart(writer, part)
    if (parts.length === 0)
      writer.other(textOf(record.subtype) ?? textOf(record.type) ?? 'line', record.systemPayload ?? record)
  }
  return { blocks: writer.blocks, isCut: writer.isCut || isLong }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
