import {
  CONTENT_BYTES,
  type ContentBlock,
  type ContentImage,
  IMAGE_TYPES,
  type LineContent,
  PARSED_LINE_BYTES,
} from '../../../domain/session/line-content'
import { ContentBudget } from '../../json-lines/content-budget'
import { isRecord, type JsonRecord, listOf, textOf } from '../../json-lines/json-value'
import { textsOf, thinkingOf } from '../message'
import { answerOf, callOf } from '../tools'
import { patchesOf } from './patch'

/** Bytes of JSON that a block takes beside its words. */
const BLOCK_BYTES = 100

/** Texts, thinking, calls, answers, patches and images of a line of a rollout; what only Codex has, as JSON. */
export function readLineContent(line: Uint8Array): LineContent {
  const isLong = line.length > PARSED_LINE_BYTES
  const text = new TextDecoder().decode(isLong ? line.subarray(0, CONTENT_BYTES) : line)
  const record = isLong ? undefined : parsed(text)
  const writer = new BlockWriter()
  if (isRecord(record)) readRecord(writer, record)
  else writer.other('line', text)
  return { blocks: writer.blocks, isCut: writer.budget.isCut || isLong }
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
    writer.answer(answer.toolUseId ?? '', answer.isError, answer.text, answer.others)
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

class BlockWriter {
  readonly blocks: ContentBlock[] = []
  readonly budget = new ContentBudget()

  text(text: string): void {
    this.put(() => ({ kind: 'text', text: this.budget.text(text) }))
  }

  thinking(text: string): void {
    this.put(() => ({ kind: 'thinking', text: this.budget.text(text) }))
  }

  call(toolUseId: string, name: string, input: unknown): void {
    this.put(() => ({
      kind: 'call',
      toolUseId: this.budget.text(toolUseId),
      name: this.budget.text(name),
      input: this.budget.value(input ?? null),
    }))
  }

  answer(toolUseId: string, isError: boolean, text: string, others: readonly unknown[]): void {
    const images: ContentImage[] = []
    const rest: unknown[] = []
    for (const part of others) {
      const image = imageOf(part)
      if (image !== null && this.budget.take(image.base64.length + BLOCK_BYTES)) images.push(image)
      else rest.push(part)
    }
    this.put(() => ({
      kind: 'answer',
      toolUseId: this.budget.text(toolUseId),
      isError,
      text: this.budget.text(text),
      images,
    }))
    for (const part of rest) this.other('answer', part)
  }

  patch({ path, hunks }: Extract<ContentBlock, { kind: 'patch' }>): void {
    this.put(() => ({
      kind: 'patch',
      path: this.budget.text(path),
      hunks: hunks.flatMap((hunk) =>
        this.budget.take(BLOCK_BYTES) ? [{ ...hunk, lines: this.budget.lines(hunk.lines) }] : [],
      ),
    }))
  }

  image(image: ContentImage): void {
    if (this.budget.take(image.base64.length + BLOCK_BYTES)) this.blocks.push({ kind: 'image', ...image })
  }

  other(name: string, value: unknown): void {
    this.put(() => ({
      kind: 'other',
      name: this.budget.text(name),
      json: this.budget.text(typeof value === 'string' ? value : JSON.stringify(this.budget.value(value))),
    }))
  }

  private put(make: () => ContentBlock): void {
    if (this.budget.take(BLOCK_BYTES)) this.blocks.push(make())
  }
}

const SHOWN_TYPES: ReadonlySet<string> = new Set(IMAGE_TYPES)
const DATA_URL = /^data:(image\/[a-z]{1,10});base64,([A-Za-z0-9+/]+={0,2})$/

function imageOf(part: unknown): ContentImage | null {
  if (!isRecord(part) || part.type !== 'input_image' || typeof part.image_url !== 'string') return null
  const [, mediaType = '', base64 = ''] = DATA_URL.exec(part.image_url) ?? []
  return SHOWN_TYPES.has(mediaType) ? { mediaType, base64 } : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
