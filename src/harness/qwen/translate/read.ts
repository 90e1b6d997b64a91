import type { LineContent } from '../../../domain/conversation/line-content'
import type { NeutralConversation } from '../../../domain/harness/translation'
import { BlockWriter } from '../../json-lines/block-writer'
import { ConversationBuilder } from '../../json-lines/conversation-builder'
import { isRecord, type JsonRecord, listOf, recordOf, textOf, uuidOf } from '../../json-lines/json-value'
import { writePart } from '../../json-lines/part-blocks'
import { answerIn, partsOf } from '../../json-lines/parts'
import { linesOf } from '../document/lines-of'
import { messagesIn } from '../document/read-document'
import { eachLine } from '../lines'
import { isContext } from '../read-line'

interface Line {
  uuid: string
  parentUuid: string | null
  start: number
  length: number
}

/** What the model would see of a session: the branch that ends with the last line, from the last compression on. */
export function readConversation(transcript: Uint8Array): NeutralConversation {
  const builder = new ConversationBuilder()
  const messages = messagesIn(transcript)
  for (const { record } of messages?.flatMap((message) => linesOf(message, '')) ?? []) addLine(builder, record)
  if (messages !== undefined) return builder.build()
  for (const { start, length } of branchOf(linesIn(transcript)))
    addLine(builder, parsed(transcript.subarray(start, start + length)))
  return builder.build()
}

function linesIn(transcript: Uint8Array): Line[] {
  const lines: Line[] = []
  eachLine(transcript, {
    onRecord({ record, offset, length }) {
      const uuid = uuidOf(record.uuid)
      if (uuid === undefined || record.isSidechain === true) return
      lines.push({ uuid, parentUuid: uuidOf(record.parentUuid) ?? null, start: offset, length })
    },
    onBroken() {},
  })
  return lines
}

function branchOf(lines: readonly Line[]): Line[] {
  const byUuid = new Map(lines.map((line) => [line.uuid, line]))
  const branch = new Set<Line>()
  for (let line = lines.at(-1); line !== undefined && !branch.has(line); line = byUuid.get(line.parentUuid ?? ''))
    branch.add(line)
  return [...branch].reverse()
}

function addLine(builder: ConversationBuilder, record: JsonRecord): void {
  const parts = partsOf(recordOf(record.message)?.parts)
  if (record.type === 'user') addUser(builder, parts)
  else if (record.type === 'assistant') builder.agent(contentOf(parts))
  else if (record.type === 'tool_result') addAnswers(builder, record, parts)
  else if (record.type === 'system' && record.subtype === 'chat_compression')
    addHistory(builder, listOf(recordOf(record.systemPayload)?.compressedHistory))
}

/** The history that takes the place of all before. */
function addHistory(builder: ConversationBuilder, history: readonly unknown[]): void {
  builder.clear()
  for (const message of history) {
    if (!isRecord(message)) continue
    const parts = partsOf(message.parts)
    if (message.role === 'model') builder.agent(contentOf(parts))
    else addUser(builder, parts)
  }
}

function addUser(builder: ConversationBuilder, parts: readonly JsonRecord[]): void {
  const content = contentOf(parts)
  builder.answers(content)
  builder.person({ ...content, isCut: false }, (text) => !isContext(text))
}

/** `toolCallResult` tells whether the tool failed. */
function addAnswers(builder: ConversationBuilder, record: JsonRecord, parts: readonly JsonRecord[]): void {
  const result = recordOf(record.toolCallResult)
  const status = textOf(result?.status)
  const content = contentOf(parts.filter((part) => answerIn(part) !== undefined))
  const isOwn = (toolUseId: string): boolean => status !== undefined && result?.callId === toolUseId
  builder.answers({
    ...content,
    blocks: content.blocks.map((block) =>
      block.kind === 'answer' && isOwn(block.toolUseId) ? { ...block, isError: status !== 'success' } : block,
    ),
  })
}

function contentOf(parts: readonly JsonRecord[]): LineContent {
  const writer = new BlockWriter()
  for (const part of parts) writePart(writer, part)
  return { blocks: writer.blocks, isCut: writer.isCut }
}

function parsed(line: Uint8Array): JsonRecord {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(line))
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}
