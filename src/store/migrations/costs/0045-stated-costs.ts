/** What agent CLIs say that messages cost, for models without a price of ours. */
import type { Migration, SqlWords } from '../migration'

const TABLES = ['usage_messages', 'usage_totals'] as const

// Billionths of a US dollar; 0 = the CLI says nothing.
const up = (t: SqlWords): string[] =>
  TABLES.map((table) => `alter table ${table} add column stated_nano_usd ${t.int} not null default 0`)

const down = (): string[] => TABLES.map((table) => `alter table ${table} drop column stated_nano_usd`)

export const statedCostsMigration: Migration = { number: 45, name: 'stated-costs', up, down }
