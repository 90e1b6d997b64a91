import { type RawBuilder, sql } from 'kysely'
import type { CostSums } from '../../domain/cost'
import { NO_USAGE, type Usage } from '../../domain/usage'
import type { ReadContext } from '../read-context'
import { modelUsage, type UsageColumns } from '../usage-totals'

/** Sums of messages of one model, by whatever they were grouped. */
export interface MessageSums extends UsageColumns {
  last_at: number | null
}

const COUNTS = ['input', 'output', 'cache_read', 'cache_creation', 'cache_creation_1h', 'web_searches'] as const

/** Columns of `MessageSums`, of messages `u`, in a query that groups by the model and more. */
export const MESSAGE_SUMS = `u.model, count(*) as messages, max(u.at) as last_at, ${COUNTS.map(
  (name) => `cast(sum(u.${name}) as bigint) as ${name}`,
).join(', ')}`

/** The same of one message each. */
export const ONE_MESSAGE = `u.model, 1 as messages, u.at as last_at, ${COUNTS.map((name) => `u.${name}`).join(', ')}`

/** Adds sums of the same model to others. */
export function addSums(sums: MessageSums, more: MessageSums): void {
  sums.messages += more.messages
  for (const name of COUNTS) sums[name] += more[name]
  if (more.last_at !== null) sums.last_at = Math.max(sums.last_at ?? more.last_at, more.last_at)
}

/** Which messages are read, and how they are grouped besides by their model; `null` = not at all. */
export interface MessageQuery {
  /** Joins of other tables to messages `u`. */
  joins: string
  where: RawBuilder<unknown>
  groupBy: string | null
}

/** Runs a query over messages `u`. */
export async function selectMessages<Row>(
  { db }: ReadContext,
  columns: string,
  { joins, where, groupBy }: MessageQuery,
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
  private costUsd = 0
  private isPriced = false
  private isUnpriced = false

  /** @returns whether its model has a price */
  add(row: MessageSums, costOf: ReadContext['costOf']): boolean {
    const cost = costOf(modelUsage(row))
    this.messages += row.messages
    this.usage.inputTokens += row.input
    this.usage.outputTokens += row.output
    this.usage.cacheReadTokens += row.cache_read
    this.usage.cacheCreationTokens += row.cache_creation
    this.costUsd += cost ?? 0
    if (cost === null) this.isUnpriced = true
    else this.isPriced = true
    if (row.last_at !== null) this.lastAt = Math.max(this.lastAt ?? row.last_at, row.last_at)
    return cost !== null
  }

  get tokens(): number {
    const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = this.usage
    return inputTokens + outputTokens + cacheReadTokens + cacheCreationTokens
  }

  sums(): CostSums {
    const costUsd = this.isUnpriced && !this.isPriced ? null : this.costUsd
    return { usage: { ...this.usage }, costUsd, messages: this.messages }
  }
}
