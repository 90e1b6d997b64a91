import type { ContentImage } from '../../../domain/conversation/line-content'
import {
  type CallPart,
  type NeutralConversation,
  type TranslationTarget,
  translationNote,
} from '../../../domain/harness/translation'
import { CallNames, NO_ANSWER } from '../../json-lines/call-names'
import { isRecord } from '../../json-lines/json-value'
import { type AgentStep, stepsOf } from '../../json-lines/steps'

/**
 * Writes a conversation as a session's file that `pi --session` continues.
 *
 * Checked with 0.87: the CLI reads a header and entries with fields that it does not know. The header says in `translatedFrom` where the
 * conversation comes from; all entries are older than it, so that the record counts them for their origin alone.
 */
export function writeConversation(
  conversation: NeutralConversation,
  target: TranslationTarget,
): { name: string; bytes: Uint8Array } {
  const { sessionId, origin, cwd, now } = target
  const names = new CallNames(conversation.parts.filter((part): part is CallPart => part.kind === 'call'))
  const note = { type: 'custom_message', customType: NOTE_TYPE, content: translationNote(origin), display: true }
  const steps = stepsOf(conversation).flatMap((step): object[] =>
    step.kind === 'person'
      ? [{ role: 'user', content: content(step.text, step.images) }]
      : [answer(step, names), ...resultOf(step, names)],
  )
  const entries = [note, ...steps.map((message) => ({ type: 'message', message }))]
  const timestamp = new Date(now).toISOString()
  const from = { agent: origin.agent, sessionId: origin.sessionId }
  const header = { type: 'session', version: 3, id: sessionId, timestamp, cwd, translatedFrom: from }
  const ids = entries.map(idOfEntry)
  const lines = entries.map((entry, at) => {
    const place = { id: ids[at], parentId: ids[at - 1] ?? null }
    return entryLine(entry, place, now - entries.length + at)
  })
  const text = [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('')
  return { name: `${timestamp.replace(/[:.]/g, '-')}_${sessionId}.jsonl`, bytes: new TextEncoder().encode(text) }
}

/** The type of the note at the head, which is for the model alone. */
const NOTE_TYPE = 'lodeline.translation'

function entryLine(entry: { type: string; message?: object }, place: object, time: number): object {
  const { type, message, ...rest } = entry
  const timestamp = new Date(time).toISOString()
  return {
    type,
    ...place,
    timestamp,
    ...rest,
    ...(message !== undefined && { message: { ...message, timestamp: time } }),
  }
}

/** Digits of chance, as the CLI's own: the same id in two sessions means that one is a copy of the other. */
const idOfEntry = (): string => crypto.randomUUID().replaceAll('-', '').slice(0, 16)

function answer({ texts, call }: AgentStep, names: CallNames): object {
  const calls =
    call === null
      ? []
      : [{ type: 'toolCall', id: names.idOf(call), name: names.nameOf(call), arguments: inputOf(call) }]
  return {
    role: 'assistant',
    content: [...texts.map((text) => ({ type: 'text', text })), ...calls],
    ...{ api: 'translated', provider: 'translated', model: 'translated', usage: NO_USAGE },
    stopReason: call === null ? 'stop' : 'toolUse',
  }
}

function resultOf({ call }: AgentStep, names: CallNames): object[] {
  if (call === null) return []
  const { text, isError, images } = call.answer ?? { text: NO_ANSWER, isError: true, images: [] }
  const about = { toolCallId: names.idOf(call), toolName: names.nameOf(call) }
  return [{ role: 'toolResult', ...about, content: content(text, images), isError }]
}

/** Models take objects alone. */
const inputOf = ({ input }: CallPart): object => (isRecord(input) ? input : { input: input ?? null })

const content = (text: string, images: readonly ContentImage[]): object[] => [
  ...(text === '' && images.length > 0 ? [] : [{ type: 'text', text }]),
  ...images.map(({ mediaType, base64 }) => ({ type: 'image', mimeType: mediaType, data: base64 })),
]

const NO_USAGE = {
  ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
}
