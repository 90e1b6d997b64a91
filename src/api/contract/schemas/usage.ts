import * as z from 'zod/mini'

/** Tokens, as the model's API counts them. */
export const Usage = z.object({
  inputTokens: z.int(),
  outputTokens: z.int(),
  cacheReadTokens: z.int(),
  cacheCreationTokens: z.int(),
})

/** US dollars by the price table; `null` when a model's price is unknown. */
export const CostUsd = z.nullable(z.number())

/** ISO 8601 in UTC. */
export const Instant = z.string()
export const MaybeInstant = z.nullable(Instant)
export const MaybeText = z.nullable(z.string())
