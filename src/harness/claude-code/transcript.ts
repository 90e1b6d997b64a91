import { issueWords } from '../../domain/issue/issue-mention'
import type { EventObservation, Observation } from '../../domain/record/observation'
import { TEXT_LIMIT } from '../../domain/record/observation'
import { jsonOfLine } from '../json-lines/call-words'
import type { JsonRecord } from '../json-lines/json-value'
import { idOf, recordOf, textOf, timeOf, uuidOf } from '../json-lines/json-value'
import { clip } from '../json-lines/text'
import { assistantActivity, systemActivity, userActivity } from './activity'
import type { Block, ReadableContent } from './content/content'
import { blocksOf, firstText, openingOf, readBlocks } from './content/content'
import { CONVERSATION_TYPES, transcriptKind } from './kinds'
import { assistantLineType, promptWords, SEARCHED_TYPES, systemLineType, userLineType } from './line-type'
import { addCalls, addResults, firstTool } from './message'
import { isInternalAgentId, readNotification } from './notification'
import { readOwnLine } from './own-lines'
import { addSessionFacts } from './session-facts'
import { readTaskStatus } from './tasks/task-status'
import { usageOf } from './usage'

/** The transcript that a line is in. */
export interface TranscriptPlace {
  /** The session whose file it is; `null` when the file's place does not say it (2.0.30's files of sub-agents). */
  sessionId: string | null
  /** The sub-agent whose file it is; `null` for a session's own file. */
  subagentId: string | null
}

/** A line's own record with where it is. */
interface Line {
  record: JsonRecord
  type: string
  uuid: string
  at: number | null
  subagentId: string | null
  place: TranscriptPlace
  source: 'transcript'
  offset: number
  length: number
}

const TOOL_RESULT_EVIDENCE = 'transcript:tool_result'
const NOTIFICATION_EVIDENCE = 'transcript:notification'

/** Adds what one line of a transcript says to `into`. */
export function readTranscriptLine(
  into: Observation[],
  record: JsonRecord,
  at: { offset: number; length: number },
  place: TranscriptPlace,
): void {
  const type = textOf(record.type) ?? ''
  into.push(transcriptKind(type, subtypeOf(type, record), textOf(record.version)))
  const uuid = uuidOf(record.uuid)
  const time = timeOf(record.timestamp)
  if (!CONVERSATION_TYPES.has(type) || uuid === undefined) {
    readOwnLine(into, type, record, uuid ?? null, time, place)
    return
  }
  const isSidechain = record.isSidechain === true
  const subagentId = place.subagentId ?? (isSidechain ? (idOf(record.agentId) ?? null) : null)
  const line: Line = { record, type, uuid, at: time, subagentId, place, source: 'transcript', ...at }
  const isMain = subagentId === null && !isSidechain
  if (type === 'user') readUser(into, line, isMain)
  else if (type === 'assistant') readAssistant(into, line, isMain)
  else if (type === 'system') readSystem(into, line, isMain)
  else readAttachment(into, line)
  if (subagentId !== null && isInternalAgentId(subagentId))
    into.push({ kind: 'subagent', uuid, subagentId, isInternal: true })
  const forkedFrom = idOf(recordOf(record.forkedFrom)?.sessionId)
  // The line itself was copied; that it was, is a fact about this session, so it is not tied to the line's uuid.
  if (forkedFrom !== undefined) into.push({ kind: 'session', uuid: null, at: time, forkedFrom })
  const translatedFrom = idOf(recordOf(record.translatedFrom)?.sessionId)
  if (translatedFrom !== undefined) into.push({ kind: 'session', uuid: null, at: time, translatedFrom })
}

function subtypeOf(type: string, record: JsonRecord): string | undefined {
  if (type === 'system') return textOf(record.subtype)
  if (type === 'attachment') return textOf(recordOf(record.attachment)?.type)
  return type === 'progress' ? textOf(recordOf(record.data)?.type) : undefined
}

function readUser(into: Observation[], line: Line, isMain: boolean): void {
  const { record } = line
  const blocks = blocksOf(recordOf(record.message)?.content)
  const type = userLineType(record, blocks)
  into.push(eventOf(line, type, readBlocks(blocks), firstTool(blocks)))
  const source = { ...line, sessionId: line.place.sessionId }
  addResults(into, blocks, record.toolUseResult, source, TOOL_RESULT_EVIDENCE)
  if (type === 'notice') {
    into.push(...readNotification(firstText(blocks), { ...line, subagentId: null, evidence: NOTIFICATION_EVIDENCE }))
  }
  if (isMain) {
    into.push(...userActivity(type, blocks, line))
    const prompt = type === 'prompt' ? promptWords(blocks) : undefined
    addSessionFacts(into, line, prompt === undefined ? {} : { prompt })
    if (prompt !== undefined) addMentions(into, prompt, line)
  } else if (line.subagentId !== null && isWarmup(record, blocks)) {
    into.push({ kind: 'subagent', uuid: line.uuid, subagentId: line.subagentId, isInternal: true })
  }
}

