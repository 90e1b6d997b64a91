import type { ContentImage, LineContent } from '../../../domain/conversation/line-content'
import { BlockWriter, shownImage } from '../../json-lines/block-writer'
import { isRecord, type JsonRecord, listOf, textOf } from '../../json-lines/json-value'
import { openLine } from '../../json-lines/open-line'
import { textsOf, thinkingOf } from '../message'
import { answerOf, callOf } from '../tools'
import { patchesOf } from './patch'

/** Texts, thinking, calls, answers, patches and images of a line of a rollout; what only Codex has, as JSON. */
export function readLineContent(line: Uint8Array): LineContent {
  const { text, value: record, isLong } = openLine(line)
  const writer = new BlockWriter()
  if (isRecord(record)) readRecord(writer, record)
  else writer.other('line', text)
  return { blocks: writer.blocks, isCut: writer.isCut || isLong }
}

function readRecord(writer: BlockWriter, record: JsonRecord): void {
  const payload = isRecord(record.payload) ? record.payload : record
  const call = callOf(payload)
  const answer = answerOf(payload)
  if (call !== undefined) {
    const { toolUseId = '', name, input } = call
    writer.call(toolUseId, name, input)
    for (const patch of patchesOf(input)) writer.patch(patch)
  } else if (answer !== undefined) {
    const images = answer.others.flatMap((part) => imageOf(part) ?? [])
    writer.answer(answer.toolUseId ?? '', answer.isError, answer.text, images)
    for (const part of answer.others) if (imageOf(part) === null) writer.other('answer', part)
  } else if (payload.type === 'reasoning') writer.thinking(thinkingOf(payload))
  else if (payload.type === 'message' || payload.type === 'agent_message') readParts(writer, payload.content)
  else writer.other(textOf(payload.type) ?? textOf(record.type) ?? 'line', payload)
}

function readParts(writer: BlockWriter, content: unknown): void {
  if (typeof content === 'string') writer.text(content)
  for (const part of listOf(content)) {
    const image = imageOf(part)
    if (image !== null) writer.image(image)
    else writer.text(textsOf([part]).join('\n'))
  }
}

const DATA_URL = /^data:(image\/[a-z]{1,10});base64,([A-Za-z0-9+/]+={0,2})$/

function imageOf(part: unknown): ContentImage | null {
  if (!isRecord(part) || part.type !== 'input_image' || typeof part.image_url !== 'string') return null
  const [, mediaType = '', base64 = ''] = DATA_URL.exec(part.image_url) ?? []
  return shownImage(mediaType, base64)
}
