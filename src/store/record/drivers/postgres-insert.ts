import type { Inserting, Insertion, Value } from '../../sql/program'
import { cleanText, toParameter } from '../../sql/values'

/** Rows in one statement: what they hold is in memory several times. */
const ROWS_AT_ONCE = 500

type Execute = (sql: string, params: Value[]) => Promise<{ rows: Record<string, unknown>[] }>

/** @see insertEach */
export async function insertAtOnce(execute: Execute, { insertion, rows }: Inserting): Promise<(number | null)[]> {
  const { text, keyAt } = statementOf(insertion)
  const ids: (number | null)[] = []
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const part = rows.slice(from, from + ROWS_AT_ONCE)
    const added = await execute(text, columnsOf(part))
    const byKey = new Map(added.rows.map((row) => [nameOf(insertion.key.map((name) => row[name])), Number(row.id)]))
    for (const row of part) {
      const name = nameOf(keyAt.map((at) => row[at]))
      ids.push(byKey.get(name) ?? null)
      // Only the first of equal ones is the row.
      byKey.delete(name)
    }
  }
  return ids
}

/** Values by column, each as the text of an array. */
export function columnsOf(rows: readonly (readonly Value[])[]): string[] {
  return (rows[0] ?? []).map((_, column) => `{${rows.map((row) => elementOf(row[column] ?? null)).join(',')}}`)
}

/** PostgreSQL reads an array of any type from text. So a statement is the same for any number of rows, and is parsed and planned once. */
function elementOf(value: Value): string {
  const parameter = toParameter(value)
  if (parameter === null) return 'NULL'
  if (parameter instanceof Uint8Array) return `"\\\\x${hexOf(parameter)}"`
  return typeof parameter === 'string' ? `"${parameter.replace(/["\\]/g, '\\$&')}"` : String(parameter)
}

interface Statement {
  text: string
  /** Where a row has its key. */
  keyAt: number[]
}

const statements = new WeakMap<Insertion, Statement>()

function statementOf(insertion: Insertion): Statement {
  let statement = statements.get(insertion)
  if (statement === undefined) {
    const { table, key, hasId } = insertion
    const names = Object.keys(insertion.columns)
    const arrays = Object.values(insertion.columns).map((type, at) => `$${at + 1}::text::${type}[]`)
    statement = {
      text: `insert into ${table} (${names.map((name) => `"${name}"`).join(', ')}) select * from unnest(${arrays.join(', ')})
        on conflict (${key.join(', ')}) do nothing returning ${hasId ? 'id' : '1 as id'}, ${key.join(', ')}`,
      keyAt: key.map((name) => names.indexOf(name)),
    }
    statements.set(insertion, statement)
  }
  return statement
}

/** The same for a value that is given, and for the one that comes back. */
const nameOf = (key: readonly unknown[]): string =>
  JSON.stringify(key.map((value) => (value instanceof Uint8Array ? hexOf(value) : cleanText(String(value)))))

const hexOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
