import { AppError } from '../../../domain/errors'
import { isRecord, type JsonRecord, recordOf } from '../../json-lines/json-value'
import { eachLine } from '../lines'

/**
 * Cuts a session's events after the last finished turn of the main thread: what a child may be given of a conversation that is still going
 * on.
 *
 * @returns `null` when no turn is finished. `lastUuid` is the id of the turn's last answer
 */
export function cutAtLastTurn(events: Uint8Array): { bytes: Uint8Array; lastUuid: string } | null {
  let answer: string | null = null
  let found: { end: number; lastUuid: string } | null = null
  eachLine(events, {
    onRecord({ record, offset, length }) {
      if (record.agentId !== undefined) return
      const data = recordOf(record.data)
      if (record.type === 'assistant.message')
        answer = isAnswer(data) && typeof record.id === 'string' ? record.id : null
      // After calls the same turn goes on.
      if (record.type === 'assistant.turn_end' && answer !== null) found = { end: offset + length, lastUuid: answer }
    },
    onBroken() {},
  })
  if (found === null) return null
  const { end, lastUuid }: { end: number; lastUuid: string } = found
  const at = events.indexOf(10, end - 1)
  return { bytes: events.slice(0, at < 0 ? end : at + 1), lastUuid }
}

const isAnswer = (data: JsonRecord | undefined): boolean =>
  data?.parentToolCallId === undefined && (!Array.isArray(data?.toolRequests) || data.toolRequests.length === 0)

/**
 * The same events as those of another session, as the CLI itself forks one: the first line names the new session and says when it begins;
 * all else stays, ids and times included. By that the record knows what was copied.
 *
 * @throws `invalid` the events do not begin with a session
 */
export function forkOf(events: Uint8Array, sessionId: string, now: Date): Uint8Array {
  const end = events.indexOf(10)
  const first: unknown = parse(end < 0 ? events : events.subarray(0, end))
  const data = isRecord(first) && first.type === 'session.start' ? recordOf(first.data) : undefined
  if (!isRecord(first) || data === undefined)
    throw new AppError('invalid', 'The conversation to fork does not begin with the start of a session.')
  const timestamp = now.toISOString()
  const line = JSON.stringify({ ...first, data: { ...data, sessionId, startTime: timestamp }, timestamp })
  return Buffer.concat([Buffer.from(`${line}\n`), events.subarray(end < 0 ? events.length : end + 1)])
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
