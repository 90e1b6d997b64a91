import type { BulkProgram, Driver, Inserting, Query, Value } from '../../sql/program'
import { cleanText } from '../../sql/values'
import { insertAtOnce } from './postgres-insert'

/** Runs statements with `$1`-style parameters inside the current transaction. int8 columns come back as numbers. */
export interface PostgresUnitExecutor {
  execute(sql: string, params: Value[]): Promise<{ rows: Record<string, unknown>[]; count: number }>
  /** Nobody waits for it unless it says so by a promise. */
  send(sql: string, params: Value[]): void | Promise<void>
}

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
export function postgresDriver(executor: PostgresUnitExecutor): Driver {
  const answer = async (query: Query | Inserting): Promise<unknown> => {
    if ('insertion' in query) return await insertAtOnce((sql, params) => executor.execute(sql, params), query)
    const text = numbered(query.sql, query.want)
    const params = query.params.map(storable)
    if (query.want === 'run') return await executor.send(text, params)
    const result = await executor.execute(text, params)
    if (query.want === 'rows') return result.rows
    if (query.want === 'changed') return result.count
    const id = result.rows[0]?.id
    return id === undefined ? null : Number(id)
  }
  return {
    lock: ' for update',
    async drive<T>(program: BulkProgram<T>): Promise<T> {
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
