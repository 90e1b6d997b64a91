import {
  type ContentBlock,
  type ContentImage,
  IMAGE_TYPES,
  type LineContent,
} from '../../../domain/conversation/line-content'
import { ContentBudget, DEPTH_LIMIT } from '../../json-lines/content-budget'
import { isRecord, type JsonRecord, listOf, textOf } from '../../json-lines/json-value'
import { openLine } from '../../json-lines/open-line'
import { type Patch, patchOfCall, patchOfResult } from './line-patch'

/** Bytes of JSON that a block takes beside its words. */
const BLOCK_BYTES = 100
/** Characters of base64 that are shown outside images. */
const SHOWN_BASE64 = 1_000

/** Texts, thinking, calls, answers, patches and images of a line of a transcript or stream; the rest as JSON. */
export const readLineContent = (line: Uint8Array): LineContent => new LineReader().read(line)

class LineReader {
  private readonly blocks: ContentBlock[] = []
  private readonly budget = new ContentBudget()

  read(line: Uint8Array): LineContent {
    const { text, value: record, isLong } = openLine(line)
    if (isRecord(record)) this.readRecord(record)
    else this.put(() => ({ kind: 'other', name: 'line', json: this.budget.text(text) }))
    return { blocks: this.blocks, isCut: this.budget.isCut || isLong }
  }

  private readRecord(record: JsonRecord): void {
    const isMessage = isRecord(record.message)
    const steering = promptIn(record.attachment)
    this.readContent(isRecord(record.message) ? record.message.content : (steering ?? record.content))
    this.putPatch(patchOfResult(record.toolUseResult ?? record.tool_use_result))
    if ((isMessage || steering !== undefined) && this.blocks.length > 0) return
    const rest = without(record, isMessage ? ENVELOPE : WITH_CONTENT)
    if (this.blocks.length === 0 || Object.keys(rest).length > 0) this.putOther(nameOf(record), rest)
  }

  /** A message's content: a text, or a list of blocks. */
  private readContent(content: unknown): void {
    if (typeof content === 'string') this.putText(content)
    else if (Array.isArray(content)) for (const block of content) this.readBlock(block)
    else if (content !== undefined && content !== null) this.putOther('content', content)
  }

  private readBlock(block: unknown): void {
    if (typeof block === 'string') this.putText(block)
    else if (isRecord(block)) this.readFields(textOf(block.type) ?? 'block', block)
    else this.putOther('block', block)
  }

  private readFields(type: string, block: JsonRecord): void {
    const rest = without(block, this.putKnown(type, block))
    if (Object.keys(rest).length > 0) this.putOther(type, rest)
  }

  /** @returns the fields of the present line */
  private putKnown(type: string, block: JsonRecord): ReadonlySet<string> {
    if (type === 'text' && typeof block.text === 'string') {
      this.putText(block.text)
      return TEXT_FIELDS
    }
    if (type === 'thinking' || type === 'redacted_thinking') {
      const text = textOf(block.thinking) ?? ''
      this.put(() => ({ kind: 'thinking', text: this.budget.text(text) }))
      return THINKING_FIELDS
    }
    if (type === 'tool_use' || type === 'server_tool_use' || type === 'mcp_tool_use') {
      this.putCall(block)
      return CALL_FIELDS
    }
    if (type === 'tool_result' || type.endsWith('_tool_result')) {
      this.putAnswer(block)
      return ANSWER_FIELDS
    }
    if (type !== 'image') return NO_FIELDS
    this.putImage(block)
    return IMAGE_FIELDS
  }

  private putText(text: string): void {
    this.put(() => ({ kind: 'text', text: this.budget.text(text) }))
  }

  private putCall(block: JsonRecord): void {
    const name = textOf(block.name) ?? ''
    this.put(() => ({
      kind: 'call',
      toolUseId: this.budget.text(textOf(block.id) ?? ''),
      name: this.budget.text(name),
      input: this.budget.value(block.input ?? null),
    }))
    this.putPatch(patchOfCall(name, block.input))
  }

  private putAnswer(block: JsonRecord): void {
    const { content } = block
    const texts = typeof content === 'string' ? [content] : []
    const others: unknown[] = isRecord(content) ? [content] : []
    const images: ContentImage[] = []
    for (const part of listOf(content)) {
      const image = imageOf(part)
      if (typeof part === 'string') texts.push(part)
      else if (isPlainText(part)) texts.push(part.text)
      else if (image !== null && this.budget.take(image.base64.length + BLOCK_BYTES)) images.push(image)
      else others.push(part)
    }
    this.put(() => ({
      kind: 'answer',
      toolUseId: this.budget.text(textOf(block.tool_use_id) ?? ''),
      isError: block.is_error === true,
      text: this.budget.text(texts.join('\n')),
      images,
    }))
    for (const part of others) this.putOther((isRecord(part) && textOf(part.type)) || 'answer', part)
  }

