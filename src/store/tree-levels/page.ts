import { decodeCursor, encodeCursor } from '../sql/cursor'

/** A place in the order of a level: what was heard of last comes first. */
export interface Heard {
  at: number
  /** 0 = a task, 1 = a session, 2 = a project. */
  sort: number
  /** Sorts as a number, or as text. */
  key: number | string
}

export function compareHeard(a: Heard, b: Heard): number {
  if (a.at !== b.at) return b.at - a.at
  if (a.sort !== b.sort) return a.sort - b.sort
  return a.key === b.key ? 0 : a.key > b.key ? -1 : 1
}

/** What a cursor belongs to: the same list with the same filter. */
export type CursorScope = Readonly<Record<string, unknown>>

/** A page of rows that are all there, in their order. */
export function pageOfRows<Row, Key extends (number | string)[]>(
  rows: readonly Row[],
  paging: { limit: number; cursor: string | undefined; scope: CursorScope },
  keyOf: (row: Row) => Key,
  compare: (a: Key, b: Key) => number,
  shape: readonly ('number' | 'string')[],
): { rows: Row[]; nextCursor: string | null } {
  const { limit, cursor, scope } = paging
  const after = cursor === undefined ? undefined : (decodeCursor(cursor, scope, shape) as Key)
  const left = after === undefined ? rows : rows.filter((row) => compare(keyOf(row), after) > 0)
  const page = left.slice(0, limit)
  const last = left.length > limit ? page.at(-1) : undefined
  return { rows: page, nextCursor: last === undefined ? null : encodeCursor(scope, keyOf(last)) }
}
