import type { FoundSecret } from '../../domain/secrets/secret-store'
import { table } from '../print/table'

/** Columns of an ID's first part. */
const SHORT = 8

export const secretTable = (secrets: readonly FoundSecret[], columns: number): string =>
  table(
    secrets,
    [
      { title: 'SECRET', cell: (one) => one.id },
      { title: 'RULE', cell: (one) => one.rule, max: 20 },
      { title: 'STARTS', cell: (one) => (one.preview === '' ? '-' : `${one.preview}…`), spare: 1 },
      { title: 'SESSION', cell: (one) => one.sessionId?.slice(0, SHORT) ?? 'hooks' },
      { title: 'EVENT', cell: (one) => one.eventId?.slice(0, SHORT) ?? '-', spare: 2 },
      { title: 'TIMES', cell: (one) => String(one.count), align: 'right' },
      { title: 'STATE', cell: (one) => (one.erasedAt === null ? 'found' : 'erased') },
    ],
    columns,
  )
