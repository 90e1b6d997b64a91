import type { Answers } from '#api/contract/operations/index'
import { AUDIT_ACTS } from '#domain/audit'

export type AuditLine = Answers['audit']['list']['lines'][number]

/** The author of an act, e.g. `worker a-12345678 from 192.0.2.7`. */
export const whoInWords = ({ actor: { kind, name, peer } }: AuditLine): string =>
  [kind, name, peer === null ? null : `from ${peer}`].filter((part) => part !== null).join(' ')

/** What was done, as a sentence goes on behind who did it. */
export const actInWords = ({ act }: AuditLine): string => AUDIT_ACTS[act]

export const detailInWords = ({ detail }: AuditLine): string =>
  Object.entries(detail)
    .map(([key, value]) => `${key}=${value ?? 'none'}`)
    .join(' ')

const COLUMNS = ['number', 'at', 'act', 'actorKind', 'actorName', 'peer', 'target', 'detail', 'before', 'hash'] as const

/** A line in the order of the columns. */
const cellsOf = ({ actor, detail, ...line }: AuditLine): readonly (string | number | null)[] => {
  const row = {
    ...line,
    actorKind: actor.kind,
    actorName: actor.name,
    peer: actor.peer,
    detail: JSON.stringify(detail),
  }
  return COLUMNS.map((name) => row[name])
}

/** The first line of a table of comma-separated values. */
export const CSV_HEAD = `${COLUMNS.join(',')}\r\n`

/** A line of such a table. A spreadsheet takes no cell for a formula. */
export const csvLine = (line: AuditLine): string => `${cellsOf(line).map(csvCell).join(',')}\r\n`

/** One document of JSON on a line. */
export const jsonLine = (line: AuditLine): string => `${JSON.stringify(line)}\n`

function csvCell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
