import {
  type Compilable,
  type DeleteResult,
  DummyDriver,
  type InsertQueryBuilder,
  type InsertResult,
  Kysely,
  type PrimitiveValueListNode,
  type RawBuilder,
  type Simplify,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
  type UpdateResult,
  type ValueNode,
} from 'kysely'
import type { Program, Query, Value } from './program'
import type { Schema } from './tables'

/** Values by the names that a statement calls them. */
type Values<Params> = { readonly [Name in keyof Params]: Value }
/** A statement without parameters is given nothing. */
type Given<Params> = [keyof Params] extends [never] ? [] : [given: Readonly<Params>]

/** Stands where the parameter of this name is bound; the same one may stand in several places. */
export type Param<Params> = <Name extends keyof Params & string>(name: Name) => RawBuilder<Params[Name]>

interface Runs<Params> {
  /** Runs it for what it does (a change, a lock); nobody waits for it on PostgreSQL. */
  run(...given: Given<Params>): Program<void>
}

interface Selects<Params, Row> extends Runs<Params> {
  rows(...given: Given<Params>): Program<Row[]>
  first(...given: Given<Params>): Program<Row | undefined>
}

interface Changes<Params> extends Runs<Params> {
  /** @returns how many rows changed */
  changed(...given: Given<Params>): Program<number>
}

interface Inserts<Params> extends Changes<Params> {
  /** @returns the id of the row inserted, or `null` when `on conflict do nothing` kept it out */
  insert(...given: Given<Params>): Program<number | null>
}

/** What is asked of a statement in a program; for tables without a key `id` there is no `insert`. */
export type Statement<Params, Built> =
  Built extends InsertQueryBuilder<Schema, infer Table, InsertResult>
    ? Schema[Table] extends { id: { readonly __select__: number } }
      ? Inserts<Params>
      : Changes<Params>
    : [Answer<Built>] extends [UpdateResult | DeleteResult]
      ? Changes<Params>
      : Selects<Params, Answer<Built>>

/** A builder of Kysely, or its `sql` with the type of a row. */
type Buildable = Compilable | RawBuilder<unknown>
type Answer<Built> =
  Built extends RawBuilder<infer Row> ? Row : Built extends Compilable<infer Row> ? Simplify<Row> : never

/**
 * A statement whose columns, parameters and answer the compiler checks against the schema. It is written down once with its parameters'
 * names, compiled at its first use, and then costs what its text would cost:
 *
 *     const ANSWER = statement<{ key: string }>()((db, param) =>
 *       db.selectFrom('idempotency_keys').select(['request_hash as requestHash', 'answer']).where('key', '=', param('key')))
 *     const found = yield* ANSWER.first({ key })
 *
 * Constants become part of the text: partial indexes are found by them, and a limit in a parameter's place costs SQLite its plan. What the
 * two databases say differently is in `TaskDialect`: `perDialect(({ lock }) => statement…)`.
 */
export const statement =
  <Params extends Values<Params> = Record<never, never>>() =>
  <Built extends Buildable>(build: (db: Kysely<Schema>, param: Param<Params>) => Built): Statement<Params, Built> =>
    // The one place that takes the builder's word for what the database answers.
    new Steps(compiledOf((db, param) => build(db, param))) as unknown as Statement<Params, Built>

class Steps {
  private readonly compiled: () => Compiled

  constructor(compiled: () => Compiled) {
    this.compiled = compiled
  }

  *rows(given?: Named): Program<unknown[]> {
    return (yield this.step(given, 'rows')) as unknown[]
  }

  *first(given?: Named): Program<unknown> {
    return ((yield this.step(given, 'rows')) as unknown[])[0]
  }

  *run(given?: Named): Program<void> {
    yield this.step(given, 'run')
  }

  *changed(given?: Named): Program<number> {
    return (yield this.step(given, 'changed')) as number
  }

  *insert(given?: Named): Program<number | null> {
    return (yield this.step(given, 'insert')) as number | null
  }

  private step(given: Named | undefined, want: Query['want']): Query {
    const { sql: text, names } = this.compiled()
    const params: Value[] = []
    if (given !== undefined) for (const name of names) params.push(given[name] ?? null)
    return { sql: text, params, want }
  }
}

type Named = Readonly<Record<string, Value>>

export interface Compiled {
  sql: string
  /** The parameters' names in the order of the text's question marks. */
  names: readonly string[]
}

/** What is compiled at its first use. */
export function compiledOf(
  build: (db: Kysely<Schema>, param: (name: string) => RawBuilder<never>) => Buildable,
): () => Compiled {
  let compiled: Compiled | undefined
  return () => {
    compiled ??= compile(build(builder(), (name) => sql<never>`${new Parameter(name)}`))
    return compiled
  }
}

class Parameter {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** Parameters become question marks, everything else text. */
class StatementCompiler extends SqliteQueryCompiler {
  protected override visitValue(node: ValueNode): void {
    this.value(node.value)
  }

  protected override visitPrimitiveValueList(node: PrimitiveValueListNode): void {
    this.append('(')
    for (const [at, value] of node.values.entries()) {
      if (at > 0) this.append(', ')
      this.value(value)
    }
    this.append(')')
  }

  private value(value: unknown): void {
    if (value instanceof Parameter) this.appendValue(value)
    else this.appendImmediateValue(value)
  }
}

let made: Kysely<Schema> | undefined

/** Kysely without a database: it builds and compiles. */
function builder(): Kysely<Schema> {
  made ??= new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new StatementCompiler(),
    },
  })
  return made
}

function compile(query: Buildable): Compiled {
  const { sql: text, parameters } = query.compile(builder())
  // PostgreSQL's driver numbers the question marks.
  if (text.split('?').length - 1 !== parameters.length)
    throw new Error(`a question mark in a statement's text: ${text}`)
  return { sql: text, names: parameters.map((parameter) => (parameter as Parameter).name) }
}
