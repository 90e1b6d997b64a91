import { isRecord, recordOf, uuidOf } from '../../json-lines/json-value'
import { eachLine } from '../rollout/lines'

/**
 * Cuts a rollout after its last finished turn. All lines before are kept as they are.
 *
 * @returns `null` when no turn is finished. `lastUuid` is the id of that turn.
 */
export function cutAtLastTurn(rollout: Uint8Array): { bytes: Uint8Array; lastUuid: string } | null {
  let found: { end: number; turn: string } | null = null
  eachLine(rollout, {
    onRecord({ record, offset, length }) {
      const payload = record.type === 'event_msg' ? recordOf(record.payload) : undefined
      const isEnd = payload?.type === 'task_complete' || payload?.type === 'turn_complete'
      const turn = isEnd ? uuidOf(payload.turn_id) : undefined
      if (turn !== undefined) found = { end: offset + length, turn }
    },
    onBroken() {},
  })
  if (found === null) return null
  const { end, turn }: { end: number; turn: string } = found
  const at = rollout.indexOf(10, end - 1)
  return { bytes: rollout.slice(0, at < 0 ? end : at + 1), lastUuid: turn }
}

/** The thread of the rollout; `null` = it does not say. */
export function threadIn(rollout: Uint8Array): string | null {
  const end = rollout.indexOf(10)
  try {
    const record: unknown = JSON.parse(new TextDecoder().decode(end < 0 ? rollout : rollout.subarray(0, end)))
    return (isRecord(record) ? uuidOf(recordOf(record.payload)?.id) : undefined) ?? null
  } catch {
    return null
  }
}
