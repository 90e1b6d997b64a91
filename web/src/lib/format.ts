import type { Usage } from '../../../src/api/contract/wire'

/** `812`, `14.2k`, `3.1M`. */
export function shortCount(count: number): string {
  if (count < 1_000) return String(count)
  if (count < 9_950) return `${(count / 1_000).toFixed(1)}k`
  if (count < 999_500) return `${Math.round(count / 1_000)}k`
  return count < 9_950_000 ? `${(count / 1_000_000).toFixed(1)}M` : `${Math.round(count / 1_000_000)}M`
}

/** `$0.0042`, `$1.27`, `$312`; `null` = a model's price is not known. */
export function dollars(usd: number | null): string {
  if (usd === null) return 'no price'
  if (usd === 0) return '$0'
  if (usd < 0.01) return `$${usd.toFixed(4)}`
  return usd < 100 ? `$${usd.toFixed(2)}` : `$${Math.round(usd).toLocaleString('en')}`
}

/** All four kinds together. */
export const tokensOf = (usage: Usage): number =>
  usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheCreationTokens

/** Each kind with its name, for a tooltip. */
export const tokensInWords = (usage: Usage): string =>
  [
    `${usage.inputTokens.toLocaleString('en')} in`,
    `${usage.outputTokens.toLocaleString('en')} out`,
    `${usage.cacheReadTokens.toLocaleString('en')} read from cache`,
    `${usage.cacheCreationTokens.toLocaleString('en')} written to cache`,
  ].join(', ')

/** `1 task`, `3 tasks`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

export function bytesInWords(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
