import { statedNanoUsd } from '../../domain/cost/usage'
import type { UsageObservation } from '../../domain/record/observation'
import { countOf, recordOf } from '../json-lines/json-value'
import type { Entry } from './entry'

/** The model of usage that stands before any line that names one. */
const UNKNOWN_MODEL = 'unknown'

/** Usage that an entry reports. Each entry stands for one request; a copied one counts for the session that it was copied from. */
export function usageOf(entry: Entry, usage: unknown, model: string | null): UsageObservation[] {
  const counts = recordOf(usage)
  if (counts === undefined) return []
  const tokens = {
    inputTokens: countOf(counts.input),
    // The CLI counts reasoning as a part of it.
    outputTokens: countOf(counts.output),
    cacheReadTokens: countOf(counts.cacheRead),
    cacheCreationTokens: countOf(counts.cacheWrite),
    cacheCreation1hTokens: Math.min(countOf(counts.cacheWrite1h), countOf(counts.cacheWrite)),
  }
  if (Object.values(tokens).every((count) => count === 0)) return []
  return [
    {
      kind: 'usage',
      uuid: entry.uuid,
      messageId: entry.uuid,
      model: model ?? UNKNOWN_MODEL,
      subagentId: null,
      at: entry.at,
      ...tokens,
      webSearchCount: 0,
      // The CLI's own figure, by the prices that a person may have given it for a model.
      statedNanoUsd: statedNanoUsd(recordOf(counts.cost)?.total),
    },
  ]
}
