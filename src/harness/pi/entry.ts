import { sha256 } from '../../util/crypto'
import { uuidText } from '../../util/uuid'
import type { JsonRecord } from '../json-lines/json-value'
import { idOf, isRecord, listOf, recordOf, timeOf } from '../json-lines/json-value'
import type { Carry } from './carry'

/** A line of a session's file with its place. */
export interface Entry {
  record: JsonRecord
  /** `session` is the header. */
  type: string
  /** A `message`'s; `{}` for all others. */
  message: JsonRecord
  /** The message's. A role of 2025 has its later name. */
  role: string | undefined
  at: number | null
  uuid: string
  parentUuid: string | null
  /** The line was copied from the session that this one was forked from. */
  isCopied: boolean
  carry: Carry
  offset: number
  length: number
}

/** Reads a line's frame, and keeps in `carry` what the next one needs of it. */
export function entryOf(record: JsonRecord, carry: Carry, place: { offset: number; length: number }): Entry {
  const type = idOf(record.type) ?? ''
  const message = (type === 'message' && recordOf(record.message)) || {}
  const role = message.role === 'hookMessage' ? 'custom' : idOf(message.role)
  const at = timeOf(record.timestamp)
  const frame = { record, type, message, role, at, carry, ...place }
  if (type === 'session') return { ...frame, uuid: uuidOf('header', ''), parentUuid: null, isCopied: false }
  if (at !== null && carry.copyUntil !== null && at >= carry.copyUntil) carry.copyUntil = null
  const id = idOf(record.id)
  const isOld = id === undefined || isMigrated(record)
  const uuid = isOld ? uuidOfFacts(frame) : uuidOf('entry', id)
  if (!isOld) carry.repeated = null
  const parentUuid = parentOf(record, isOld, frame)
  carry.last = { id: id ?? '', uuid }
  return { ...frame, uuid, parentUuid, isCopied: carry.copyUntil !== null }
}

/** An entry's id is 8 digits of chance: within its session it means one entry, and in a fork the entry that was copied. */
const uuidOf = (kind: string, id: string): string => uuidText(sha256('pi', '\0', kind, '\0', id).subarray(0, 16))

/**
 * The first releases wrote entries without an id. A later one gives them ids of chance when it opens the file, and writes all of it anew;
 * it puts these ids behind what was there.
 */
function isMigrated(record: JsonRecord): boolean {
  for (const name in record) {
    if (name === 'id') return false
    if (name === 'timestamp') return true
  }
  return false
}

/**
 * The id of an entry's event where the CLI gave the entry none: of facts that stay when the file is written anew, and when a secret in it
 * is masked.
 */
function uuidOfFacts({
  record,
  type,
  message,
  role,
  carry,
}: Pick<Entry, 'record' | 'type' | 'message' | 'role' | 'carry'>): string {
  const calls = listOf(message.content).flatMap((part) => (isRecord(part) ? (idOf(part.id) ?? []) : []))
  const facts = [type, role, record.timestamp, message.timestamp, message.toolCallId, ...calls.slice(0, 100)]
  const key = sha256(
    facts.map((fact) => `${typeof fact === 'string' || typeof fact === 'number' ? fact : ''}\0`).join(''),
  )
    .subarray(0, 16)
    .toString('hex')
  const count = carry.repeated?.key === key ? carry.repeated.count + 1 : 1
  carry.repeated = { key, count }
  return uuidOf('facts', `${key}:${count}`)
}

/** Entries of the first releases are a chain; all others name the one before them. */
function parentOf(record: JsonRecord, isOld: boolean, { carry }: Pick<Entry, 'carry'>): string | null {
  const id = idOf(record.parentId)
  if (isOld || (id !== undefined && id === carry.last?.id)) return carry.last?.uuid ?? null
  return id === undefined ? null : uuidOf('entry', id)
}
