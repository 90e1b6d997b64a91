import { postgresWords, sqliteWords } from '../migrations/words'
import type { Program } from './program'
import { cleanText } from './values'

/** What the two databases say differently in the programs of tasks. */
export interface TaskDialect {
  /**
   * Ends a select of rows of `tasks t` that are decided on: nobody else changes them before the unit's end. A task's row is
   * the lock of everything that hangs on it (attempts, offers, questions, log). Not `for update`, which would also hold up
   * those who only refer to the task.
   */
  lock: string
  /** The same, leaving out rows that another unit holds. */
  lockFree: string
  /** `column in (keys)` with one parameter, given by `keyList`. */
  inKeys(column: string): string
  keyList(keys: readonly number[]): string
  /** The same for texts, given by `textList`. */
  inTexts(column: string): string
  textList(texts: readonly string[]): string
  /** All values of `expression`, in the order of `order`, as a JSON list. */
  list(expression: string, order: string): string
  /** The text at a key of a column of JSON. */
  jsonText(column: string, key: string): string
  /** Units that ask for the same text go on one after the other, each after the commit of the one before. */
  turn: string | null
  /** How many of the best rows a claim looks at where others may hold some of them. */
  candidates: number
}

/** Units that take the turn of the same name go on one after the other. */
export function* takeTurn(db: TaskDialect, name: string): Program<void> {
  if (db.turn !== null) yield { sql: db.turn, params: [name], want: 'run' }
}

/**
 * What is made once for each database: a statement, or its text. A long text made anew has to be hashed anew to find what was
 * compiled of it: a microsecond for each select of all columns.
 */
export function perDialect<Made, Words extends object = TaskDialect>(make: (db: Words) => Made): (db: Words) => Made {
  const made = new WeakMap<Words, { it: Made }>()
  return (db) => {
    let known = made.get(db)
    if (known === undefined) {
      known = { it: make(db) }
      made.set(db, known)
    }
    return known.it
  }
}

/** The same for statements that differ by a short text. */
export function perText(make: (text: string) => string): (text: string) => string {
  const made = new Map<string, string>()
  return (text) => {
    let whole = made.get(text)
    if (whole === undefined) {
      whole = make(text)
      made.set(text, whole)
    }
    return whole
  }
}

/** Units run one after another: nothing is ever held. */
export const sqliteTaskDialect: TaskDialect = {
  lock: '',
  lockFree: '',
  inKeys: (column) => `${column} in (select value from json_each(?))`,
  keyList: (keys) => JSON.stringify(keys),
  inTexts: (column) => `${column} in (select value from json_each(?))`,
  textList: (texts) => JSON.stringify(texts.map(cleanText)),
  list: (expression, order) => `json_group_array(${expression} order by ${order})`,
  jsonText: sqliteWords.jsonText,
  turn: null,
  candidates: 1,
}

export const postgresTaskDialect: TaskDialect = {
  lock: ' for no key update of t',
  lockFree: ' for no key update of t skip locked',
  inKeys: (column) => `${column} = any(?::text::bigint[])`,
  keyList: (keys) => `{${keys.join(',')}}`,
  inTexts: (column) => `${column} in (select json_array_elements_text(?::text::json))`,
  textList: (texts) => JSON.stringify(texts.map(cleanText)),
  list: (expression, order) => `coalesce(json_agg(${expression} order by ${order})::text, '[]')`,
  jsonText: postgresWords.jsonText,
  turn: 'select pg_advisory_xact_lock(hashtextextended(?, 0))',
  candidates: 8,
}
