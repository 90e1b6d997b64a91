import type { ColumnType, Generated } from 'kysely'
import type { ColumnTypes } from './column-types'

/**
 * A column as the generated `tables.ts` names it. Both databases give the same JavaScript values: integers as `number`, bytes as
 * `Uint8Array`, times as milliseconds, JSON as text, booleans as 0 and 1.
 */
export interface Column<Plain = unknown, Writer extends 'us' | 'either' | 'database' = 'us' | 'either' | 'database'> {
  readonly isNullable: boolean
  /** For the compiler alone. */
  readonly plain?: Plain
  readonly writer?: Writer
}

const always: Column<never> = Object.freeze({ isNullable: false })
const maybe: Column<never> = Object.freeze({ isNullable: true })

export const integer = always as Column<number, 'us'>
export const real = always as Column<number, 'us'>
export const text = always as Column<string, 'us'>
export const bytes = always as Column<Uint8Array, 'us'>
export const integerOrNull = maybe as Column<number | null, 'us'>
export const realOrNull = maybe as Column<number | null, 'us'>
export const textOrNull = maybe as Column<string | null, 'us'>
export const bytesOrNull = maybe as Column<Uint8Array | null, 'us'>

/** The database fills it where we say nothing: a key, or a default. */
export const filled = <Plain>({ isNullable }: Column<Plain, 'us'>): Column<Plain, 'either'> => ({ isNullable })
/** The database alone fills it. */
export const derived = <Plain>({ isNullable }: Column<Plain, 'us'>): Column<Plain, 'database'> => ({ isNullable })

/** What Kysely knows of tables. */
export type SchemaOf<Tables extends Record<string, Record<string, Column>>> = {
  [Table in keyof Tables & string]: {
    [Name in keyof Tables[Table] & string]: SeenColumn<`${Table}.${Name}`, Tables[Table][Name]>
  }
}

type SeenColumn<Name extends string, Of extends Column> =
  Of extends Column<infer Plain, infer Writer>
    ? 'us' extends Writer
      ? Typed<Name, Plain>
      : 'either' extends Writer
        ? Generated<Typed<Name, Plain>>
        : ColumnType<Typed<Name, Plain>, never, never>
    : never

/** The domain's type where it says more than the database's. */
type Typed<Name extends string, Plain> = Name extends keyof ColumnTypes
  ? ColumnTypes[Name] | Extract<Plain, null>
  : Plain
