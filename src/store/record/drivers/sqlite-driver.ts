import type { SQLQueryBindings, Statement } from 'bun:sqlite'
import type { Driver, Program, Query, Value } from '../../sql/program'
import { cleanText } from '../../sql/values'

/** A connection that keeps its statements compiled for life. bun:sqlite's own `query` keeps 20, the recording path has 60. */
export interface StatementKeeper {
  statement(sql: string): Statement<unknown, SQLQueryBindings[]>
}

/** Drives programs on one SQLite connection, synchronously. */
export function sqliteDriver(connection: StatementKeeper): Driver {
  const execute = (query: Query): unknown => {
    const statement = connection.statement(query.sql)
    const params = clean(query.params) as SQLQueryBindings[]
    if (query.want === 'rows') return statement.all(...params)
    const { changes, lastInsertRowid } = statement.run(...params)
    if (query.want !== 'insert') return changes
    return changes > 0 ? Number(lastInsertRowid) : null
  }
  return {
    lock: '',
    drive<T>(program: Program<T>): T {
      let step = program.next()
      while (!step.done) step = program.next(execute(step.value))
      return step.value
    },
  }
}

/** Text as the reads look it up: without NUL and lone surrogates. In place: the lists are made for one statement each. */
function clean(params: Value[]): Value[] {
  for (let at = 0; at < params.length; at++) {
    const value = params[at]
    if (typeof value === 'string') params[at] = cleanText(value)
  }
  return params
}
