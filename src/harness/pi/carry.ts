import { CARRY_LIMIT } from '../../domain/record/observation'
import { idOf, isRecord, textOf, timeOf, uuidOf } from '../json-lines/json-value'
import { clip } from '../json-lines/text'

/** What earlier lines of a session say about later ones. */
export interface Carry {
  /** The model that answers now: summaries and tools that ask a model do not name it. */
  model: string | null
  /** Lines with an older time were copied from the session that this one was forked from. Milliseconds; `null` = none are. */
  copyUntil: number | null
  /** The entry before, and its event: of files that an older release began, the id alone does not give the event. */
  last: { id: string; uuid: string } | null
  /** The facts of the entry before, where it had no id of its own, and how often they came in a row. */
  repeated: { key: string; count: number } | null
}

export function readCarry(text: string | null | undefined): Carry {
  const nothing: Carry = { model: null, copyUntil: null, last: null, repeated: null }
  if (text === null || text === undefined) return nothing
  try {
    const read: unknown = JSON.parse(text)
    if (!isRecord(read)) return nothing
    const [id, uuid] = [textOf(read.lastId), uuidOf(read.lastUuid)]
    const [key, count] = [idOf(read.key), read.count]
    return {
      model: textOf(read.model) ?? null,
      copyUntil: timeOf(read.copyUntil),
      last: id === undefined || uuid === undefined ? null : { id, uuid },
      repeated: key === undefined || !Number.isSafeInteger(count) ? null : { key, count: Number(count) },
    }
  } catch {
    return nothing
  }
}

export function writeCarry({ model, copyUntil, last, repeated }: Carry): string | null {
  const text = JSON.stringify({
    ...(model !== null && { model: clip(model, 100) }),
    ...(copyUntil !== null && { copyUntil }),
    ...(last !== null && { lastId: last.id, lastUuid: last.uuid }),
    ...(repeated !== null && { key: repeated.key, count: repeated.count }),
  })
  return text === '{}' || text.length > CARRY_LIMIT ? null : text
}
