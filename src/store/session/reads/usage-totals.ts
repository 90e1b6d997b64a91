import type { Selectable } from 'kysely'
import { addCosts, type Cost, NO_COST } from '../../../domain/cost/price'
import { NO_USAGE, type Usage } from '../../../domain/cost/usage'
import { modelUsage, USAGE_SUMS } from '../../record/model-usage'
import type { ReadContext } from '../../sql/read-context'
import type { Schema } from '../../sql/tables'

type TotalsRow = Selectable<Schema['usage_totals']>
/** What usage and cost are made of. */
export type UsageColumns = Omit<TotalsRow, 'session_id' | 'subagent_id'>

/** Usage and cost of one node or of several. */
export interface UsageSum extends Cost {
  usage: Usage
}

/** Rows of `usage_totals` of these sessions, all nodes: one query. */
export function readUsageTotals({ db, capabilities }: ReadContext, sessions: readonly number[]): Promise<TotalsRow[]> {
  if (sessions.length === 0) return Promise.resolve([])
  return (
    db
      .selectFrom('usage_totals')
      .selectAll()
      .where((eb) => capabilities.inKeys(eb.ref('session_id'), sessions))
      // Fractions give the same sum only in the same order.
      .orderBy('subagent_id')
      .orderBy('model')
      .execute()
  )
}

/** Sums of the columns that count, of the table `u`; under their own names. */
export const SUMS = `cast(sum(u.messages) as bigint) as messages, ${USAGE_SUMS}`

/** The same of whole sessions: `is_agent` is 0 for the main thread and 1 for all sub-agents together. */
export function readSessionTotals(
  { db, capabilities }: ReadContext,
  sessions: readonly number[],
): Promise<Selectable<Schema['usage_sessions']>[]> {
  if (sessions.length === 0) return Promise.resolve([])
  return db
    .selectFrom('usage_sessions')
    .selectAll()
    .where((eb) => capabilities.inKeys(eb.ref('session_id'), sessions))
    .orderBy('is_agent')
    .orderBy('model')
    .execute()
}

/** Adds rows up. No rows: nothing used, and it cost nothing. */
export function sumUsage(rows: readonly UsageColumns[], costOf: ReadContext['costOf']): UsageSum {
  const usage: Usage = { ...NO_USAGE }
  let cost: Cost = NO_COST
  for (const row of rows) {
    const part = modelUsage(row)
    usage.inputTokens += part.inputTokens
    usage.outputTokens += part.outputTokens
    usage.cacheReadTokens += part.cacheReadTokens
    usage.cacheCreationTokens += part.cacheCreationTokens
    cost = addCosts(cost, costOf(part))
  }
  return { usage, ...cost }
}

/** The cost alone. */
export function sumCost(rows: readonly UsageColumns[], costOf: ReadContext['costOf']): Cost {
  return rows.reduce((sum, row) => addCosts(sum, costOf(modelUsage(row))), { ...NO_COST })
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
