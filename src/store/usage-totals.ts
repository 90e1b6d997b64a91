import type { Selectable } from 'kysely'
import { type ModelUsage, NO_USAGE, type Usage } from '../domain/usage'
import type { ReadContext } from './read-context'
import type { Schema } from './schema'

type TotalsRow = Selectable<Schema['usage_totals']>

/** Usage and cost of one node or of several. */
export interface UsageSum {
  usage: Usage
  /** `null` when the price of one of its models is unknown. */
  costUsd: number | null
}

/** Rows of `usage_totals` of these sessions, all nodes: one query. */
export function readUsageTotals({ db, capabilities }: ReadContext, sessions: readonly number[]): Promise<TotalsRow[]> {
  if (sessions.length === 0) return Promise.resolve([])
  return db
    .selectFrom('usage_totals')
    .selectAll()
    .where((eb) => capabilities.inKeys(eb.ref('session_id'), sessions))
    .execute()
}

/** Adds rows up. No rows: nothing used, and it cost nothing. */
export function sumUsage(rows: readonly TotalsRow[], costOf: ReadContext['costOf']): UsageSum {
  const usage: Usage = { ...NO_USAGE }
  let costUsd: number | null = 0
  for (const row of rows) {
    const part = modelUsage(row)
    usage.inputTokens += part.inputTokens
    usage.outputTokens += part.outputTokens
    usage.cacheReadTokens += part.cacheReadTokens
    usage.cacheCreationTokens += part.cacheCreationTokens
    const cost = costOf(part)
    costUsd = costUsd === null || cost === null ? null : costUsd + cost
  }
  return { usage, costUsd }
}

/** Rows by a key of theirs. */
export function groupRows<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>()
  for (const row of rows) {
    const key = keyOf(row)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [row])
    else group.push(row)
  }
  return groups
}

const modelUsage = (row: TotalsRow): ModelUsage => ({
  model: row.model,
  messageCount: row.messages,
  inputTokens: row.input,
  outputTokens: row.output,
  cacheReadTokens: row.cache_read,
  cacheCreationTokens: row.cache_creation,
  cacheCreation1hTokens: row.cache_creation_1h,
  webSearchCount: row.web_searches,
})
