import { cleanText, toParameter } from '../dialect/values'
import type { Value } from '../record/program'

/** A field's column, and how it is kept when it is not kept as it is: as JSON text, or as 0 and 1. */
type Column = string | readonly [column: string, kept: 'json' | 'flag']

/**
 * The one place that says which column holds which field of a row. Selects rename their columns to the fields, so that a row
 * comes from the driver as it is needed and only JSON and flags are turned.
 */
export class Columns<Row extends object> {
  private readonly fields: readonly Field<Row>[]
  private readonly turned: readonly Field<Row>[]
  private readonly places: ReadonlyMap<string, number>
  private readonly updates = new Map<string, string>()

  constructor(columns: { readonly [Name in keyof Row]-?: Column }) {
    this.fields = Object.entries(columns as Record<string, Column>).map(([name, column]) => ({
      name: name as keyof Row & string,
      column: typeof column === 'string' ? column : column[0],
      kept: typeof column === 'string' ? undefined : column[1],
    }))
    this.places = new Map(this.fields.map(({ name }, place) => [name, place]))
    this.turned = this.fields.filter(({ kept }) => kept !== undefined)
  }

  /** The list of columns of a select from a table called `alias`. @param without  fields that the select has in another form */
  select(alias: string, without: readonly (keyof Row)[] = []): string {
    return this.fields
      .filter(({ name }) => !without.includes(name))
      .map(({ name, column }) => `${alias}.${column} as "${name}"`)
      .join(', ')
  }

  /** A row of `select`, as what it stands for. Works in place. */
  read<Selected extends object>(selected: Selected): Row & Selected {
    const row = selected as Record<string, unknown>
    for (const { name, kept } of this.turned) {
      const value = row[name]
      if (kept === 'flag') row[name] = value !== 0
      else if (value !== null) row[name] = JSON.parse(value as string)
    }
    return selected as Row & Selected
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

  /** `insert into table (…) values (?, …)` of these fields, then of `more` columns. */
  insert(table: string, names: readonly (keyof Row)[], more: readonly string[] = []): string {
    const columns = [...names.map((name) => this.field(name).column), ...more]
    return `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`
  }

  /** Parameters for `insert`. @throws `invalid` for a number that can't be stored exactly */
  values<Name extends keyof Row>(row: Pick<Row, Name>, names: readonly Name[]): Value[] {
    return names.map((name) => toValue(row[name], this.field(name).kept))
  }

  /**
   * An update of the fields that `patch` has, then of `more` columns, in the row whose `key` is the last parameter; `undefined` when there is nothing to set. Fields come in
   * the order of the table, whatever the patch's, so that few different statements are compiled.
   */
  update(
    table: string,
    patch: Partial<Row>,
    more: Readonly<Record<string, Value>> = {},
    key = 'id',
  ): { sql: string; params: Value[] } | undefined {
    let shape = table
    const params: Value[] = []
    const columns: string[] = []
    for (const { name, column, kept } of this.fieldsOf(patch)) {
      shape += ` ${column}`
      columns.push(column)
      params.push(toValue(patch[name], kept))
    }
    for (const column in more) {
      shape += ` ${column}`
      columns.push(column)
      params.push(more[column] ?? null)
    }
    if (columns.length === 0) return undefined
    let sql = this.updates.get(shape)
    if (sql === undefined) {
      sql = `update ${table} set ${columns.map((column) => `${column} = ?`).join(', ')} where ${key} = ?`
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
    const field = this.fields.find((candidate) => candidate.name === name)
    if (field === undefined) throw new Error(`no column holds ${String(name)}`)
    return field
  }
}

interface Field<Row> {
  name: keyof Row & string
  column: string
  kept: 'json' | 'flag' | undefined
}

function toValue(value: unknown, kept: Field<object>['kept']): Value {
  if (value === undefined || value === null) return null
  if (kept === 'flag') return value === true ? 1 : 0
  if (kept === 'json') return toJson(value)
  if (typeof value === 'string') return value
  return toParameter(value) as Value
}

/** Texts inside JSON are cleaned before they are escaped: an escaped NUL or half character is refused where JSON is looked into. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? cleanText(part) : part))
