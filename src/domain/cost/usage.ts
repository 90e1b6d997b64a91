/** Tokens, as the model's API counts them. */
export interface Usage {
  inputTokens: number
  outputTokens: number
  /** Read from the prompt cache. */
  cacheReadTokens: number
  /** Written to the prompt cache, whatever its time to live. */
  cacheCreationTokens: number
}

/** Usage with the parts that have a price of their own. */
export interface BilledUsage extends Usage {
  /** The part of `cacheCreationTokens` written with a time to live of one hour; the rest lives five minutes. */
  cacheCreation1hTokens: number
  /** Server-side web searches, counted by request. */
  webSearchCount: number
  /** What the agent CLI says that it cost, in billionths of a US dollar; 0 = it says nothing. */
  statedNanoUsd: number
}

const NANO_PER_USD = 1_000_000_000
/**
 * More than these, for one message, are a mistake of its writer or meant to do harm: sums of larger ones pass 2^53, and no list could be
 * answered. It takes ninety thousand messages at these limits to get there.
 */
const MOST_TOKENS = 100_000_000
const MOST_SEARCHES = 100_000
const MOST_STATED_USD = 100

/** The usage of one message as it is kept: no count is more than a message can have. */
export const credibleUsage = (said: BilledUsage): BilledUsage => ({
  inputTokens: Math.min(said.inputTokens, MOST_TOKENS),
  outputTokens: Math.min(said.outputTokens, MOST_TOKENS),
  cacheReadTokens: Math.min(said.cacheReadTokens, MOST_TOKENS),
  cacheCreationTokens: Math.min(said.cacheCreationTokens, MOST_TOKENS),
  cacheCreation1hTokens: Math.min(said.cacheCreation1hTokens, MOST_TOKENS),
  webSearchCount: Math.min(said.webSearchCount, MOST_SEARCHES),
  statedNanoUsd: said.statedNanoUsd,
})

/** A CLI's statement in US dollars, as `statedNanoUsd`. What is no sensible amount states nothing. */
export const statedNanoUsd = (usd: unknown): number =>
  typeof usd === 'number' && usd > 0 && usd <= MOST_STATED_USD ? Math.round(usd * NANO_PER_USD) : 0

/** The same amount in US dollars. */
export const usdOfNano = (nano: number): number => nano / NANO_PER_USD

/** Usage of one model at one node (the main thread or a sub-agent) of a session. */
export interface ModelUsage extends BilledUsage {
  model: string
  /** Distinct model messages. */
  messageCount: number
}

export const NO_USAGE: Readonly<Usage> = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheCreationTokens: 0,
})

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheCreationTokens: a.cacheCreationTokens + b.cacheCreationTokens,
  }
}
