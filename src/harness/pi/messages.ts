import { issueWords } from '../../domain/issue/issue-mention'
import type { ActivityObservation, EventType, Observation } from '../../domain/record/observation'
import { SEARCH_LIMIT } from '../../domain/record/observation'
import { idOf, type JsonRecord, textOf } from '../json-lines/json-value'
import { clip, TextBudget, titleOf } from '../json-lines/text'
import { type WritingTools, writtenFiles } from '../json-lines/written-files'
import type { Entry } from './entry'
import { eventOf } from './event'
import { bashWords, type Part, partsOf, systemWords, wordsOf } from './parts'
import { ASKING_TOOLS, addCallWords } from './tools'
import { usageOf } from './usage'

const WRITING_TOOLS: WritingTools = { edit: 'path', write: 'path' }

/** Adds what a message says: what the model was sent, or what it answered. */
export function readMessage(into: Observation[], entry: Entry): void {
  const { message } = entry
  switch (entry.role) {
    case 'user':
      readPrompt(into, entry)
      break
    case 'assistant':
      readAnswer(into, entry)
      break
    case 'toolResult':
      readResult(into, entry)
      break
    case 'system':
      into.push(eventOf(entry, 'attachment', systemWords(message)))
      break
    case 'bashExecution':
      into.push(eventOf(entry, 'attachment', bashWords(message)))
      break
    case 'branchSummary':
    case 'compactionSummary':
      into.push(eventOf(entry, 'summary', textOf(message.summary) ?? ''))
      break
    default:
      into.push(eventOf(entry, 'attachment', wordsOf(message.content)))
  }
}

function readPrompt(into: Observation[], entry: Entry): void {
  const { uuid, at, message } = entry
  const words = wordsOf(message.content)
  into.push(eventOf(entry, 'prompt', words), activityOf(entry, 'working', 'prompt'))
  const title = titleOf(words)
  if (title !== undefined) into.push({ kind: 'session', uuid, at, title: { text: title, source: 'prompt' } })
  const mentioned = issueWords(words.slice(0, 4_000))
  if (mentioned.length > 0) into.push({ kind: 'mention', uuid, at, source: 'prompt', place: uuid, words: mentioned })
}

export type End = 'done' | 'failed' | 'stopped'

const ENDS: ReadonlyMap<unknown, End> = new Map([
  ['stop', 'done'],
  ['length', 'done'],
  ['error', 'failed'],
  ['aborted', 'stopped'],
])

/** How the model's answer ended. `undefined` = it goes on, with the tools that it called or later. */
export function endOf(message: JsonRecord): End | undefined {
  // The request after a tool that a person stopped fails by the stop (0.87).
  const isStop = /^(?:This operation|Request) was aborted/.test(textOf(message.errorMessage)?.slice(0, 100) ?? '')
  return isStop ? 'stopped' : ENDS.get(message.stopReason)
}

function readAnswer(into: Observation[], entry: Entry): void {
  const { message, uuid, at, carry } = entry
  const parts = partsOf(message.content)
  const calls = parts.flatMap((part) => (part.kind === 'call' ? [part] : []))
  const end = endOf(message)
  const model = idOf(message.model)
  if (model !== undefined) carry.model = model
  const { text, isCut } = answerWords(
    parts,
    end === 'failed' || end === 'stopped' ? textOf(message.errorMessage) : undefined,
  )
  const [first] = calls
  const type = answerType(parts, end)
  into.push({
    ...eventOf(entry, type, text, { toolUseId: first?.toolUseId, toolName: first?.name }),
    ...(isCut && { isCut }),
    ...(type === 'text' && end === 'done' && { isFinal: true }),
  })
  for (const { toolUseId, name, input } of calls) {
    const files = writtenFiles(WRITING_TOOLS, name, input)
    if (toolUseId !== undefined)
      into.push({ kind: 'tool_call', uuid, toolUseId, name, subagentId: null, at, ...(files && { files }) })
  }
  if (model !== undefined) into.push({ kind: 'session', uuid, at, model })
  into.push(...usageOf(entry, message.usage, model ?? carry.model))
  const isAsking = calls.some(({ name }) => ASKING_TOOLS.has(name))
  const state = end !== undefined ? 'idle' : isAsking ? 'waiting' : 'working'
  into.push(activityOf(entry, state, textOf(message.stopReason) ?? 'answer'))
}

function answerType(parts: readonly Part[], end: End | undefined): EventType {
  if (parts.some(({ kind }) => kind === 'call')) return 'tool_call'
  if (end === 'failed') return 'error'
  if (parts.some((part) => part.kind === 'text' && part.text !== '')) return 'text'
  if (end === 'stopped') return 'system'
  return parts.some(({ kind }) => kind === 'thinking') ? 'thinking' : 'text'
}

/** Thinking is shown where nothing else was said. */
function answerWords(parts: readonly Part[], error: string | undefined): { text: string; isCut: boolean } {
  const budget = new TextBudget(SEARCH_LIMIT)
  const hasMore = error !== undefined || parts.some(({ kind }) => kind !== 'thinking')
  for (const part of parts) {
    if (part.kind === 'call') addCallWords(budget, part)
    else if (part.kind === 'text') budget.addLine(part.text)
    else if (part.kind === 'thinking') budget.addLine(hasMore ? '' : part.text || '[thinking]')
    else budget.addLine(`[${part.kind === 'other' ? part.name : part.kind}]`)
  }
  if (error !== undefined) budget.addLine(error)
  return { text: budget.take() ?? '', isCut: budget.isCut }
}

function readResult(into: Observation[], entry: Entry): void {
  const { message, uuid, at, carry } = entry
  const toolUseId = idOf(message.toolCallId)
  into.push(eventOf(entry, 'tool_result', wordsOf(message.content), { toolUseId }))
  if (toolUseId !== undefined)
    into.push({ kind: 'tool_result', uuid, toolUseId, isError: message.isError === true, subagentId: null, at })
  into.push(...usageOf(entry, message.usage, carry.model), activityOf(entry, 'working', 'tool_result'))
}

/** What a line says about whether the session is at work. */
const activityOf = ({ uuid, at }: Entry, state: ActivityObservation['state'], what: string): ActivityObservation => ({
  kind: 'activity',
  uuid,
  at,
  state,
  evidence: clip(`transcript:${what}`, 100),
})
