import {
  CONTENT_BYTES,
  type ContentBlock,
  type ContentImage,
  IMAGE_TYPES,
  type LineContent,
  PARSED_LINE_BYTES,
} from '../../../domain/conversation/line-content'
import { ContentBudget } from '../../json-lines/content-budget'
import { isRecord, type JsonRecord, recordOf, textOf } from '../../json-lines/json-value'
import { type Place, wordsOf } from '../place'
import { hasFailed, type ToolPart, toolPart } from '../tools'
import { lineOf } from './whole-text'

/** Bytes of JSON that a block takes beside its words. */
const BLOCK_BYTES = 100

/** Texts, thinking, calls, answers, changes and images of a line of a journal; what only opencode has, as JSON. */
export function readLineContent(line: Uint8Array): LineContent {
  const isLong = line.length > PARSED_LINE_BYTES
  const writer = new BlockWriter()
  const place = isLong ? null : lineOf(line)
  if (place === null) writer.other('line', new TextDecoder().decode(line.subarray(0, CONTENT_BYTES)))
  else readRow(writer, place)
  return { blocks: writer.blocks, isCut: writer.budget.isCut || isLong }
}

/** What the row of a part holds. */
export function contentOfRow(table: string, id: string, data: JsonRecord): LineContent {
  const writer = new BlockWriter()
  readRow(writer, { table, id, data, row: data })
  return { blocks: writer.blocks, isCut: writer.budget.isCut }
}

function readRow(writer: BlockWriter, { table, id, data, row }: Pick<Place, 'table' | 'id' | 'data' | 'row'>): void {
  const tool = toolPart(data, id)
  const image = imageOf(data)
  if (tool !== null) readTool(writer, tool)
  else if (data.type === 'text' || data.type === 'subtask') writer.text(wordsOf(data) ?? '')
  else if (data.type === 'reasoning') writer.thinking(textOf(data.text) ?? '')
  else if (image !== null) writer.image(image)
  else writer.other(textOf(data.type) ?? table, table === 'session' || table === 'todo' ? row : data)
}

function readTool(writer: BlockWriter, tool: ToolPart): void {
  writer.call(tool)
  if (tool.status !== 'completed' && tool.status !== 'error') return
  writer.answer(tool)
  const { metadata } = tool
  const changed = textOf(metadata.diff)
  const file = recordOf(metadata.filediff)
  if (changed !== undefined && changed !== '') writer.patch(textOf(file?.file) ?? pathIn(changed), changed)
}

const pathIn = (diff: string): string => /^(?:Index:|\+\+\+) (.+)$/m.exec(diff)?.[1]?.trim() ?? ''

class BlockWriter {
  readonly blocks: ContentBlock[] = []
  readonly budget = new ContentBudget()

  text(text: string): void {
    this.#put(() => ({ kind: 'text', text: this.budget.text(text) }))
  }

  thinking(text: string): void {
    this.#put(() => ({ kind: 'thinking', text: this.budget.text(text) }))
  }

  call({ toolUseId, name, input }: ToolPart): void {
    this.#put(() => ({
      kind: 'call',
      toolUseId: this.budget.text(toolUseId),
      name: this.budget.text(name),
      input: this.budget.value(input ?? null),
    }))
  }

  answer(tool: ToolPart): void {
    const images = tool.attachments.flatMap((each) => (isRecord(each) ? (imageOf(each) ?? []) : []))
    const kept = images.filter(({ base64 }) => this.budget.take(base64.length + BLOCK_BYTES))
    this.#put(() => ({
      kind: 'answer',
      toolUseId: this.budget.text(tool.toolUseId),
      isError: hasFailed(tool),
      text: this.budget.text(tool.answer),
      images: kept,
    }))
  }

  /** A unified diff of one file. */
  patch(path: string, diff: string): void {
    this.#put(() => ({
      kind: 'patch',
      path: this.budget.text(path),
      hunks: hunksOf(diff).flatMap((hunk) =>
        this.budget.take(BLOCK_BYTES) ? [{ ...hunk, lines: this.budget.lines(hunk.lines) }] : [],
      ),
    }))
  }

  image(image: ContentImage): void {
    if (this.budget.take(image.base64.length + BLOCK_BYTES)) this.blocks.push({ kind: 'image', ...image })
  }

  other(name: string, value: unknown): void {
    this.#put(() => ({
      kind: 'other',
      name: this.budget.text(name),
      json: this.budget.text(typeof value === 'string' ? value : JSON.stringify(this.budget.value(value))),
    }))
  }

  #put(make: () => ContentBlock): void {
    if (this.budget.take(BLOCK_BYTES)) this.blocks.push(make())
  }
}

const HUNK = /^@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})/

function hunksOf(diff: string) {
  const hunks: { oldStart: number; newStart: number; lines: string[] }[] = []
  for (const line of diff.split('\n')) {
    const [, oldStart, newStart] = HUNK.exec(line) ?? []
    if (oldStart !== undefined) hunks.push({ oldStart: Number(oldStart), newStart: Number(newStart), lines: [] })
    else if (/^[ +-]/.test(line)) hunks.at(-1)?.lines.push(line)
  }
  return hunks
}

const SHOWN_TYPES: ReadonlySet<string> = new Set(IMAGE_TYPES)
const DATA_URL = /^data:(image\/[a-z]{1,10});base64,([A-Za-z0-9+/]+={0,2})$/

function imageOf(part: JsonRecord): ContentImage | null {
  if (part.type !== 'file' || typeof part.url !== 'string') return null
  const [, mediaType = '', base64 = ''] = DATA_URL.exec(part.url) ?? []
  return SHOWN_TYPES.has(mediaType) ? { mediaType, base64 } : null
}