/** Reasons to stop after which the model is done. 2.1.10 writes none. */
const LAST_WORDS: ReadonlySet<string> = new Set(['end_turn', 'stop_sequence'])

function readAssistant(into: Observation[], line: Line, isMain: boolean): void {
  const message = recordOf(line.record.message) ?? {}
  const blocks = blocksOf(message.content)
  const type = assistantLineType(line.record, message.model, blocks)
  const event = eventOf(line, type, readBlocks(blocks), firstTool(blocks))
  into.push(type === 'text' && LAST_WORDS.has(textOf(message.stop_reason) ?? '') ? { ...event, isFinal: true } : event)
  const usage = usageOf(message, line)
  if (usage) into.push(usage)
  addCalls(into, blocks, line)
  if (!isMain) return
  into.push(...assistantActivity(type, message, blocks, line))
  addSessionFacts(into, line, { model: message.model })
}

function readSystem(into: Observation[], line: Line, isMain: boolean): void {
  const subtype = textOf(line.record.subtype)
  const content = textOf(line.record.content) ?? ''
  const text = clip(content === '' ? (subtype ?? '') : content, TEXT_LIMIT)
  const words = { text: text === '' ? null : text, searchText: null, isCut: content.length > TEXT_LIMIT }
  into.push(eventOf(line, systemLineType(subtype), words, NO_TOOL))
  if (!isMain) return
  into.push(...systemActivity(subtype, line.record, line))
  addSessionFacts(into, line, {})
}

const NO_TOOL = { toolUseId: null, toolName: null }

/** Context that the CLI adds. A prompt that was queued while the agent worked is a person's message all the same. */
function readAttachment(into: Observation[], line: Line): void {
  const attachment = recordOf(line.record.attachment) ?? {}
  if (attachment.type !== 'queued_command') {
    into.push(eventOf(line, 'attachment', attachmentWords(attachment, line.length), NO_TOOL))
    if (attachment.type === 'task_status') into.push(...readTaskStatus(attachment, line.uuid, line.at))
    return
  }
  const blocks = blocksOf(attachment.prompt)
  const isNotice = userLineType(attachment, blocks) === 'notice' || attachment.commandMode === 'task-notification'
  const event = eventOf(line, isNotice ? 'notice' : 'prompt', readBlocks(blocks), NO_TOOL)
  // What was said in the middle of a turn stands under a uuid of the CLI's own.
  const source = idOf(attachment.source_uuid)
  into.push(source === undefined ? event : { ...event, carries: [source] })
  const isMain = line.subagentId === null && line.record.isSidechain !== true
  if (!isNotice && isMain) addMentions(into, promptWords(blocks), line)
  const place = { ...line, subagentId: null, evidence: NOTIFICATION_EVIDENCE }
  if (isNotice) into.push(...readNotification(firstText(blocks), place))
}

/** Issues that a person names. */
function addMentions(into: Observation[], prompt: string, { uuid, at }: Line): void {
  const words = issueWords(prompt)
  if (words.length > 0) into.push({ kind: 'mention', uuid, at, source: 'prompt', place: uuid, words })
}

function attachmentWords(attachment: JsonRecord, lineLength: number): ReadableContent {
  const words = textOf(attachment.text) ?? textOf(attachment.content) ?? textOf(attachment.prompt)
  const text = words ?? jsonOfLine(attachment, TEXT_LIMIT, lineLength)
  return { text: clip(text, TEXT_LIMIT) || null, searchText: null, isCut: text.length > TEXT_LIMIT }
}

function eventOf(
  line: Line,
  type: EventObservation['type'],
  words: ReadableContent,
  tool: { toolUseId: string | null; toolName: string | null },
): EventObservation {
  const { record, place } = line
  const named = idOf(record.sessionId)
  return {
    kind: 'event',
    uuid: line.uuid,
    parentUuid: uuidOf(record.parentUuid) ?? null,
    type,
    role: line.type,
    at: line.at,
    subagentId: line.subagentId,
    isSidechain: record.isSidechain === true && line.subagentId === null,
    parentToolUseId: null,
    toolUseId: tool.toolUseId,
    toolName: tool.toolName,
    text: words.text,
    searchText: SEARCHED_TYPES.has(type) ? words.searchText : null,
    ...(words.isCut && { isCut: true }),
    foreignSessionId: named !== undefined && place.sessionId !== null && named !== place.sessionId ? named : null,
    isCopied: recordOf(record.forkedFrom) !== undefined || recordOf(record.translatedFrom) !== undefined,
    offset: line.offset,
    length: line.length,
  }
}

/** 2.0.30 starts two agents of its own before the first prompt, whose files begin with this word. */
function isWarmup(record: JsonRecord, blocks: readonly Block[]): boolean {
  return record.parentUuid === null && openingOf(blocks) === 'Warmup'
}
