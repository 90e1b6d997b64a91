import type { Harness, ParseContext } from '../../domain/harness/harness'
import type { Observation, ParsedLines } from '../../domain/record/observation'
import type { RecordLine } from '../json-lines/each-line'
import { textOf, uuidOf } from '../json-lines/json-value'
import { readSafely } from '../json-lines/read-safely'
import { classify, threadOf } from './classify'
import { addUsage, readEvent } from './events'
import { recordHook } from './hooks/record-hook'
import { readItem } from './items'
import { type Carry, readCarry, timeOfId, writeCarry } from './rollout/carry'
import { documentParts } from './rollout/document'
import { eventOf } from './rollout/event'
import { kindOf } from './rollout/kinds'
import { eachLine } from './rollout/lines'
import type { Place } from './rollout/place'
import { rolloutLine } from './rollout/rollout-line'
import { readSessionMeta, readTurnContext } from './rollout/session-lines'

/** Codex: the rollouts of all releases since 2025, the JSON documents of the first ones too. */
export const codex: Harness = {
  agent: 'codex',
  classify,
  parseLines,
  parseDocument,
  parseHook: recordHook,
}

function parseLines(bytes: Uint8Array, { ref, offset, carry: before }: ParseContext): ParsedLines {
  const carry = readCarry(before)
  const parsed = nothing()
  const source = { file: fileOf(ref), carry, offset }
  parsed.consumed = eachLine(bytes, {
    onRecord(line) {
      if (ref.kind === 'transcript' || ref.kind === 'subagent') readRecord(parsed, line, bytes, source)
    },
    onBroken: (line) => parsed.malformed.push({ ...line, offset: offset + line.offset }),
  })
  parsed.carry = writeCarry(carry)
  return parsed
}

function parseDocument(bytes: Uint8Array, { ref, offset }: ParseContext): Observation[] | null {
  const parts = documentParts(bytes)
  if (parts === null) return null
  const parsed = nothing()
  const source = { file: fileOf(ref), carry: readCarry(null), offset }
  for (const { record, span } of parts)
    readRecord(parsed, { record, offset: span.from, length: span.to - span.from }, bytes, source)
  return parsed.observations
}

const nothing = (): ParsedLines => ({ observations: [], malformed: [], head: null, consumed: 0, sessionId: null })

function fileOf(ref: ParseContext['ref']): Source['file'] {
  const thread = ref.subagentId ?? ref.sessionId ?? threadOf(ref.path) ?? ''
  return { thread, sessionId: ref.sessionId ?? thread, subagentId: ref.subagentId }
}

interface Source {
  file: Pick<Place, 'thread' | 'sessionId' | 'subagentId'>
  carry: Carry
  offset: number
}

function readRecord(
  parsed: ParsedLines,
  { record, offset: at, length }: RecordLine,
  bytes: Uint8Array,
  { file, carry, offset: start }: Source,
): void {
  const place = { offset: start + at, length }
  readSafely(parsed, place, (into) => {
    const before = into.length
    const own = { ...place, bytes: bytes.subarray(at, at + length), number: ++carry.lines }
    const line = rolloutLine(record, file.thread, own)
    if (line.type === 'session_meta' && line.payload === record) carry.bareSince ??= line.at
    // A millisecond for each line keeps them in order.
    const time = line.at ?? (carry.bareSince === null ? null : carry.bareSince + own.number)
    readLine(into, { ...line, at: time, ...file, carry })
    if (into.slice(before).some(({ kind }) => kind === 'event')) carry.lastUuid = line.uuid
  })
}

function readLine(into: Observation[], place: Place): void {
  const { carry } = place
  if (place.type === 'session_meta') readSessionMeta(into, place)
  endCopy(place)
  into.push(kindOf(place.type, place.inner, carry.version))
  // What a sub-agent was given of its launcher's history stands in the launcher's own file.
  const isForeign = carry.copyUntil !== null && place.subagentId !== null
  if (place.type === 'turn_context') readTurnContext(into, place)
  else if (isForeign) return
  else if (place.type === 'response_item') readItem(into, place)
  else if (place.type === 'event_msg') readEvent(into, place)
  else if (place.type === 'compacted') into.push(eventOf(place, 'compaction', textOf(place.payload.message) ?? ''))
  else if (place.type === 'token_usage_record' && carry.copyUntil === null)
    addUsage(into, place, place.payload.usage, place.payload.thread_token_usage)
}

/**
 * A copy ends where the thread's first line says; else at the first turn that is not older than the thread itself. Where turns have no ids,
 * it ends at a pause: the CLI writes the whole copy within some milliseconds, and a person or a model takes longer.
 */
function endCopy({ carry, payload, type, inner, ordinal, at }: Place): void {
  const { copyUntil, copiedAt } = carry
  if (copyUntil === null) return
  if (carry.ownFrom !== null && ordinal !== null) {
    if (ordinal >= carry.ownFrom) carry.copyUntil = null
    return
  }
  const isTurn =
    type === 'turn_context' || (type === 'event_msg' && (inner === 'task_started' || inner === 'turn_started'))
  const turn = isTurn ? uuidOf(payload.turn_id) : undefined
  if (turn !== undefined) carry.hasTurnIds = true
  const began = timeOfId(turn)
  const hasPaused = !carry.hasTurnIds && copiedAt !== null && at !== null && at > copyUntil && at - copiedAt >= PAUSE_MS
  if (hasPaused || (began !== null && began >= copyUntil)) carry.copyUntil = null
  carry.copiedAt = carry.copyUntil === null ? null : (at ?? copiedAt)
}

const PAUSE_MS = 1_000
