import type { AuditHead, AuditRow } from '../../domain/audit'
import { sha256Hex } from '../../util/crypto'

/** A line's hash: over every other column, the hash of the line before included. */
export const hashOfLine = (row: Omit<AuditRow, 'hash'>): string =>
  sha256Hex(
    JSON.stringify([
      row.number,
      row.at,
      row.act,
      row.actorKind,
      row.actorName,
      row.peer,
      row.target,
      row.detail,
      row.before,
    ]),
  )

/** What is wrong with a line. One that was changed does not make the next one wrong: that one holds the hash which it had. */
export function* problemsOf(row: AuditRow, last: AuditHead): Generator<string> {
  const isNext = row.number === last.number + 1
  if (!isNext) yield missing(last.number + 1, row.number - 1)
  if (hashOfLine(row) !== row.hash) yield `Line ${row.number} was changed.`
  else if (isNext && row.before !== last.hash) yield `Line ${row.number} does not follow line ${last.number}.`
}

/** @param last  the last line that is there · @param head  what the last line should be */
export function* problemsAtEnd(last: AuditHead, head: AuditHead): Generator<string> {
  if (last.number < head.number) yield missing(last.number + 1, head.number)
  else if (last.number > head.number) yield `The log ends at line ${head.number}, but line ${last.number} is there.`
  else if (last.hash !== head.hash) yield `Line ${last.number} is not the line that was written last.`
}

const missing = (from: number, to: number): string =>
  from === to ? `Line ${from} is missing.` : `Lines ${from} to ${to} are missing.`