  private putImage(block: JsonRecord): void {
    const image = imageOf(block)
    if (image !== null && this.budget.take(image.base64.length + BLOCK_BYTES))
      this.blocks.push({ kind: 'image', ...image })
    else this.putOther('image', block)
  }

  private putPatch(patch: Patch | null): void {
    if (patch === null) return
    this.put(() => ({
      kind: 'patch',
      path: this.budget.text(patch.path),
      hunks: patch.hunks.flatMap((hunk) =>
        this.budget.take(BLOCK_BYTES) ? [{ ...hunk, lines: this.budget.lines(hunk.lines) }] : [],
      ),
    }))
  }

  private putOther(name: string, value: unknown): void {
    this.put(() => ({
      kind: 'other',
      name: this.budget.text(name),
      json: this.budget.text(JSON.stringify(this.shown(value))),
    }))
  }

  /** Without the bytes of documents and of images that are not shown, nor what is nested deeper than can be written as JSON. */
  private shown(value: unknown, depth = 0): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (depth >= DEPTH_LIMIT) {
      this.budget.isCut = true
      return null
    }
    if (Array.isArray(value)) return value.map((part) => this.shown(part, depth + 1))
    return Object.fromEntries(
      Object.entries(value).map(([name, part]: [string, unknown]) => {
        const isData = (name === 'data' || name === 'base64') && typeof part === 'string'
        if (!isData || part.length <= SHOWN_BASE64) return [name, this.shown(part, depth + 1)]
        this.budget.isCut = true
        return [name, `(${part.length} characters)`]
      }),
    )
  }

  private put(make: () => ContentBlock): void {
    if (this.budget.take(BLOCK_BYTES)) this.blocks.push(make())
  }
}

/** What a person said while the agent was at work: the CLI keeps it beside the messages, once more in words of its own. */
function promptIn(attachment: unknown): unknown {
  if (!isRecord(attachment) || attachment.type !== 'queued_command') return undefined
  return typeof attachment.prompt === 'string' || Array.isArray(attachment.prompt) ? attachment.prompt : undefined
}

/** A text block that says nothing beside its text. */
function isPlainText(part: unknown): part is { text: string } {
  return (
    isRecord(part) &&
    part.type === 'text' &&
    typeof part.text === 'string' &&
    Object.keys(without(part, TEXT_FIELDS)).length === 0
  )
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const SHOWN_TYPES: ReadonlySet<unknown> = new Set(IMAGE_TYPES)

function imageOf(part: unknown): ContentImage | null {
  if (!isRecord(part) || part.type !== 'image' || !isRecord(part.source)) return null
  const { type, media_type: mediaType, data } = part.source
  if (type !== 'base64' || typeof mediaType !== 'string' || typeof data !== 'string') return null
  return SHOWN_TYPES.has(mediaType) && BASE64.test(data) ? { mediaType, base64: data } : null
}

/** The other fields, but for those that hold nothing. */
function without(record: JsonRecord, known: ReadonlySet<string>): JsonRecord {
  return Object.fromEntries(
    Object.entries(record).filter(
      ([name, value]) => !known.has(name) && value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  )
}

/** What a line that is no message is called. */
function nameOf({ type, subtype, attachment }: JsonRecord): string {
  const kind = isRecord(attachment) ? textOf(attachment.type) : undefined
  return kind ?? textOf(subtype) ?? textOf(type) ?? 'line'
}

/** For the model's provider only. */
const CALLER = ['cache_control', 'caller']
const NO_FIELDS: ReadonlySet<string> = new Set<string>()
const TEXT_FIELDS = new Set(['type', 'text', ...CALLER])
const THINKING_FIELDS = new Set(['type', 'thinking', 'signature', 'data', ...CALLER])
const CALL_FIELDS = new Set(['type', 'id', 'name', 'input', ...CALLER])
const ANSWER_FIELDS = new Set(['type', 'tool_use_id', 'content', 'is_error', ...CALLER])
const IMAGE_FIELDS = new Set(['type', 'source', ...CALLER])

/** What the CLI writes on lines of every kind: it is about the line, not about what it says. */
const ENVELOPE: ReadonlySet<string> = new Set([
  'type',
  'subtype',
  'uuid',
  'parentUuid',
  'logicalParentUuid',
  'timestamp',
  'sessionId',
  'session_id',
  'parent_tool_use_id',
  'agentId',
  'isSidechain',
  'isMeta',
  'userType',
  'entrypoint',
  'cwd',
  'version',
  'gitBranch',
  'slug',
  'level',
])
const WITH_CONTENT: ReadonlySet<string> = new Set([...ENVELOPE, 'content'])
