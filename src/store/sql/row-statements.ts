/** Typed statements over whole rows, whose fields `Columns` has. */
import {
  type InsertQueryBuilder,
  type InsertResult,
  type Kysely,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
} from 'kysely'
import type { Sparse } from '../../domain/port'
import type { Columns, Selected } from './columns'
import type { Program, Value } from './program'
import { compiledOf } from './statement'
import type { Schema, TABLES } from './tables'

type Table = keyof typeof TABLES

/** A select of all fields from a table called `alias`; `columns.read` makes a row of what it gives. */
export function selectRows<Row extends object, Of extends Table, Alias extends string = 't'>(
  db: Kysely<Schema>,
  columns: Columns<Row, Of>,
  alias: Alias = 't' as Alias,
) {
  const fields = columns.names()
  const selected = columns.columns(fields).map((column, at) => sql.ref(`${alias}.${column}`).as(String(fields[at])))
  // Kysely names no types for a table that is a type parameter.
  return db.selectFrom(sql.table(columns.table).as(alias)).select(selected) as unknown as SelectQueryBuilder<
    Schema & Record<Alias, Schema[Of]>,
    Alias,
    Selected<Row>
  >
}

/** Columns that are given beside a row's fields. */
type More<Of extends Table> = { [Column in keyof (typeof TABLES)[Of]]?: Value }

/**
 * An insert of these fields of a row, then of `more` columns.
 *
 * @param end  what follows the values: `on conflict …`
 */
export function insertRow<
  Row extends object,
  Of extends Table,
  Name extends keyof Row,
  const Column extends keyof More<Of> = never,
>(
  columns: Columns<Row, Of>,
  names: readonly Name[],
  more: readonly Column[] = [],
  end: (insert: InsertQueryBuilder<Schema, Of, InsertResult>) => InsertQueryBuilder<Schema, Of, InsertResult> = (
    insert,
  ) => insert,
) {
  type Given = [
    row: Sparse<Pick<Row, Name>> & Partial<Row>,
    ...([Column] extends [never] ? [] : [more: { [One in Column]: Value }]),
  ]
  const compiled = compiledOf((db, param) => {
    const values = Object.fromEntries(
      [...columns.columns(names), ...(more as readonly string[])].map((one) => [one, param(one)]),
    )
    // The names are the mapping's, which the compiler has checked.
    return end(
      db.insertInto(columns.table).values(values as never) as unknown as InsertQueryBuilder<Schema, Of, InsertResult>,
    )
  })
  const step = ([row, rest]: Given): { sql: string; params: Value[] } => ({
    sql: compiled().sql,
    params: [...columns.values(row, names), ...more.map((column) => (rest as Record<Column, Value>)[column])],
  })
  return {
    *run(...given: Given): Program<void> {
      yield { ...step(given), want: 'run' }
    },
    /** @returns how many rows changed */
    *changed(...given: Given): Program<number> {
      return (yield { ...step(given), want: 'changed' }) as number
    },
    /** @returns the row as it is then, for `columns.read`; none when `on conflict do nothing` kept it out */
    *returned(...given: Given): Program<Selected<Row> | undefined> {
      const { sql: text, params } = step(given)
      const query = { sql: `${text} returning ${columns.select(columns.table)}`, params, want: 'rows' } as const
      return ((yield query) as Selected<Row>[])[0]
    },
    /** @returns the id of the row, or `null` when `on conflict do nothing` kept it out */
    *insert(...given: Given): Program<number | null> {
      return (yield { ...step(given), want: 'insert' }) as number | null
    },
  }
}

/** For `do update set`: these columns as the insert would have them. */
export const asInserted = <Of extends Table, Column extends keyof Schema[Of] & string>(
  _table: Of,
  columns: readonly Column[],
): { [One in Column]: RawBuilder<never> } =>
  Object.fromEntries(columns.map((one) => [one, sql.ref<never>(`excluded.${one}`)])) as {
    [One in Column]: RawBuilder<never>
  }

/** Updates the fields that `patch` has, then `more` columns, in the row with this key; nothing where there is nothing to set. */
export function* updateRow<Row extends object, Of extends Table>(
  columns: Columns<Row, Of>,
  patch: Partial<NoInfer<Row>>,
  key: string | number,
  { more, by }: { more?: More<Of>; by?: keyof (typeof TABLES)[Of] & string } = {},
): Program<void> {
  const update = columns.update(patch, more, by)
  if (update !== undefined) yield { sql: update.sql, params: [...update.params, key], want: 'run' }
}
