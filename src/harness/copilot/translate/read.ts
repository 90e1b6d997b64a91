import type { NeutralConversation } from '../../../domain/harness/translation'
import { ConversationBuilder } from '../../json-lines/conversation-builder'
import { type JsonRecord, recordOf, textOf } from '../../json-lines/json-value'
import { contentOf } from '../content/line-content'
import { eachLine } from '../lines'
import { subagentOf } from '../place'

/** What the model would see of a session: all that was said in the main thread since its last compaction, with the summary of that one. */
export function readConversation(transcript: Uint8Array): NeutralConversation {
  const builder = new ConversationBuilder()
  /** Where the conversation stood when the compaction began that is under way: what is said meanwhile stays. */
  let compactedAt = 0
  eachLine(transcript, {
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
