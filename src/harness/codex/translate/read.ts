import type { NeutralConversation } from '../../../domain/harness/translation'
import { ConversationBuilder } from '../../json-lines/conversation-builder'
import type { RecordLine } from '../../json-lines/each-line'
import type { JsonRecord } from '../../json-lines/json-value'
import { countOf, isRecord, listOf, recordOf, textOf, uuidOf } from '../../json-lines/json-value'
import { readLineContent } from '../content/line-content'
import { isContext, messageType, textsOf } from '../message'
import { documentParts, isDocument } from '../rollout/document'
import { eachLine } from '../rollout/lines'
import { rolloutLine } from '../rollout/rollout-line'
import { answerOf, callOf } from '../tools'

/** The rollout that a fork continues, and the ordinal in it before which the fork begins. */
export function baseOf(transcript: Uint8Array): { thread: string; end: number } | null {
  const end = transcript.indexOf(10)
  let found: { thread: string; end: number } | null = null
  eachLine(transcript.subarray(0, end + 1), {
    onRecord({ record }) {
      const base = recordOf(recordOf(record.payload)?.history_base)
      const thread = uuidOf(base?.thread_id)
      if (thread !== undefined) found = { thread, end: countOf(base?.end_ordinal_exclusive) }
    },
    onBroken() {},
  })
  return found
}

/** What the model would see of rollouts that continue one another: what follows the last compaction, with what that one kept. */
export function readConversation(transcripts: readonly Uint8Array[]): NeutralConversation {
  const builder = new ConversationBuilder()
  for (const [at, transcript] of transcripts.entries()) {
    const next = transcripts[at + 1]
    readRollout(builder, transcript, (next && baseOf(next)?.end) ?? Number.POSITIVE_INFINITY)
  }
  return builder.build()
}

function readRollout(builder: ConversationBuilder, transcript: Uint8Array, end: number): void {
  const onRecord = ({ record, offset, length }: RecordLine): void => {
    if (typeof record.ordinal === 'number' && record.ordinal >= end) return
    const bytes = transcript.subarray(offset, offset + length)
    const { type, payload, inner } = rolloutLine(record, '', { offset, length, bytes, number: 0 })
    if (type === 'response_item') readItem(builder, payload, bytes)
    else if (type === 'compacted') readCompaction(builder, payload)
    else if (type === 'event_msg' && inner === 'thread_rolled_back') builder.takeBack(countOf(payload.num_turns))
  }
  if (!isDocument(transcript)) eachLine(transcript, { onRecord, onBroken() {} })
  else
    for (const { record, span } of documentParts(transcript) ?? [])
      onRecord({ record, offset: span.from, length: span.to - span.from })
}

function readItem(builder: ConversationBuilder, item: JsonRecord, line: Uint8Array): void {
  if (callOf(item) !== undefined) builder.agent(readLineContent(line))
  else if (answerOf(item) !== undefined) builder.answers(readLineContent(line))
  else if (item.type === 'reasoning') builder.agent(readLineContent(line))
  else if (item.type === 'agent_message') builder.person(readLineContent(line))
  else if (item.type === 'message') {
    const type = messageType(textOf(item.role), textsOf(item.content))
    if (type === 'text') builder.agent(readLineContent(line))
    else if (type === 'prompt' || type === 'notice') builder.person(readLineContent(line), (text) => !isContext(text))
  }
}

/** Newer releases write the history that takes the place of all before. The others kept what persons had said, and a summary. */
function readCompaction(builder: ConversationBuilder, payload: JsonRecord): void {
  const history = listOf(payload.replacement_history)
  if (history.length > 0) {
    builder.clear()
    for (const item of history)
      if (isRecord(item)) readItem(builder, item, new TextEncoder().encode(JSON.stringify(item)))
    return
  }
  builder.keepPersons()
  const text = textOf(payload.message) ?? ''
  builder.person({ blocks: [{ kind: 'text', text }], isCut: false })
}
