import type { Usage } from '#api/contract/wire'

/** Abbreviates a count: `812`, `14.2k`, `3.1M`, `2.7B`. */
export function shortCount(count: number): string {
  if (count < 1_000) return String(count)
  if (count < 9_950) return `${(count / 1_000).toFixed(1)}k`
  if (count < 999_500) return `${Math.round(count / 1_000)}k`
  if (count < 9_950_000) return `${(count / 1_000_000).toFixed(1)}M`
  return count < 999_500_000 ? `${Math.round(count / 1_000_000)}M` : `${(count / 1_000_000_000).toFixed(1)}B`
}

/**
 * Formats US dollars: `$0.0042`, `$1.27`, `$312`.
 *
 * @param usd  `null` if no model has a known price
 * @param isEstimate  whether the price is an estimate: `~$1.27`. Pass false for limits and reported costs.
 */
export function dollars(usd: number | null, isEstimate: boolean): string {
  if (usd === null) return 'no price'
  return `${isEstimate ? '~' : ''}${exactly(usd)}`
}

/** The same for tooltips and screen readers: `about $1.27, an estimate`. */
export const dollarsInWords = (usd: number | null, isEstimate: boolean): string =>
  usd !== null && isEstimate ? `about ${exactly(usd)}, an estimate` : dollars(usd, false)

function exactly(usd: number): string {
  if (usd === 0) return '$0'
  if (usd < 0.01) return `$${usd.toFixed(4)}`
  return usd < 100 ? `$${usd.toFixed(2)}` : `$${Math.round(usd).toLocaleString('en')}`
}

/** The sum of all four kinds of tokens. */
export const tokensOf = (usage: Usage): number =>
  usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheCreationTokens

/** Lists each kind of tokens with its name. @param inWords  of a count; default: exactly, for a tooltip */
export const tokensInWords = (usage: Usage, inWords = (count: number) => count.toLocaleString('en')): string =>
  [
    `${inWords(usage.inputTokens)} in`,
    `${inWords(usage.outputTokens)} out`,
    `${inWords(usage.cacheReadTokens)} read from cache`,
    `${inWords(usage.cacheCreationTokens)} written to cache`,
  ].join(', ')

/** The usage of a sub-agent whose lines are not recorded: `at least 12,345 tokens (reported)`. */
export const unknownTokens = (reported: number | null): string =>
  reported === null ? 'unknown tokens' : `at least ${counted(reported, 'token')} (reported)`

/** `excluding 2 sub-agents with unknown usage`. */
export const withoutAgents = (agents: number): string => `excluding ${counted(agents, 'sub-agent')} with unknown usage`

/** A count with its noun: `1 task`, `3 tasks`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

/** Formats a size in bytes: `812 B`, `14.2 kB`, `3.1 MB`. */
export function bytesInWords(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
