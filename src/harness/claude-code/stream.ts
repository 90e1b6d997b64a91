import type { ActivityObservation, EventObservation, EventType, Observation } from '../../domain/record/observation'
import type { JsonRecord } from '../json-lines/json-value'
import { idOf, recordOf, textOf, timeOf, uuidOf } from '../json-lines/json-value'
import { clip, titleOf } from '../json-lines/text'
import { assistantActivity, userActivity } from './activity'
import type { Block } from './content/content'
import { blocksOf, readBlocks } from './content/content'
import { streamKind } from './kinds'
import { assistantLineType, SEARCHED_TYPES, userLineType } from './line-type'
import { addCalls, addResults, firstTool } from './message'
import { readTaskLine } from './tasks/stream-tasks'
import { subagentTexts } from './tools/agent'
import { usageOf } from './usage'

/** A message's line in a stream. */
interface Line {
  record: JsonRecord
  role: 'user' | 'assistant'
  uuid: string
  at: number | null
  subagentId: string | null
  parentToolUseId: string | null
  source: 'stream'
  offset: number
  length: number
}

/**
 * Adds what one line of `--output-format stream-json` says to `into`.
 *
 * `user`, `assistant` and `system/compact_boundary` lines carry the uuid of the transcript's line and are the same events.
 * The rest is about the session, its sub-agents and its state. A `result` repeats usage that its messages had.
 */
export function readStreamLine(into: Observation[], record: JsonRecord, at: { offset: number; length: number }): void {
  const type = textOf(record.type) ?? ''
  const subtype = textOf(record.subtype)
  into.push(streamKind(type, subtype, textOf(record.claude_code_version)))
  if (type === 'user' || type === 'assistant') readMessage(into, record, type, at)
  else if (type === 'system' && subtype !== undefined) readSystem(into, record, subtype, at)
  else if (type === 'result') into.push(stateOf('idle', 'stream:result', timeOf(record.timestamp)))
  else if (type === 'control_request') readControlRequest(into, record)
}

function stateOf(state: ActivityObservation['state'], evidence: string, at: number | null): ActivityObservation {
  return { kind: 'activity', uuid: null, at, state, evidence }
}

function readMessage(
  into: Observation[],
  record: JsonRecord,
  role: 'user' | 'assistant',
  at: { offset: number; length: number },
): void {
  const uuid = uuidOf(record.uuid)
  // An echo of what was sent in: the transcript's line of it has another uuid.
  if (uuid === undefined || record.isReplay === true) return
  const parentToolUseId = idOf(record.parent_tool_use_id) ?? null
  const subagentId = idOf(record.agent_id) ?? null
  // Versions before 2.1.197 do not say more of a sub-agent's line, and 2.0.30 gives it another uuid than the transcript's:
  // the sub-agent's file tells these.
  if (parentToolUseId !== null && subagentId === null && record.subagent_type === undefined) return
  if (subagentId !== null && parentToolUseId !== null) into.push(linkOf(record, subagentId, parentToolUseId))
  const time = timeOf(record.timestamp)
  const line: Line = { record, role, uuid, at: time, subagentId, parentToolUseId, source: 'stream', ...at }
  const message = recordOf(record.message) ?? {}
  const blocks = blocksOf(message.content)
  const isMain = subagentId === null && parentToolUseId === null
  const before = into.length
  if (role === 'user') readUser(into, line, blocks, isMain)
  else readAssistant(into, line, message, blocks, isMain)
  if (time !== null) return
  for (const seen of into.slice(before)) if (seen.kind === 'todo') seen.offset = line.offset
}

function linkOf(record: JsonRecord, subagentId: string, toolUseId: string): Observation {
  const texts = subagentTexts({ type: record.subagent_type, description: record.task_description })
  return { kind: 'subagent', uuid: null, subagentId, toolUseId, evidence: 'stream_parent', ...texts }
}

