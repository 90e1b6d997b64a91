import type { Answers } from '#api/contract/operations/index'

export type RowPage = Answers['sessions']['rows']
export type Row = RowPage['rows'][number]
export type Mark = RowPage['marks'][number]

/** Kinds of rows that the CLI adds. Several in a row are folded. */
const QUIET_KINDS: ReadonlySet<Row['kind']> = new Set(['attachment', 'system'])
/** Whether the CLI added the row. */
export const isQuiet = (row: Row): boolean => QUIET_KINDS.has(row.kind)
