import type { Harness, ParseContext } from '../../domain/harness/harness'
import type { Observation, ParsedLines } from '../../domain/record/observation'
import type { RecordLine } from '../json-lines/each-line'
import { readSafely } from '../json-lines/read-safely'
import { type Carry, follow, readCarry, writeCarry } from './carry'
import { classify } from './classify'
import { recordHook } from './hooks/record-hook'
import { kindOf } from './kinds'
import { eachLine } from './lines'
import { readMessage } from './messages'
import { readPart } from './parts'
import { type Place, placeOf } from './place'
import { readSession } from './session-row'

/** opencode 1.x: the journals that `rows/` makes of its database. */
export const opencode: Harness = {
  agent: 'opencode',
  classify,
  parseLines,
  parseDocument: () => [],
  parseHook: recordHook,
}

function parseLines(bytes: Uint8Array, { ref, offset, carry: before }: ParseContext): ParsedLines {
  const parsed: ParsedLines = { observations: [], malformed: [], head: null, consumed: 0, sessionId: null }
  const carry = readCarry(before)
  const session = ref.subagentId ?? ref.sessionId ?? ''
  const isOurs = ref.kind === 'transcript' || ref.kind === 'subagent'
  parsed.consumed = eachLine(bytes, {
    onRecord: (line) => isOurs && readRow(parsed, line, { session, subagentId: ref.subagentId, carry, offset }),
    onBroken: (line) => parsed.malformed.push({ ...line, offset: offset + line.offset }),
  })
  parsed.carry = writeCarry(carry)
  return parsed
}

function readRow(
  parsed: ParsedLines,
  { record, offset: at, length }: RecordLine,
  file: Pick<Place, 'session' | 'subagentId' | 'offset'> & { carry: Carry },
): void {
  const own = { offset: file.offset + at, length }
  readSafely(parsed, own, (into) => {
    const before = into.length
    const place = placeOf(record, { ...file, ...own })
    // The mark of a journal whose session was forgotten is no row.
    if (place === null) return
    readLine(into, place)
    follow(
      file.carry,
      into.slice(before).filter((seen) => seen.kind === 'event'),
    )
  })
}

function readLine(observations: Observation[], place: Place): void {
  observations.push(kindOf(place))
  if (place.isGone) return
  if (place.table === 'session') readSession(observations, place)
  else if (place.table === 'message') readMessage(observations, place)
  else if (place.table === 'part') readPart(observations, place)
}
