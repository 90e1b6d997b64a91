import type { ModelUsage } from '../../domain/cost/usage'

/** What usage and cost are made of, as the tables of usage have it. */
export interface UsageOfModel {
  model: string
  messages: number
  input: number
  output: number
  cache_read: number
  cache_creation: number
  cache_creation_1h: number
  web_searches: number
  stated_nano_usd: number
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
