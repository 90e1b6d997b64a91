import type { NeutralConversation } from '../../../domain/harness/translation'
import { ConversationBuilder } from '../../json-lines/conversation-builder'
import { isRecord, type JsonRecord, listOf, recordOf, textOf } from '../../json-lines/json-value'
import { contentOf } from '../content/line-content'
import { lineOf } from '../history/line-of'
import { eachLine } from '../lines'
import { subagentOf } from '../place'

/** What the model would see of a session: all that was said in the main thread since its last compaction, with the summary of that one. */
export function readConversation(transcript: Uint8Array): NeutralConversation {
  const builder = new ConversationBuilder()
  /** Where the conversation stood when the compaction began that is under way: what is said meanwhile stays. */
  let compactedAt = 0
  eachRecord(transcript, {
    onRecord({ record }) {
      const type = textOf(record.type) ?? ''
      const data = recordOf(record.data) ?? {}
      if (subagentOf(record, type, data) !== null) return
      if (type === 'session.compaction_start') compactedAt = builder.length
      else if (type === 'session.compaction_complete' && data.success === true)
        builder.summarise(compactedAt, textOf(data.summaryContent) ?? '')
      else if (type === 'session.context_cleared') builder.clear()
      else addLine(builder, type, { record, data })
    },
    onBroken() {},
  })
  return builder.build()
}

/** The lines of a session, and what one of 2025 says in their form: a document, or the line with which a later release took it over. */
function eachRecord(
  transcript: Uint8Array,
  sink: { onRecord(line: { record: JsonRecord }): void; onBroken(): void },
): void {
  const readHistory = (history: JsonRecord): void => {
    for (const message of listOf(history.chatMessages)) {
      const record = isRecord(message) ? lineOf(message) : undefined
      if (record !== undefined) sink.onRecord({ record: { ...record } })
    }
  }
  const document = historyIn(transcript)
  if (document !== undefined) readHistory(document)
  else
    eachLine(transcript, {
      onRecord(line) {
        const imported = recordOf(recordOf(line.record.data)?.legacySession)
        if (line.record.type === 'session.import_legacy' && imported !== undefined) readHistory(imported)
        else sink.onRecord(line)
      },
      onBroken: () => sink.onBroken(),
    })
}

function historyIn(transcript: Uint8Array): JsonRecord | undefined {
  if (
    !/^\s*\{\s*"(?:sessionId|startTime|chatMessages|timeline)"\s*:/.test(
      new TextDecoder().decode(transcript.subarray(0, 100)),
    )
  )
    return undefined
  try {
    return recordOf(JSON.parse(new TextDecoder().decode(transcript)))
  } catch {
    return undefined
  }
}

function addLine(builder: ConversationBuilder, type: string, line: { record: JsonRecord; data: JsonRecord }): void {
  const { record, data } = line
  if (type === 'user.message') {
    if (isOfPerson(data)) builder.person(contentOf(record))
  } else if (type === 'system.notification') builder.person(contentOf(record))
  else if (type === 'assistant.message' || type === 'tool.user_requested') builder.agent(contentOf(record))
  else if (type === 'tool.execution_complete') builder.answers(contentOf(record))
}

/** The CLI and its sub-agents speak under a person's name, too. */
const isOfPerson = ({ source }: JsonRecord): boolean => source === undefined || source === 'user'
