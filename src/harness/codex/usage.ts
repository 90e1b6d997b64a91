import type { UsageObservation } from '../../domain/record/observation'
import type { JsonRecord } from '../json-lines/json-value'
import { countOf, recordOf } from '../json-lines/json-value'

/** The model of usage that stands before any line that names one. */
const UNKNOWN_MODEL = 'unknown'

interface UsageSource {
  uuid: string
  thread: string
  subagentId: string | null
  at: number | null
  model: string | null
}

/**
 * Usage of one answer of the model. Releases report it by `token_count`, which is repeated, and newer ones by `token_usage_record` too.
 * Both give the sum of the thread up to this answer: the same sum is the same answer, so it counts once.
 */
export function usageOf(last: unknown, sum: unknown, source: UsageSource): UsageObservation | undefined {
  const own = recordOf(last)
  const all = recordOf(sum)
  if (own === undefined || all === undefined) return undefined
  const tokens = tokensOf(own)
  if (tokens.inputTokens + tokens.cacheReadTokens + tokens.cacheCreationTokens + tokens.outputTokens === 0)
    return undefined
  const { uuid, subagentId, at, model, thread } = source
  const place = [all.input_tokens, all.cached_input_tokens, all.output_tokens, all.total_tokens].map(countOf)
  return {
    kind: 'usage',
    uuid,
    messageId: `${thread}:${place.join(':')}`,
    model: model ?? UNKNOWN_MODEL,
    subagentId,
    at,
    ...tokens,
    cacheCreation1hTokens: 0,
    webSearchCount: 0,
    statedNanoUsd: 0,
  }
}

/** The CLI counts what was read from the cache or written to it as a part of the input, and reasoning as a part of the output. */
function tokensOf(usage: JsonRecord) {
  const cacheReadTokens = countOf(usage.cached_input_tokens)
  const cacheCreationTokens = countOf(usage.cache_write_input_tokens)
  return {
    inputTokens: Math.max(0, countOf(usage.input_tokens) - cacheReadTokens - cacheCreationTokens),
    outputTokens: countOf(usage.output_tokens),
    cacheReadTokens,
    cacheCreationTokens,
  }
}
