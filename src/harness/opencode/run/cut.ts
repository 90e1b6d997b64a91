import { AppError } from '../../../domain/errors'
import { idOf, isRecord, type JsonRecord, recordOf, textOf } from '../../json-lines/json-value'
import { eachLine } from '../lines'
import { type Place, placeOf, timesOf } from '../place'

/** The plan of a run that goes on in a copy: the CLI itself copies the session up to a message. */
export interface Cut {
  session: string
  /** The first message that the copy does not have; `null` = it has all. */
  before: string | null
}

/**
 * Finds the end of the last finished turn in a journal of rows: what a child may be given of a conversation that is still going on. The
 * CLI makes the copy, so what comes out names the session and the place alone.
 *
 * @returns `null` when no turn is finished. `lastUuid` is that of the last message kept
 */
export function cutAtLastTurn(journal: Uint8Array): { bytes: Uint8Array; lastUuid: string } | null {
  const messages = messagesOf(journal)
  const last = messages.findLastIndex(isTurnEnd)
  const end = messages[last]
  if (end === undefined) return null
  const cut: Cut = { session: end.session, before: messages[last + 1]?.id ?? null }
  return { bytes: new TextEncoder().encode(JSON.stringify(cut)), lastUuid: end.uuid }
}

/** @throws `invalid` it is no such text */
export function readCut(bytes: Uint8Array): Cut {
  const read: unknown = JSON.parse(new TextDecoder().decode(bytes))
  const session = isRecord(read) ? idOf(read.session) : undefined
  if (!isRecord(read) || session === undefined) throw new AppError('invalid', 'The snapshot names no session.')
  return { session, before: idOf(read.before) ?? null }
}

/** The newest version of each message that is there, oldest first: their ids hold the time of their making. */
function messagesOf(journal: Uint8Array): Place[] {
  const messages = new Map<string, Place>()
  const read = (record: JsonRecord, offset: number, length: number) => {
    if (record.table !== 'message') return
    const session = idOf(recordOf(record.row)?.session_id) ?? ''
    const place = placeOf(record, {
      session,
      subagentId: null,
      carry: { lastUuid: null, openCalls: [] },
      offset,
      length,
    })
    if (place?.isGone) messages.delete(place.id)
    else if (place !== null) messages.set(place.id, place)
  }
  eachLine(journal, {
    onRecord: ({ record, offset, length }) => read(record, offset, length),
    onBroken: () => {},
  })
  return [...messages.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** The model's last answer of a turn, which calls nothing more. */
const isTurnEnd = ({ role, data }: Place): boolean => {
  const finish = textOf(data.finish)
  return role === 'assistant' && timesOf(data).end !== null && finish !== undefined && finish !== 'tool-calls'
}
