import type { UsageObservation } from '../../domain/record/observation'
import { countOf, recordOf } from '../json-lines/json-value'

/**
 * Tokens of one reply of the model. The same reply stands twice and more often in a file, and counts once by its id. What was read from the
 * cache is a part of the input; thinking is none of the output; `tool` is what a tool of the provider's own added to the input.
 */
export function usageOf(
  tokens: unknown,
  source: Pick<UsageObservation, 'uuid' | 'messageId' | 'model' | 'subagentId' | 'at'>,
): UsageObservation | undefined {
  const counts = recordOf(tokens)
  if (counts === undefined) return undefined
  const cacheReadTokens = countOf(counts.cached)
  const inputTokens = Math.max(0, countOf(counts.input) - cacheReadTokens) + countOf(counts.tool)
  const outputTokens = countOf(counts.output) + countOf(counts.thoughts)
  if (inputTokens + cacheReadTokens + outputTokens === 0) return undefined
  return {
    kind: 'usage',
    ...source,
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheCreationTokens: 0,
    cacheCreation1hTokens: 0,
    webSearchCount: 0,
    statedNanoUsd: 0,
  }
}
