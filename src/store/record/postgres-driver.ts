import type { Driver, Program, Query, Value } from '../sql/program'
import { cleanText } from '../sql/values'

/** Runs one statement with `$1`-style parameters inside the current transaction. int8 columns come back as numbers. */
export type PostgresExecute = (
  sql: string,
  params: Value[],
) => Promise<{ rows: Record<string, unknown>[]; count: number }>

const texts = new Map<string, string>()

/** `?` → `$1`, `$2` …: our statements hold no other question mark. */
function numbered(sql: string, want: Query['want']): string {
  const key = want === 'insert' ? `${sql} returning id` : sql
  let text = texts.get(key)
  if (text === undefined) {
    let n = 0
    text = key.replace(/\?/g, () => `$${++n}`)
    texts.set(key, text)
  }
  return text
}

/** Drives programs inside one PostgreSQL transaction. */
export function postgresDriver(execute: PostgresExecute): Driver {
  const answer = async (query: Query): Promise<unknown> => {
    const result = await execute(numbered(query.sql, query.want), query.params.map(storable))
    if (query.want === 'rows') return result.rows
    if (query.want === 'run') return result.count
    const id = result.rows[0]?.id
    return id === undefined ? null : Number(id)
  }
  return {
    lock: ' for update',
    async drive<T>(program: Program<T>): Promise<T> {
      let step = program.next()
      while (!step.done) {
        let value: unknown
        try {
          value = await answer(step.value)
        } catch (error) {
          step = program.throw(error)
          continue
        }
        step = program.next(value)
      }
      return step.value
    },
  }
}

/** PostgreSQL's text takes no NUL and no lone surrogate; reads look it up in the same form. */
function storable(value: Value): Value {
  return typeof value === 'string' ? cleanText(value) : value
}
