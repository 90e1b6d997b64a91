import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { ReadContext } from '../sql/read-context'

/**
 * Whether a column's text holds the words, without regard to case. The databases turn only ASCII letters to lower case, so others are
 * looked for as they were given, in lower case and in upper case.
 */
export function containsText({ capabilities }: ReadContext, column: string, text: string): RawBuilder<SqlBool> {
  const forms = [text, text.toLowerCase(), text.toUpperCase()].map((form) =>
    form.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  )
  const holds = [...new Set(forms)].map((form) => capabilities.containsFolded(sql.ref(column), form))
  return sql`(${sql.join(holds, sql` or `)})`
}
