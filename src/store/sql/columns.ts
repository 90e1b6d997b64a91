import type { Sparse } from '../../domain/port'
import type { ColumnTypes } from './column-types'
import type { Value } from './program'
import type { Column } from './table'
import { TABLES } from './tables'
import { cleanText, toParameter } from './values'

type Tables = typeof TABLES
type ColumnName<Table extends keyof Tables> = keyof Tables[Table] & string

/** `task_type` → `taskType`. */
type FieldName<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<FieldName<Tail>>}`
  : Name

/** How a value is kept that no column holds as it is: as JSON text, or as 0 and 1. */
type Kept<Value> = [Value] extends [boolean]
  ? 'flag'
  : [Value] extends [string | number | Uint8Array | null]
    ? undefined
    : 'json'

/** The rows of a table as they are selected, before `read`. */
export type Selected<Row> = { [Field in keyof Row]: Plain<Row[Field]> }
type Plain<Value> = Value extends boolean ? number : Value extends string | number | Uint8Array | null ? Value : string

/** What a mapping says of a row. A field that no column has the name of can't be left out, nor how a field is kept. */
interface Mapping<Row, Table extends keyof Tables> {
  /** Columns of fields that have another name. */
  named: { readonly [Field in Exclude<keyof Row, FieldName<ColumnName<Table>>>]: ColumnName<Table> } & {
    readonly [Field in keyof Row]?: ColumnName<Table>
  }
  kept: { readonly [Field in keyof Row as Kept<Row[Field]> extends undefined ? never : Field]-?: Kept<Row[Field]> }
  /** Columns that the row does not hold. */
  without: readonly ColumnName<Table>[]
}

type HeldColumn<Row, Table extends keyof Tables, Of extends Mapping<Row, Table>> = Exclude<
  ColumnName<Table>,
  Of['named'][keyof Of['named']] | Of['without'][number]
>

/** Does not compile when a column is neither held by the row nor named in `without`. */
type Whole<Row, Table extends keyof Tables, Of extends Mapping<Row, Table>> =
  Exclude<FieldName<HeldColumn<Row, Table, Of>>, keyof Row> extends never
    ? unknown
    : { noFieldHolds: Exclude<FieldName<HeldColumn<Row, Table, Of>>, keyof Row> }

/** The mapping of rows of a table: a column's field has its name, in camel case, unless `named` says otherwise. */
export const columnsOf =
  <Row extends object>() =>
  <Table extends keyof Tables, const Of extends Mapping<Row, Table>>(
    table: Table,
    mapping: Of & Whole<Row, Table, Of>,
  ): Columns<Row, Table> => {
    const named = new Map(Object.entries(mapping.named).map(([name, column]) => [column as string, name]))
    const kept = mapping.kept as Record<string, 'flag' | 'json' | undefined>
    const without = new Set<string>(mapping.without)
    const fields = Object.entries<Column>(TABLES[table])
      .filter(([column]) => !without.has(column))
      .map(([column, { isNullable }]) => {
        const name = (named.get(column) ?? fieldName(column)) as keyof Row & string
        return { name, column, kept: kept[name], isNullable }
      })
    return new Columns<Row, Table>(table, fields)
  }

const fieldName = (column: string): string => column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The fields of a row that are `null` where nothing is said. */
type Unsaid<Row> = { [Field in keyof Row as null extends Row[Field] ? Field : never]: null }

/**
 * The one place that says which column holds which field of a row. Selects rename their columns to the fields, so that a row
 * comes from the driver as it is needed and only JSON and flags are turned.
 */
export class Columns<Row extends object, Table extends keyof Tables = keyof Tables> {
  /** What nobody said. */
  readonly unsaid: Readonly<Unsaid<Row>>
  readonly table: Table
  private readonly fields: readonly Field<Row>[]
  private readonly turned: readonly Field<Row>[]
  private readonly places: ReadonlyMap<string, number>
  private readonly updates = new Map<string, string>()

  constructor(table: Table, fields: readonly Field<Row>[]) {
    this.table = table
    this.fields = fields
    this.places = new Map(this.fields.map(({ name }, place) => [name, place]))
    this.turned = this.fields.filter(({ kept }) => kept !== undefined)
    const open = this.fields.filter(({ isNullable }) => isNullable)
    this.unsaid = Object.fromEntries(open.map(({ name }) => [name, null])) as Unsaid<Row>
  }

  /** All fields but these, in the order of the table. */
  names<Without extends keyof Row = never>(...without: readonly Without[]): Exclude<keyof Row, Without>[] {
    return this.fields
      .map(({ name }) => name)
      .filter((name): name is Exclude<typeof name, Without> => !without.includes(name as unknown as Without))
  }

  /** The columns of these fields. */
  columns(names: readonly (keyof Row)[]): ColumnName<Table>[] {
    return names.map((name) => this.field(name).column as ColumnName<Table>)
  }

  /** The list of columns of a select from a table called `alias`. @param without  fields that the select has in another form */
  select(alias: string, without: readonly (keyof Row)[] = []): string {
    return this.fields
      .filter(({ name }) => !without.includes(name))
      .map(({ name, column }) => `${alias}.${column} as "${name}"`)
      .join(', ')
  }

  /** A row of `select`, as what it stands for. Works in place. */
  read<Selected extends object>(selected: Selected): Row & Omit<Selected, keyof Row> {
    const row = selected as Record<string, unknown>
    for (const { name, kept } of this.turned) {
      const value = row[name]
      if (kept === 'flag') row[name] = value !== 0
      else if (value !== null) row[name] = JSON.parse(value as string)
    }
    return selected as unknown as Row & Omit<Selected, keyof Row>
  }

  /** A row that the database gave by the names of its columns, as what it stands for. */
  ofColumns(record: Readonly<Record<string, unknown>>): Row {
    return this.read(Object.fromEntries(this.fields.map(({ name, column }) => [name, record[column]]))) as Row
  }

  /** The fields that `row` has, by their columns, as they are written. @throws `invalid` for a number that can't be stored exactly */
  record(row: Partial<Row>): Record<string, Value> {
    return Object.fromEntries(this.fieldsOf(row).map(({ name, column, kept }) => [column, toValue(row[name], kept)]))
  }

  /** The fields that `row` has as they are read once they were written: text is cleaned on its way. */
  stored(row: Partial<Row>): Partial<Row> {
    const stored: Partial<Row> = {}
    for (const field in row) {
      const value: unknown = row[field]
      if (value === undefined) continue
      if (typeof value === 'string') stored[field] = cleanText(value) as Row[typeof field]
      else if (typeof value === 'object' && value !== null)
        stored[field] = JSON.parse(toJson(value)) as Row[typeof field]
      else stored[field] = value as Row[typeof field]
    }
    return stored
  }

  /** `insert into … (…) values (?, …)` of these fields, then of `more` columns. */
  insert(names: readonly (keyof Row)[], more: readonly string[] = []): string {
    const columns: string[] = [...this.columns(names), ...more]
    return `insert into ${this.table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`
  }

  /** Parameters for `insert`; what may be `null` may be left out. @throws `invalid` for a number that can't be stored exactly */
  values<Name extends keyof Row>(row: Sparse<Pick<Row, Name>> & Partial<Row>, names: readonly Name[]): Value[] {
    return names.map((name) => toValue(row[name], this.field(name).kept))
  }

  /**
   * An update of the fields that `patch` has, then of `more` columns, in the row whose `key` is the last parameter; `undefined` when
   * there is nothing to set. Fields come in the order of the table, whatever the patch's, so that few different statements are compiled.
   */
  update(
    patch: Partial<Row>,
    more: { readonly [Column in ColumnName<Table>]?: Value } = {},
    key = 'id',
  ): { sql: string; params: Value[] } | undefined {
    let shape = key
    const params: Value[] = []
    const columns: string[] = []
    for (const { name, column, kept } of this.fieldsOf(patch)) {
      shape += ` ${column}`
      columns.push(column)
      params.push(toValue(patch[name], kept))
    }
    for (const [column, value] of Object.entries<Value | undefined>(more)) {
      shape += ` ${column}`
      columns.push(column)
      params.push(value ?? null)
    }
    if (columns.length === 0) return undefined
    let sql = this.updates.get(shape)
    if (sql === undefined) {
      sql = `update ${this.table} set ${columns.map((column) => `${column} = ?`).join(', ')} where ${key} = ?`
      this.updates.set(shape, sql)
    }
    return { sql, params }
  }

  /** Those that `patch` has, in the order of the table. */
  private fieldsOf(patch: Partial<Row>): Field<Row>[] {
    const places: number[] = []
    for (const name in patch) {
      const place = patch[name] === undefined ? undefined : this.places.get(name)
      if (place !== undefined) places.push(place)
    }
    return places.sort((a, b) => a - b).map((place) => this.fields[place] as Field<Row>)
  }

  private field(name: keyof Row): Field<Row> {
    const field = this.fields[this.places.get(name as string) ?? -1]
    if (field === undefined) throw new Error(`no column holds ${String(name)}`)
    return field
  }
}

/** These fields of a row. */
export function pick<Row, Name extends keyof Row>(row: Row, names: readonly Name[]): Pick<Row, Name> {
  const picked: Partial<Pick<Row, Name>> = {}
  for (const name of names) picked[name] = row[name]
  return picked as Pick<Row, Name>
}

interface Field<Row> {
  name: keyof Row & string
  column: string
  kept: 'json' | 'flag' | undefined
  isNullable: boolean
}

function toValue(value: unknown, kept: Field<object>['kept']): Value {
  if (value === undefined || value === null) return null
  if (kept === 'flag') return value === true ? 1 : 0
  if (kept === 'json') return toJson(value)
  if (typeof value === 'string') return value
  return toParameter(value) as Value
}

/** Texts inside JSON are cleaned before they are escaped: an escaped NUL or half character is refused where JSON is looked into. */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value)
  // A look at each part takes ten times as long as the rest, and hardly any text has such a character.
  if (!MAYBE_UNCLEAN.test(text)) return text
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? cleanText(part) : part))
}

const MAYBE_UNCLEAN = /\\u(?:0000|d[89a-f])/

type ColumnPath = { [Table in keyof Tables]: `${Table}.${ColumnName<Table>}` }[keyof Tables]

/** Does not compile when `ColumnTypes` has a column that no table has. */
true satisfies Exclude<keyof ColumnTypes, ColumnPath> extends never ? true : never
