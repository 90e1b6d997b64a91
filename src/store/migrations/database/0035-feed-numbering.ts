/** On PostgreSQL: the numbering of the feed as a function of the database, one round trip instead of six. */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => t.feedNumbering

const down = (t: SqlWords): string[] => t.dropFeedNumbering

export const feedNumberingMigration: Migration = { number: 35, name: 'feed-numbering', up, down }
