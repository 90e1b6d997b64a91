import type { LineContent } from '../../../domain/conversation/line-content'
import type { NeutralConversation } from '../../../domain/harness/translation'
import { ConversationBuilder } from '../../json-lines/conversation-builder'
import { type JsonRecord, recordOf, textOf } from '../../json-lines/json-value'
import { contentOfRow } from '../content/line-content'
import { dataOf, infoOf, inOrder, newestRows, partsByMessage } from '../rows/importable'

/** What the model would see of a session: the newest version of each message, from the last compaction on, up to what was reverted. */
export function readConversation(journal: Uint8Array): NeutralConversation {
  const rows = newestRows(new TextDecoder().decode(journal))
  const builder = new ConversationBuilder()
  const partsOf = partsByMessage(rows.part)
  const reverted = revertOf([...rows.session.values()][0] ?? {})
  for (const message of inOrder(rows.message)) {
    const data = dataOf(message)
    const parts = partsOf.get(message.id) ?? []
    if (message.id === reverted) break
    if (data.summary === true) builder.clear()
    if (data.role === 'user' || data.summary === true) addPrompt(builder, parts)
    else if (data.role === 'assistant') addAnswer(builder, parts)
  }
  return builder.build()
}

/** The message from which on a person took the conversation back. */
const revertOf = (session: JsonRecord): string | undefined => textOf(recordOf(infoOf(session).revert)?.messageID)

/** Words and images of one message. What the CLI says under a person's name is marked. */
function addPrompt(builder: ConversationBuilder, parts: readonly JsonRecord[]): void {
  const own = parts.filter((part) => {
    const { type, synthetic, ignored } = dataOf(part)
    return (type === 'text' && synthetic !== true && ignored !== true) || type === 'subtask' || type === 'file'
  })
  const contents = own.map(contentOf)
  builder.person({
    blocks: contents.flatMap(({ blocks }) => blocks),
    isCut: contents.some(({ isCut }) => isCut),
  })
}

function addAnswer(builder: ConversationBuilder, parts: readonly JsonRecord[]): void {
  for (const part of parts) {
    const content = contentOf(part)
    builder.agent(content)
    // A part has the call and its answer.
    builder.answers({ ...content, isCut: false })
  }
}

const contentOf = (part: JsonRecord): LineContent => contentOfRow('part', String(part.id), dataOf(part))
