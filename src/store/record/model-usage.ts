import type { ModelUsage } from '../../domain/cost/usage'

/** Columns that count, of every table of usage. */
export const USAGE_COUNTS = [
  'input',
  'output',
  'cache_read',
  'cache_creation',
  'cache_creation_1h',
  'web_searches',
  'stated_nano_usd',
] as const

/** Their sums, of rows `u` that are grouped; under their own names. */
export const USAGE_SUMS = USAGE_COUNTS.map((name) => `cast(sum(u.${name}) as bigint) as ${name}`).join(', ')

/** What usage and cost are made of, as the tables of usage have it. */
export interface UsageOfModel extends Record<(typeof USAGE_COUNTS)[number], number> {
  model: string
  messages: number
}

export const modelUsage = (row: UsageOfModel): ModelUsage => ({
  model: row.model,
  messageCount: row.messages,
  inputTokens: row.input,
  outputTokens: row.output,
  cacheReadTokens: row.cache_read,
  cacheCreationTokens: row.cache_creation,
  cacheCreation1hTokens: row.cache_creation_1h,
  webSearchCount: row.web_searches,
  statedNanoUsd: row.stated_nano_usd,
})
