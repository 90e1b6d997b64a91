import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { ReadCapabilities } from '../read-context'

/** Words of a search in titles at most: nobody types more. */
const WORD_LIMIT = 32
const TEXT_LIMIT = 10_000

/** For each word of `text` that it stands somewhere in one of the columns, in any case of its letters. */
export function holdWords(
  { containsFolded }: ReadCapabilities,
  columns: readonly string[],
  text: string,
): RawBuilder<SqlBool>[] {
  const words = text
    .slice(0, TEXT_LIMIT)
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, WORD_LIMIT)
  const holds = (word: string) =>
    sql.join(
      columns.map((column) => containsFolded(sql.ref(column), word)),
      sql` or `,
    )
  return words.map((word) => sql`(${holds(word)})`)
}
