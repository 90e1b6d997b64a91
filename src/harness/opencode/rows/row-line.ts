import type { JsonRecord } from '../../json-lines/json-value'
import { isRecord } from '../../json-lines/json-value'

/** Tables whose rows are recorded. `part` is a piece of a message: a text, a tool call with its answer, a step. */
export const TABLES = ['session', 'message', 'part', 'todo'] as const
export type TableName = (typeof TABLES)[number]

/** A version of a row. */
export interface Row {
  table: TableName
  id: string
  /** Differs from that of every other version of the row. */
  version: string
  /** As the database has them; `data` is JSON text. */
  columns: JsonRecord
  /** For a part, what its message says; for a message, what its parts say: each line is understood alone. */
  of?: MessageFacts | PartFacts
}

export interface MessageFacts {
  role: string
  model: string | null
  /** Milliseconds: when the message was made. */
  created: number | null
  /** It is the summary that a compaction made. */
  isSummary: boolean
}

export interface PartFacts {
  /** The tokens of the message stand in none of its parts: releases of June and July 2025 wrote no such part. */
  hasOwnUsage: true
}

/** What a line says of a row that is no longer there. */
export interface GoneRow {
  table: TableName
  id: string
}

export const keyOf = ({ table, id }: GoneRow): string => `${table}:${id}`

/**
 * The line of a row, with its newline. Its key and version come first, by fixed words, so that a journal is read back without parsing it.
 * `data` stands there as the CLI wrote it, byte for byte.
 *
 *     {"table":"part","id":"prt_…","version":"…","born":1795464628368,"of":{"role":"assistant",…},"row":{"id":"prt_…",…,"data":{…}}}
 *
 * @param born  milliseconds at which the session began
 */
export function lineOfRow({ table, id, version, columns, of }: Row, born: number | null): string {
  const head = `{"table":"${table}","id":${JSON.stringify(id)},"version":${JSON.stringify(version)}`
  return `${head},"born":${born}${of === undefined ? '' : `,"of":${JSON.stringify(of)}`},"row":${rowText(columns)}}\n`
}

export const lineOfGone = ({ table, id }: GoneRow): string =>
  `{"table":"${table}","id":${JSON.stringify(id)},"version":"gone"}\n`

/** The version that a row has once it is gone. */
export const GONE = 'gone'

function rowText(columns: JsonRecord): string {
  const fields = Object.entries(columns).map(([name, value]) => {
    const isRaw = name === 'data' && typeof value === 'string' && isPlainObject(value)
    return `${JSON.stringify(name)}:${isRaw ? value : (JSON.stringify(value) ?? 'null')}`
  })
  return `{${fields.join(',')}}`
}

/** Whether a text can stand in a line as it is. */
function isPlainObject(text: string): boolean {
  if (/[\n\r]/.test(text)) return false
  try {
    return isRecord(JSON.parse(text))
  } catch {
    return false
  }
}

const HEAD = /^\{"table":"(session|message|part|todo)","id":("(?:[^"\\]|\\.){0,400}"),"version":"([^"\\]{0,200})"/

/** Key and version of a line of ours; `null` = it is none. */
export function headOfLine(line: string): { key: string; version: string } | null {
  const [, table, id, version] = HEAD.exec(line) ?? []
  if (table === undefined || id === undefined || version === undefined) return null
  return { key: `${table}:${JSON.parse(id)}`, version }
}
