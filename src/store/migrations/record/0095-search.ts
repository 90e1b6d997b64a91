/** Search finds words by their stems, and what tools gave out. What was recorded before is found after `lode rebuild`. */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [...t.dropFullText, ...t.stemmedText]

const down = (t: SqlWords): string[] => [...t.dropFullText, ...t.fullText]

export const searchMigration: Migration = { number: 95, name: 'search', up, down }
