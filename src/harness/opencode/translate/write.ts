import type { ContentImage } from '../../../domain/conversation/line-content'
import {
  type CallPart,
  type NeutralConversation,
  type TranslationTarget,
  translationNote,
} from '../../../domain/harness/translation'
import { CallNames, NO_ANSWER } from '../../json-lines/call-names'
import { isRecord } from '../../json-lines/json-value'
import { type AgentStep, type Step, stepsOf } from '../../json-lines/steps'
import { titleOf as firstLine } from '../../json-lines/text'
import { idAt } from './ids'

/**
 * Writes a conversation as the document that `opencode import` takes, after which `opencode run -s` continues it.
 *
 * Checked with 1.18.33: `metadata` of a session is kept as it is, and says where the conversation comes from. All messages are older than
 * the session, so that the record counts them for their origin alone.
 */
export function writeConversation(
  conversation: NeutralConversation,
  target: TranslationTarget,
): { name: string; bytes: Uint8Array } {
  const { sessionId, origin, cwd, version, now } = target
  const model = modelOf(target.model)
  const names = new CallNames(conversation.parts.filter((part): part is CallPart => part.kind === 'call'))
  const note: Note = { kind: 'note', text: translationNote(origin) }
  const said: (Note | Step)[] = [note, ...stepsOf(conversation)]
  const messages: Message[] = []
  let asked = ''
  for (const [at, step] of said.entries()) {
    const message = messageOf(step, { sessionId, cwd, asked, names, model, at: now - said.length + at })
    messages.push(message)
    if (step.kind !== 'agent') asked = message.info.id
  }
  const info = {
    ...{ id: sessionId, slug: sessionId.slice(-12), projectID: 'global', directory: cwd, path: '' },
    ...{ title: titleOf(conversation), version: version ?? '1.18.33', time: { created: now, updated: now } },
    metadata: { translatedFrom: { agent: origin.agent, sessionId: origin.sessionId } },
  }
  return {
    name: `${sessionId}.json`,
    bytes: new TextEncoder().encode(`${JSON.stringify({ info, messages })}\n`),
  }
}

/** For the model alone. */
interface Note {
  kind: 'note'
  text: string
}

interface Message {
  info: { id: string; [field: string]: unknown }
  parts: object[]
}

interface Place {
  sessionId: string
  cwd: string
  /** The message that is answered. */
  asked: string
  names: CallNames
  model: ReturnType<typeof modelOf>
  /** Milliseconds since the epoch. */
  at: number
}

function messageOf(step: Note | Step, place: Place): Message {
  const { sessionId, at } = place
  const id = idAt('msg', at)
  const contents = step.kind === 'agent' ? answerParts(step, place) : promptParts(step)
  const parts = contents.map((part, number) => ({
    ...part,
    ...{ id: idAt('prt', at, number), sessionID: sessionId, messageID: id },
  }))
  const info =
    step.kind === 'agent'
      ? answerInfo(step, place)
      : { role: 'user', time: { created: at }, agent: 'build', model: place.model }
  return { info: { ...info, id, sessionID: sessionId }, parts }
}

/** The CLI goes on with the model of the last message, unless it is given one. */
function modelOf(model: string | null): { providerID: string; modelID: string } {
  const [, providerID, modelID] = /^([^/]+)\/(.+)$/.exec(model ?? '') ?? []
  return { providerID: providerID ?? 'translated', modelID: modelID ?? 'translated' }
}

function promptParts(step: Note | Extract<Step, { kind: 'person' }>): object[] {
  if (step.kind === 'note') return [{ type: 'text', text: step.text, synthetic: true }]
  const words = step.text === '' ? [] : [{ type: 'text', text: step.text }]
  return [...words, ...step.images.map(filePart)]
}

const filePart = ({ mediaType, base64 }: ContentImage, at: number): object => ({
  ...{ type: 'file', mime: mediaType, filename: `image ${at + 1}`, url: `data:${mediaType};base64,${base64}` },
})

function answerInfo({ call }: AgentStep, { cwd, asked, at, model }: Place): object {
  return {
    ...{ role: 'assistant', parentID: asked, mode: 'build', agent: 'build', path: { cwd, root: cwd }, cost: 0 },
    tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
    ...{ ...model, time: { created: at, completed: at }, finish: call === null ? 'stop' : 'tool-calls' },
  }
}

function answerParts({ texts, call }: AgentStep, { sessionId, at, names }: Place): object[] {
  const time = { start: at, end: at }
  const words = texts.map((text) => ({ type: 'text', text, time }))
  if (call === null) return words
  const { text, isError, images } = call.answer ?? { text: NO_ANSWER, isError: true, images: [] }
  const input = isRecord(call.input) ? call.input : { input: call.input ?? null }
  const attachments = images.map((image, number) => ({
    ...filePart(image, number),
    ...{ id: idAt('prt', at, texts.length + 1 + number), sessionID: sessionId, messageID: idAt('msg', at) },
  }))
  const ended = isError
    ? { status: 'error', error: text, metadata: { attachments } }
    : { status: 'completed', output: text, title: names.nameOf(call), metadata: {}, attachments }
  return [
    ...words,
    { type: 'tool', tool: names.nameOf(call), callID: names.idOf(call), state: { ...ended, input, time } },
  ]
}

/** What a person said first; the CLI itself would ask a model for a title. */
function titleOf({ parts }: NeutralConversation): string {
  const first = parts.find((part) => part.kind === 'person' && part.text.trim() !== '')
  return (first?.kind === 'person' ? firstLine(first.text) : undefined) ?? 'Continued conversation'
}
