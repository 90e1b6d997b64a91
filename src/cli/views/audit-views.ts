import { AUDIT_ACTS, type AuditLine } from '../../domain/audit'
import { localTime } from '../print/measures'
import { table } from '../print/table'
import { oneLine } from '../print/text'

export const auditTable = (lines: readonly AuditLine[], columns: number): string =>
  table(
    lines,
    [
      { title: 'LINE', cell: (line) => String(line.number), align: 'right', spare: 1 },
      { title: 'TIME', cell: (line) => localTime(line.at) },
      { title: 'WHO', cell: (line) => whoText(line), max: 40 },
      { title: 'DID', cell: (line) => AUDIT_ACTS[line.act] },
      { title: 'TO', cell: (line) => line.target, max: 40 },
      { title: 'DETAILS', cell: detailText, flexible: 20 },
    ],
    columns,
  )

/** One line of a log that goes on. */
export const auditText = (line: AuditLine): string =>
  `${oneLine(
    [line.number, localTime(line.at), whoText(line), AUDIT_ACTS[line.act], line.target, detailText(line)]
      .filter((part) => part !== null && part !== '')
      .join('  '),
  )}\n`

const whoText = ({ actor: { kind, name, peer } }: AuditLine): string =>
  [kind, name, peer === null ? null : `from ${peer}`].filter((part) => part !== null).join(' ')

const detailText = ({ detail }: AuditLine): string =>
  Object.entries(detail)
    .map(([key, value]) => `${key}=${value ?? 'none'}`)
    .join(' ')
