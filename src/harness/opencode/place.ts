import { sha256 } from '../../util/crypto'
import { uuidText } from '../../util/uuid'
import type { JsonRecord } from '../json-lines/json-value'
import { idOf, recordOf, textOf, timeOf } from '../json-lines/json-value'
import type { Carry } from './carry'

/** A line of a journal: a version of a row, with what is known of its file. */
export interface Place {
  table: string
  /** The id of the row. */
  id: string
  /** The row is no longer there. */
  isGone: boolean
  row: JsonRecord
  /** What the CLI wrote into the row, or the row itself where it has columns for all. */
  data: JsonRecord
  /** The message: for a part, the one that it belongs to. */
  role: string
  model: string | null
  isSummary: boolean
  /** Messages only: no part of one has its tokens. */
  hasOwnUsage: boolean
  at: number | null
  uuid: string
  offset: number
  length: number
  /** The session whose rows these are, and where another one launched it the one at the top. */
  session: string
  subagentId: string | null
  /** A fork copies its origin's messages under new ids, with their old time. */
  isCopied: boolean
  carry: Carry
}

export function placeOf(
  record: JsonRecord,
  file: Pick<Place, 'session' | 'subagentId' | 'carry' | 'offset' | 'length'>,
): Place | null {
  const table = textOf(record.table)
  const id = idOf(record.id)
  if (table === undefined || id === undefined) return null
  const row = recordOf(record.row) ?? {}
  const data = dataIn(row)
  const of = recordOf(record.of)
  const born = timeOf(record.born)
  const created = timeOf(of?.created ?? row.time_created)
  return {
    ...file,
    table,
    id,
    isGone: record.version === 'gone',
    row,
    data,
    role: textOf(of?.role ?? data.role) ?? '',
    model: idOf(of?.model) ?? null,
    isSummary: (of?.isSummary ?? data.summary) === true,
    hasOwnUsage: of?.hasOwnUsage === true,
    at: timesOf(data).start ?? timeOf(row.time_created),
    uuid: uuidOfRow(table, id),
    isCopied: table !== 'session' && born !== null && created !== null && created < born,
  }
}

/** The words of a part. A subtask is a command that a person gave, which another agent carries out. */
export const wordsOf = ({ type, text, prompt, description }: JsonRecord): string | undefined =>
  type === 'subtask' ? (textOf(prompt) ?? textOf(description)) : textOf(text)

/** An event of a row: all of its versions are one. A row that says two things has two. */
export const uuidOfRow = (table: string, id: string, what = ''): string =>
  uuidText(sha256(table, id, what).subarray(0, 16))

/** Milliseconds at which a part or message began and ended. */
export function timesOf(data: JsonRecord): { start: number | null; end: number | null } {
  const time = recordOf(data.time) ?? recordOf(recordOf(data.state)?.time)
  return { start: timeOf(time?.start ?? time?.created), end: timeOf(time?.end ?? time?.completed) }
}

/** Text stands there where it was no JSON, or where it came from a document. */
function dataIn(row: JsonRecord): JsonRecord {
  if (typeof row.data !== 'string') return recordOf(row.data) ?? row
  try {
    return recordOf(JSON.parse(row.data)) ?? row
  } catch {
    return row
  }
}

/** The node and time of a line, for facts beside its event. */
export const sourceOf = ({ uuid, at, subagentId }: Place) => ({ uuid, at, subagentId })
