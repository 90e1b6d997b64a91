import { basename } from 'node:path'
import type { Harness, ParseContext } from '../../domain/harness/harness'
import type { Observation, ParsedLines } from '../../domain/record/observation'
import type { RecordLine } from '../json-lines/each-line'
import { idOf, timeOf, uuidOf } from '../json-lines/json-value'
import { classify } from './classify'
import { readHook } from './hook'
import { eachLine } from './lines'
import { readMetaFile } from './meta'
import { readStreamLine } from './stream'
import { readTaskFile } from './tasks/tasks-files'
import { readTranscriptLine } from './transcript'

/** Claude Code: the CLI of 1.0.x, 2.0.x and 2.1.x. */
export const claudeCode: Harness = {
  agent: 'claude-code',
  classify,
  parseLines,
  parseDocument(bytes: Uint8Array, context: ParseContext): Observation[] {
    if (context.ref.kind === 'subagent_meta') return readMetaFile(bytes, context.ref)
    return context.ref.kind === 'tasks' ? readTaskFile(bytes, context.ref) : []
  },
  parseHook: readHook,
}

function parseLines(bytes: Uint8Array, context: ParseContext): ParsedLines {
  const { ref, offset } = context
  const parsed: ParsedLines = { observations: [], malformed: [], head: null, consumed: 0, sessionId: null }
  const read = readerOf(context)
  parsed.consumed = eachLine(bytes, {
    onRecord(line) {
      if (!read) return
      // If the conversation of a run's output is known, lines that name another are none of it.
      if (ref.kind === 'stream' && ref.sessionId !== null && (sessionOf(line) ?? ref.sessionId) !== ref.sessionId)
        return
      noteHead(parsed, line)
      if (ref.sessionId === null) parsed.sessionId ??= sessionOf(line) ?? null
      readSafely(read, parsed, line, offset)
    },
    onBroken: (line) => parsed.malformed.push({ ...line, offset: offset + line.offset }),
  })
  if (ref.kind === 'transcript' && ref.sessionId === null && parsed.sessionId === null)
    parsed.sessionId = nameOf(ref, parsed)
  return parsed
}

/** A conversation whose lines name no session is called by its file. */
function nameOf({ path }: ParseContext['ref'], { observations }: ParsedLines): string | null {
  return observations.some((seen) => seen.kind === 'event') ? basename(path, '.jsonl') : null
}

/** Takes back what a line said when reading it failed: a mistake of ours costs one line, and shows. */
function readSafely(read: Reader, parsed: ParsedLines, line: RecordLine, offset: number): void {
  const before = parsed.observations.length
  const place = { offset: offset + line.offset, length: line.length }
  try {
    read(parsed.observations, line.record, place)
  } catch (cause) {
    parsed.observations.length = before
    const message = cause instanceof Error ? cause.message : String(cause)
    parsed.malformed.push({ ...place, reason: `not readable: ${message.slice(0, 200)}` })
  }
}

type Reader = (into: Observation[], record: RecordLine['record'], at: { offset: number; length: number }) => void

/** Whole JSON files and the hooks' own journal are not read by lines: their bytes are kept, their lines say nothing here. */
function readerOf({ ref }: ParseContext): Reader | undefined {
  if (ref.kind === 'transcript' || ref.kind === 'subagent') {
    return (into, record, at) => readTranscriptLine(into, record, at, ref)
  }
  return ref.kind === 'stream' ? readStreamLine : undefined
}

function noteHead(parsed: ParsedLines, { record }: RecordLine): void {
  if (parsed.head !== null) return
  const at = timeOf(record.timestamp)
  if (at !== null) parsed.head = { at, isOwn: uuidOf(record.uuid) === undefined }
}

function sessionOf({ record }: RecordLine): string | undefined {
  return idOf(record.session_id ?? record.sessionId)
}
