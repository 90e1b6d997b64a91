import { type RawBuilder, sql } from 'kysely'
import type { CostSums } from '../../domain/cost/cost'
import { addCosts, type Cost, NO_COST } from '../../domain/cost/price'
import { NO_USAGE, type Usage } from '../../domain/cost/usage'
import { USAGE_COUNTS, USAGE_SUMS } from '../record/model-usage'
import type { UsageColumns } from '../session/reads/usage-totals'
import type { ReadContext } from '../sql/read-context'

/** Sums of messages of one model, by whatever they were grouped. */
export interface MessageSums extends UsageColumns {
  last_at: number | null
}

/** Columns of `MessageSums`, of messages `u`, in a query that groups by the model and more. */
export const MESSAGE_SUMS = `u.model, count(*) as messages, max(u.at) as last_at, ${USAGE_SUMS}`

/** The same of sums `u`, of hours or tasks. */
export const HOUR_SUMS = `u.model, cast(sum(u.messages) as bigint) as messages, max(u.last_at) as last_at, ${USAGE_SUMS}`

/** The same of one message each. */
export const ONE_MESSAGE = `u.model, 1 as messages, u.at as last_at, ${USAGE_COUNTS.map((name) => `u.${name}`).join(', ')}`

/** Adds sums of the same model to others. */
export function addSums(sums: MessageSums, more: MessageSums): void {
  sums.messages += more.messages
  for (const name of USAGE_COUNTS) sums[name] += more[name]
  if (more.last_at !== null) sums.last_at = Math.max(sums.last_at ?? more.last_at, more.last_at)
}

/** Which messages are read, and how they are grouped besides by their model; `null` = not at all. */
export interface MessageQuery {
  /** Joins of other tables to messages `u`. */
  joins?: string
  where: RawBuilder<unknown>
  groupBy: string | null
}

/** Runs a query over messages `u`. */
export async function selectMessages<Row>(
  { db }: ReadContext,
  columns: string,
  { joins = '', where, groupBy }: MessageQuery,
): Promise<(Row & MessageSums)[]> {
  const { rows } = await sql<Row & MessageSums>`
    select ${sql.raw(columns)} from usage_messages u ${sql.raw(joins)}
     where ${where} ${sql.raw(groupBy === null ? '' : `group by ${groupBy}, u.model`)}
  `.execute(db)
  return rows
}

/** A row of costs while it grows. */
export class GrowingCosts {
  messages = 0
  lastAt: number | null = null
  private readonly usage: Usage = { ...NO_USAGE }
  private cost: Cost = NO_COST

  add(row: MessageSums, cost: Cost): void {
    this.messages += row.messages
    this.usage.inputTokens += row.input
    this.usage.outputTokens += row.output
    this.usage.cacheReadTokens += row.cache_read
    this.usage.cacheCreationTokens += row.cache_creation
    this.cost = addCosts(this.cost, cost)
    if (row.last_at !== null) this.lastAt = Math.max(this.lastAt ?? row.last_at, row.last_at)
  }

  get tokens(): number {
    const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = this.usage
    return inputTokens + outputTokens + cacheReadTokens + cacheCreationTokens
  }

  sums(): CostSums {
    return { usage: { ...this.usage }, ...this.cost, messages: this.messages }
  }
}
