import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { TaskDialect } from './dialect'

/** Whether a key is one of the list that `words.keyList` gives, which is one parameter: the statement is the same for any number. */
export const isAmongKeys = (
  words: TaskDialect,
  key: Expression<number>,
  list: Expression<string>,
): RawBuilder<SqlBool> => among(words.inKeys(''), key, list)

/** The same of texts, with `words.textList`. */
export const isAmongTexts = (
  words: TaskDialect,
  text: Expression<string | null>,
  list: Expression<string>,
): RawBuilder<SqlBool> => among(words.inTexts(''), text, list)

/** @param test  the dialect's words behind a column, with a question mark for the list */
function among(test: string, column: Expression<unknown>, list: Expression<string>): RawBuilder<SqlBool> {
  const [before = '', after = ''] = test.split('?')
  return sql<SqlBool>`${column}${sql.raw(before)}${list}${sql.raw(after)}`
}
