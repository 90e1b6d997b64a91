import { issueWords } from '../../domain/issue/issue-mention'
import type { EventType, Observation } from '../../domain/record/observation'
import { elementsOf, fieldsOf, type Span } from '../json-lines/json-spans'
import { idOf, type JsonRecord, listOf, timeOf } from '../json-lines/json-value'
import { answerIn, partsOf, wordsIn } from '../json-lines/parts'
import { clip, titleOf } from '../json-lines/text'
import { readAnswer } from './calls'
import { eventOf } from './event'
import { activity, type Message } from './message'
import { eventId, type Place } from './place'
import { readReply } from './reply'

/** Adds what a message says. */
export function readMessage(into: Observation[], place: Place, record: JsonRecord, isRestated: boolean): void {
  const id = idOf(record.id)
  if (id === undefined) return
  const at = timeOf(record.timestamp)
  if (!isRestated && at !== null) place.carry.at = at
  const message = { place, record, id, at, isRestated }
  if (record.type === 'gemini') readReply(into, message)
  else if (record.type === 'user') readUser(into, message)
  else readNote(into, message)
}

/** What the CLI says about itself: an error, a warning, a hint. */
function readNote(into: Observation[], message: Message): void {
  const { place, record, id, at } = message
  const text = partsOf(record.content)
    .flatMap((part) => wordsIn(part) ?? [])
    .join('\n')
  const type = record.type === 'error' ? 'error' : 'system'
  into.push(eventOf(place, { uuid: eventId(place.sessionId, 'message', id), at, type, text }))
  if (type === 'error') into.push(...activity(message, at, 'idle', 'error'))
}

/** A person's words, what the CLI tells the model in a person's name, or answers of tools. */
function readUser(into: Observation[], message: Message): void {
  const { place, record, id, at } = message
  const parts = partsOf(record.content)
  const answers = parts.filter((part) => answerIn(part) !== undefined)
  const spans = answers.length > 0 && parts.length > 1 ? spansOfParts(place) : []
  for (const part of answers) {
    const span = spans[listOf(record.content).indexOf(part)]
    readAnswer(into, { ...message, place: span === undefined ? place : { ...place, span } }, part)
  }
  const texts = parts.flatMap((part) => wordsIn(part) ?? [])
  if (texts.length === 0) return
  const type = answers.length > 0 ? 'attachment' : typeOf(texts)
  // Each start of the CLI tells the model anew where it is, under the same id.
  const own = type === 'attachment' ? `${id} ${at ?? ''}` : id
  const uuid = eventId(place.sessionId, 'message', own)
  into.push(eventOf(place, { uuid, at, type, text: texts.join('\n') }))
  if (place.subagentId !== null) {
    if (type === 'prompt')
      into.push({ kind: 'subagent', uuid, subagentId: place.subagentId, prompt: clip(texts.join('\n'), 20_000) })
    return
  }
  if (type === 'attachment') readContext(into, texts.join('\n').slice(0, CONTEXT_LENGTH), uuid, at)
  if (type === 'prompt') readPrompt(into, message, uuid, texts)
}

function spansOfParts({ bytes, span }: Place): Span[] {
  const content = fieldsOf(bytes, span).get('content')
  return content === undefined ? [] : elementsOf(bytes, content)
}

const CONTEXT_OPENINGS = ['<session_context>', '<hook_context>', '<system-reminder>']

function typeOf(texts: readonly string[]): EventType {
  const own = texts.map((text) => text.slice(0, 200).trimStart()).filter((text) => text !== '')
  if (own.some((text) => text.startsWith('<state_snapshot>'))) return 'compaction'
  return own.every(isContext) ? 'attachment' : 'prompt'
}

/** What the CLI tells the model in a person's name. */
export const isContext = (text: string): boolean => {
  const start = text.slice(0, 200).trimStart()
  return CONTEXT_OPENINGS.some((opening) => start.startsWith(opening))
}

/** Characters of a context in which the folder stands. */
const CONTEXT_LENGTH = 4_000
/** The CLI's own words about where it works: no file has a field for it. */
const FOLDER =
  /\n- \*\*Workspace Directories:\*\*\n\s+- (\S[^\n]{0,4000})|working in the (?:directory: |following directories:\n\s+- )(\S[^\n]{0,4000})/

function readContext(into: Observation[], text: string, uuid: string, at: number | null): void {
  const [, named, before] = FOLDER.exec(text) ?? []
  const cwd = (named ?? before)?.trim()
  if (cwd) into.push({ kind: 'session', uuid, at, cwd: clip(cwd, 4_000) })
}

function readPrompt(into: Observation[], message: Message, uuid: string, texts: readonly string[]): void {
  const { at, record } = message
  into.push(...activity(message, at, 'working', 'prompt'))
  const shown = partsOf(record.displayContent).flatMap((part) => wordsIn(part) ?? [])
  const prompt = (shown.length > 0 ? shown : texts)
    .filter((text) => !isContext(text))
    .join('\n')
    .slice(0, 4_000)
    .trim()
  const title = titleOf(prompt)
  if (title !== undefined) into.push({ kind: 'session', uuid, at, title: { text: title, source: 'prompt' } })
  const words = issueWords(prompt)
  if (words.length > 0) into.push({ kind: 'mention', uuid, at, source: 'prompt', place: uuid, words })
}