function readUser(into: Observation[], line: Line, blocks: readonly Block[], isMain: boolean): void {
  const type = userLineType(line.record, blocks)
  into.push(eventOf(line, type, blocks))
  addResults(into, blocks, line.record.tool_use_result, line, 'stream:tool_result')
  if (isMain) into.push(...userActivity(type, blocks, line))
}

function readAssistant(
  into: Observation[],
  line: Line,
  message: JsonRecord,
  blocks: readonly Block[],
  isMain: boolean,
): void {
  const type = assistantLineType(line.record, message.model, blocks)
  into.push(eventOf(line, type, blocks))
  const usage = usageOf(message, line)
  if (usage) into.push(usage)
  addCalls(into, blocks, line)
  if (isMain) into.push(...assistantActivity(type, message, blocks, line))
}

function eventOf(line: Line, type: EventType, blocks: readonly Block[]): EventObservation {
  const { text, searchText, isCut } = readBlocks(blocks)
  return {
    kind: 'event',
    uuid: line.uuid,
    parentUuid: null,
    type,
    role: line.role,
    at: line.at,
    subagentId: line.subagentId,
    isSidechain: false,
    parentToolUseId: line.parentToolUseId,
    ...firstTool(blocks),
    text,
    searchText: SEARCHED_TYPES.has(type) ? searchText : null,
    ...(isCut && { isCut: true }),
    foreignSessionId: null,
    isCopied: false,
    offset: line.offset,
    length: line.length,
  }
}

function readSystem(
  into: Observation[],
  record: JsonRecord,
  subtype: string,
  at: { offset: number; length: number },
): void {
  const time = timeOf(record.timestamp)
  if (subtype === 'init') {
    readInit(into, record, time)
  } else if (subtype === 'compact_boundary') {
    readBoundary(into, record, time, at)
  } else if (subtype === 'session_state_changed') {
    const state = SESSION_STATES.get(textOf(record.state) ?? '')
    if (state) into.push(stateOf(state, `stream:${textOf(record.state)}`, time))
  } else if (subtype === 'session_title_changed') {
    const title = titleOf(textOf(record.title) ?? '')
    if (title !== undefined)
      into.push({ kind: 'session', uuid: null, at: time, title: { text: title, source: 'agent' } })
  } else {
    into.push(...readTaskLine(subtype, record))
  }
}

const SESSION_STATES: ReadonlyMap<string, ActivityObservation['state']> = new Map([
  ['running', 'working'],
  ['idle', 'idle'],
  ['requires_action', 'waiting'],
])

/** Newer versions repeat it at the start of each turn. */
function readInit(into: Observation[], record: JsonRecord, at: number | null): void {
  const cwd = textOf(record.cwd)
  const model = idOf(record.model)
  const version = textOf(record.claude_code_version)
  into.push({
    kind: 'session',
    uuid: null,
    at,
    ...(cwd && { cwd: clip(cwd, 4_000) }),
    ...(version && { agentVersion: clip(version, 100) }),
    ...(model !== undefined && { model }),
  })
  into.push(stateOf('working', 'stream:init', at))
}

function readBoundary(
  into: Observation[],
  record: JsonRecord,
  at: number | null,
  place: { offset: number; length: number },
): void {
  const uuid = uuidOf(record.uuid)
  if (uuid === undefined) return
  into.push({
    kind: 'event',
    uuid,
    parentUuid: null,
    type: 'compaction',
    role: 'system',
    at,
    subagentId: null,
    isSidechain: false,
    parentToolUseId: null,
    toolUseId: null,
    toolName: null,
    text: 'Conversation compacted',
    searchText: null,
    foreignSessionId: null,
    isCopied: false,
    ...place,
  })
}

/** The CLI asks its driver whether a tool may run: a person has to answer. */
function readControlRequest(into: Observation[], record: JsonRecord): void {
  const subtype = recordOf(record.request)?.subtype
  if (subtype === 'can_use_tool') into.push(stateOf('waiting', 'stream:can_use_tool', null))
}
