import type { SQLQueryBindings, Statement } from 'bun:sqlite'
import type { BulkProgram, Driver, Inserting, Insertion, Query, Value } from '../../sql/program'
import { cleanText } from '../../sql/values'

/** A connection that keeps its statements compiled for life. bun:sqlite's own `query` keeps 20, the recording path has 60. */
export interface StatementKeeper {
  statement(sql: string): Statement<unknown, SQLQueryBindings[]>
}

/** Drives programs on one SQLite connection, synchronously. */
export function sqliteDriver(connection: StatementKeeper): Driver {
  const insert = ({ insertion, rows }: Inserting): (number | null)[] => {
    const statement = connection.statement(insertText(insertion))
    return rows.map((row) => {
      const { changes, lastInsertRowid } = statement.run(...(clean(row) as SQLQueryBindings[]))
      return changes > 0 ? Number(lastInsertRowid) : null
    })
  }
  const execute = (query: Query | Inserting): unknown => {
    if ('insertion' in query) return insert(query)
    const statement = connection.statement(query.sql)
    const params = clean(query.params) as SQLQueryBindings[]
    if (query.want === 'rows') return statement.all(...params)
    const { changes, lastInsertRowid } = statement.run(...params)
    if (query.want !== 'insert') return changes
    return changes > 0 ? Number(lastInsertRowid) : null
  }
  return {
    lock: '',
    drive<T>(program: BulkProgram<T>): T {
      let step = program.next()
      while (!step.done) step = program.next(execute(step.value))
      return step.value
    },
  }
}

const texts = new WeakMap<Insertion, string>()

function insertText(insertion: Insertion): string {
  let text = texts.get(insertion)
  if (text === undefined) {
    const { table, key } = insertion
    const columns = Object.keys(insertion.columns)
    text = `insert into ${table} (${columns.map((name) => `"${name}"`).join(', ')}) values (${columns.map(() => '?').join(', ')})
      on conflict (${key.join(', ')}) do nothing`
    texts.set(insertion, text)
  }
  return text
}

/** Text as the reads look it up: without NUL and lone surrogates. In place: the lists are made for one statement each. */
function clean(params: Value[]): Value[] {
  for (let at = 0; at < params.length; at++) {
    const value = params[at]
    if (typeof value === 'string') params[at] = cleanText(value)
  }
  return params
}
