import type { LineContent } from '../../../domain/conversation/line-content'
import type { NeutralConversation } from '../../../domain/harness/translation'
import { ConversationBuilder } from '../../json-lines/conversation-builder'
import type { JsonRecord } from '../../json-lines/json-value'
import { idOf, recordOf, uuidOf } from '../../json-lines/json-value'
import { type Block, blocksOf } from '../content/content'
import { readLineContent } from '../content/line-content'
import { assistantLineType, BESIDE_A_PROMPT, userLineType } from '../line-type'
import { eachLine } from '../lines'

/** A line of the main thread that the model may see. */
interface Line {
  parentUuid: string | null
  uuid: string
  role: 'person' | 'agent' | 'answers' | 'none'
  messageId: string | null
  start: number
  length: number
}

/**
 * What the model would see of a transcript: the branch that ends with the last line, back to its beginning or its last compaction, and
 * the calls beside the branch that belong to a message on it. Answers are taken from the whole file: those of calls made side by side
 * stand on branches of their own.
 */
export function readConversation(transcript: Uint8Array): NeutralConversation {
  const lines = linesOf(transcript)
  const shown = branchOf(lines)
  const builder = new ConversationBuilder()
  const contentOf = ({ start, length }: Line): LineContent =>
    readLineContent(transcript.subarray(start, start + length))
  for (const line of lines) {
    if (line.role === 'answers') builder.answers(contentOf(line))
    else if (!shown.has(line)) continue
    else if (line.role === 'agent') builder.agent(contentOf(line))
    else if (line.role === 'person') builder.person(contentOf(line), isOwn)
  }
  return builder.build()
}

/** Not what an editor or the CLI puts beside a person's words. */
const isOwn = (text: string): boolean => !BESIDE_A_PROMPT.some((start) => text.trimStart().startsWith(start))

function linesOf(transcript: Uint8Array): Line[] {
  const lines: Line[] = []
  // A last line without its newline counts only once it is whole.
  eachLine(transcript, {
    onRecord({ record, offset, length }) {
      const uuid = uuidOf(record.uuid)
      if (uuid === undefined || record.isSidechain === true || idOf(record.agentId) !== undefined) return
      const role = roleOf(record)
      if (role === undefined) return
      const messageId = role === 'agent' ? (idOf(recordOf(record.message)?.id) ?? null) : null
      lines.push({ uuid, parentUuid: uuidOf(record.parentUuid) ?? null, role, messageId, start: offset, length })
    },
    onBroken() {},
  })
  return lines
}

/** `none`: a link of the chain that says nothing to the model, or nothing that another CLI would not say itself. */
function roleOf(record: JsonRecord): Line['role'] | undefined {
  if (record.type === 'system') return 'none'
  if (record.type === 'attachment') return attachmentRole(recordOf(record.attachment) ?? {})
  const message = recordOf(record.message) ?? {}
  if (record.type === 'user') return userRole(record, blocksOf(message.content))
  if (record.type !== 'assistant') return undefined
  const type = assistantLineType(record, message.model, blocksOf(message.content))
  return type === 'error' || type === 'system' ? 'none' : 'agent'
}

function userRole(record: JsonRecord, blocks: readonly Block[]): Line['role'] {
  const type = userLineType(record, blocks)
  if (type === 'tool_result') return 'answers'
  return type === 'prompt' || type === 'notice' || type === 'summary' ? 'person' : 'none'
}

/** What is said while the agent works stands beside the messages. */
const attachmentRole = (attachment: JsonRecord): Line['role'] =>
  attachment.type === 'queued_command' ? 'person' : 'none'

function branchOf(lines: readonly Line[]): ReadonlySet<Line> {
  const byUuid = new Map(lines.map((line) => [line.uuid, line]))
  const branch = new Set<Line>()
  for (let line = lines.at(-1); line !== undefined && !branch.has(line); line = byUuid.get(line.parentUuid ?? ''))
    branch.add(line)
  const messages = new Set([...branch].flatMap(({ messageId }) => messageId ?? []))
  for (const line of lines) if (line.messageId !== null && messages.has(line.messageId)) branch.add(line)
  return branch
}
