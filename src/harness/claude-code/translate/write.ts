import type { ContentImage } from '../../../domain/conversation/line-content'
import {
  type CallPart,
  type NeutralConversation,
  type TranslationTarget,
  translationNote,
} from '../../../domain/harness/translation'
import { CallNames, NO_ANSWER } from '../../json-lines/call-names'
import { isRecord } from '../../json-lines/json-value'

/**
 * Writes a conversation as a transcript that `claude --resume` continues.
 *
 * Checked with 2.1.197 to 2.1.330: the CLI reads lines with fields that it does not know, and needs `message.usage`. Each line says in
 * `translatedFrom` where it comes from, so that the record counts it for its origin alone.
 */
export function writeConversation(
  { parts }: NeutralConversation,
  target: TranslationTarget,
): { name: string; bytes: Uint8Array } {
  const writer = new TranscriptWriter(target)
  const names = new CallNames(parts.filter((part): part is CallPart => part.kind === 'call'))
  writer.person([{ type: 'text', text: translationNote(target.origin) }], { isMeta: true })
  for (const [at, part] of parts.entries()) {
    if (part.kind === 'person') writer.person([...textBlocks(part.text), ...part.images.map(imageBlock)])
    else if (part.kind === 'agent') {
      const isLast = (parts[at + 1]?.kind ?? 'person') === 'person'
      writer.agent({ type: 'text', text: part.text }, isLast ? 'end_turn' : 'tool_use')
    } else writeCall(writer, part, names)
  }
  return { name: `${target.sessionId}.jsonl`, bytes: new TextEncoder().encode(writer.text) }
}

function writeCall(writer: TranscriptWriter, part: CallPart, names: CallNames): void {
  const id = names.idOf(part)
  // The API takes objects alone.
  const input = isRecord(part.input) ? part.input : { input: part.input ?? null }
  writer.agent({ type: 'tool_use', id, name: names.nameOf(part), input }, 'tool_use')
  const { text, isError, images } = part.answer ?? { text: NO_ANSWER, isError: true, images: [] }
  const content = [...textBlocks(text), ...images.map(imageBlock)]
  writer.person([{ type: 'tool_result', tool_use_id: id, content, ...(isError && { is_error: true }) }])
}

/** The API refuses empty texts. */
const textBlocks = (text: string): object[] => (text.trim() === '' ? [] : [{ type: 'text', text }])

const imageBlock = ({ mediaType, base64 }: ContentImage): object => ({
  type: 'image',
  source: { type: 'base64', media_type: mediaType, data: base64 },
})

const NO_USAGE = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
}

class TranscriptWriter {
  text = ''
  readonly #envelope: object
  readonly #now: number
  #parentUuid: string | null = null
  /** Blocks of one answer of the model share an id; the CLI puts them together by it. */
  #messageId: string | null = null
  #lines = 0

  constructor({ sessionId, origin, cwd, version, now }: TranslationTarget) {
    const from = { agent: origin.agent, sessionId: origin.sessionId }
    this.#now = now
    this.#envelope = {
      ...{ isSidechain: false, userType: 'external', cwd, sessionId, version: version ?? '2.1.197', gitBranch: '' },
      translatedFrom: from,
    }
  }

  person(content: object[], more: object = {}): void {
    this.#messageId = null
    this.#line({ type: 'user', ...more, message: { role: 'user', content } })
  }

  agent(block: object, stopReason: 'end_turn' | 'tool_use'): void {
    this.#messageId ??= `msg_${crypto.randomUUID().replaceAll('-', '')}`
    this.#line({
      type: 'assistant',
      message: {
        ...{ id: this.#messageId, type: 'message', role: 'assistant', model: 'translated', content: [block] },
        ...{ stop_reason: stopReason, stop_sequence: null, usage: NO_USAGE },
      },
    })
  }

  #line(record: object): void {
    const uuid = crypto.randomUUID()
    // Each a millisecond after the one before: readers that sort by time keep the order.
    const timestamp = new Date(this.#now + this.#lines++).toISOString()
    this.text += `${JSON.stringify({ parentUuid: this.#parentUuid, ...this.#envelope, ...record, uuid, timestamp })}\n`
    this.#parentUuid = uuid
  }
}
