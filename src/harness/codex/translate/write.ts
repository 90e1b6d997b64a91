import type { ContentImage } from '../../../domain/conversation/line-content'
import {
  type CallPart,
  type NeutralConversation,
  type TranslationTarget,
  translationNote,
} from '../../../domain/harness/translation'
import { CallNames, NO_ANSWER } from '../../json-lines/call-names'
import { DEFAULT_PROVIDER } from './provider'

/**
 * Writes a conversation as a rollout that `codex exec resume` continues.
 *
 * Checked with 0.169: the CLI finds a rollout by the id in its name, reads lines with fields that it does not know, and gives the model
 * every `response_item`. The first line says in `translated_from` where the conversation comes from, so that the record counts all lines
 * before the first turn here for their origin alone. A thread goes on with the provider that its first line names, and with no other.
 */
export function writeConversation(
  { parts }: NeutralConversation,
  target: TranslationTarget,
): { name: string; bytes: Uint8Array } {
  const { sessionId, origin, cwd, version, provider, now } = target
  const time = new Date(now).toISOString()
  const names = new CallNames(parts.filter((part): part is CallPart => part.kind === 'call'))
  const meta = {
    ...{ session_id: sessionId, id: sessionId, timestamp: time, cwd, originator: 'lodeline' },
    ...{ cli_version: version ?? '0.169.0', source: 'exec', thread_source: 'user' },
    model_provider: provider ?? DEFAULT_PROVIDER,
    translated_from: { agent: origin.agent, session_id: origin.sessionId },
  }
  const note = message('developer', [{ type: 'input_text', text: translationNote(origin) }])
  const items = [note, ...parts.flatMap((part) => itemsOf(part, names))]
  const lines = [
    { type: 'session_meta', payload: meta },
    ...items.map((payload) => ({ type: 'response_item', payload })),
  ]
  const text = lines.map((line, ordinal) => `${JSON.stringify({ timestamp: time, ordinal, ...line })}\n`).join('')
  // The CLI sorts by the time in the name.
  const local = time.slice(0, 19).replaceAll(':', '-')
  return { name: `rollout-${local}-${sessionId}.jsonl`, bytes: new TextEncoder().encode(text) }
}

const message = (role: 'user' | 'assistant' | 'developer', content: object[]): object => ({
  type: 'message',
  role,
  content,
})

function itemsOf(part: NeutralConversation['parts'][number], names: CallNames): object[] {
  switch (part.kind) {
    case 'person': {
      const texts = part.text === '' ? [] : [{ type: 'input_text', text: part.text }]
      return [message('user', [...texts, ...part.images.map(imagePart)])]
    }
    case 'agent':
      return [message('assistant', [{ type: 'output_text', text: part.text }])]
    case 'call':
      return callItems(part, names)
  }
}

function callItems(part: CallPart, names: CallNames): object[] {
  const call_id = names.idOf(part)
  const { text, images } = part.answer ?? { text: NO_ANSWER, images: [] }
  const output = images.length === 0 ? text : [{ type: 'input_text', text }, ...images.map(imagePart)]
  return [
    { type: 'function_call', name: names.nameOf(part), arguments: JSON.stringify(part.input ?? {}), call_id },
    { type: 'function_call_output', call_id, output },
  ]
}

const imagePart = ({ mediaType, base64 }: ContentImage): object => ({
  type: 'input_image',
  image_url: `data:${mediaType};base64,${base64}`,
})
