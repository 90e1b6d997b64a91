/** The share of each session, and the sums of usage by share: costs of a year by person read sums instead of all messages. */
import type { Migration, SqlWords } from '../migration'
import { FILL_SHARED_HOURS, FILL_SHARES } from './usage-shares'

const up = (t: SqlWords): string[] => [
  'alter table sessions add column share text', // as `tasks.share`; null = of nobody
  'alter table usage_hours add column share text', // of the session
  FILL_SHARES,
  'delete from usage_hours',
  FILL_SHARED_HOURS,
  ...t.usageShares,
]

const down = (t: SqlWords): string[] => [
  ...t.dropUsageShares,
  'alter table usage_hours drop column share',
  'alter table sessions drop column share',
]

/** Older programs would add messages to hours without the session's share. */
export const usageSharesMigration: Migration = { number: 330, name: 'usage-shares', up, down }
