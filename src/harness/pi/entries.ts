import type { EventType, Observation } from '../../domain/record/observation'
import { idOf, recordOf, textOf } from '../json-lines/json-value'
import { clip, titleOf } from '../json-lines/text'
import { sessionOf } from './classify'
import type { Entry } from './entry'
import { entryWords } from './entry-words'
import { eventOf } from './event'
import { kindOf } from './kinds'
import { readMessage } from './messages'
import { usageOf } from './usage'

/** What an entry that is no message is to a reader. Entries of other types are events too: the ones after them name them. */
const TYPES: ReadonlyMap<string, EventType> = new Map([
  ['compaction', 'compaction'],
  ['branch_summary', 'summary'],
  ['custom_message', 'attachment'],
])

/** Adds what a line says. */
export function readEntry(into: Observation[], entry: Entry): void {
  into.push(kindOf(entry))
  if (entry.type === 'session') readHeader(into, entry)
  else if (entry.type === 'message') readMessage(into, entry)
  else readOther(into, entry)
}

function readOther(into: Observation[], entry: Entry): void {
  const { type, record, carry } = entry
  into.push(eventOf(entry, TYPES.get(type) ?? 'system', entryWords(entry)))
  if (type === 'model_change') readModel(into, entry)
  else if (type === 'session_info') readName(into, entry)
  else if (type === 'usage') into.push(...usageOf(entry, record.usage, idOf(record.model) ?? carry.model))
  else if (type === 'compaction' || type === 'branch_summary') into.push(...usageOf(entry, record.usage, carry.model))
}

/** The first line: where the session runs, and from which one it was forked or translated. */
function readHeader(into: Observation[], { record, at, carry }: Entry): void {
  const parent = textOf(record.parentSession) ?? textOf(record.branchedFrom)
  const forkedFrom = parent === undefined ? null : sessionOf(parent)
  const translatedFrom = idOf(recordOf(record.translatedFrom)?.sessionId)
  // What is older than the session was copied into it.
  if (parent !== undefined || translatedFrom !== undefined) carry.copyUntil = at
  const cwd = textOf(record.cwd)
  into.push({
    kind: 'session',
    uuid: null,
    at,
    ...(cwd && { cwd: clip(cwd, 4_000) }),
    ...(forkedFrom !== null && { forkedFrom }),
    ...(translatedFrom !== undefined && { translatedFrom }),
  })
  const model = idOf(record.modelId)
  if (model !== undefined) carry.model = model
}

function readModel(into: Observation[], { record, uuid, at, carry }: Entry): void {
  const model = idOf(record.modelId)
  if (model === undefined) return
  carry.model = model
  into.push({ kind: 'session', uuid, at, model })
}

/** A person named the session. */
function readName(into: Observation[], { record, uuid, at }: Entry): void {
  const title = titleOf(textOf(record.name) ?? '')
  if (title !== undefined) into.push({ kind: 'session', uuid, at, title: { text: title, source: 'person' } })
}
