import { defineCommand } from '../../kit/command'
import { age, bytes, count } from '../../print/measures'
import { fields, table } from '../../print/table'
import { openAdmin } from '../../server/open-admin'

/** Tables that a person is shown. */
const MOST_TABLES = 12
const MOST_INDEXES = 8

export const command = defineCommand({
  summary: 'Show what fills the database, and its slow statements',
  details: [
    'Shows the size of each table with its indexes, unused space, and the age of the oldest row, and the largest indexes. On SQLite it',
    'reads every page. On PostgreSQL rows and free space are estimates, indexes tell how often they were read, and slow statements need',
    'the extension pg_stat_statements.',
  ].join('\n'),
  examples: [
    { line: 'lode db report', does: 'show the largest tables' },
    { line: 'lode db report --json', does: 'print JSON: {location, kind, bytes, freeBytes, tables, indexes, slow}' },
  ],
  async run(context) {
    await using admin = await openAdmin(context)
    const report = await admin.report()
    context.answer({ location: admin.location, ...report }, () => {
      const { columns, now } = context.io
      const shown = report.tables.slice(0, MOST_TABLES)
      const size = (value: number | null) => (value === null ? null : bytes(value))
      const lines = [
        fields([
          ['database', admin.location],
          ['size', bytes(report.bytes)],
          ['free', bytes(report.freeBytes)],
          ['tables', String(report.tables.length)],
        ]),
        table(
          shown,
          [
            { title: 'TABLE', flexible: 16, cell: (row) => row.name },
            { title: 'ROWS', align: 'right', cell: (row) => (row.rows === null ? null : count(row.rows)) },
            { title: 'SIZE', align: 'right', cell: (row) => size(row.bytes) },
            { title: 'INDEXES', align: 'right', cell: (row) => size(row.indexBytes), spare: 2 },
            { title: 'FREE', align: 'right', cell: (row) => size(row.freeBytes), spare: 3 },
            {
              title: 'OLDEST',
              align: 'right',
              cell: (row) => (row.oldest === null ? null : age(row.oldest, now())),
              spare: 1,
            },
          ],
          columns,
        ),
      ]
      lines.push(
        table(
          report.indexes.slice(0, MOST_INDEXES),
          [
            { title: 'INDEX', flexible: 16, cell: (row) => row.name },
            { title: 'TABLE', flexible: 12, cell: (row) => row.table },
            { title: 'SIZE', align: 'right', cell: (row) => size(row.bytes) },
            { title: 'READ', align: 'right', cell: (row) => (row.scans === null ? null : count(row.scans)), spare: 1 },
          ],
          columns,
        ),
      )
      if (report.slow !== null)
        lines.push(
          table(
            report.slow,
            [
              { title: 'CALLS', align: 'right', cell: (row) => count(row.calls) },
              { title: 'MEAN', align: 'right', cell: (row) => `${row.meanMs.toFixed(1)} ms` },
              { title: 'TOTAL', align: 'right', cell: (row) => `${(row.totalMs / 1_000).toFixed(1)} s` },
              { title: 'STATEMENT', flexible: 20, cell: (row) => row.statement },
            ],
            columns,
          ),
        )
      return lines.filter((text) => text !== '').join('\n')
    })
  },
})
