import type { Observation, UsageObservation } from '../../domain/record/observation'
import type { JsonRecord } from '../json-lines/json-value'
import { countOf, idOf, recordOf } from '../json-lines/json-value'
import { type Place, sourceOf } from './place'

/** The model of usage whose line names none. */
const UNKNOWN_MODEL = 'unknown'
/** Models in one sum. */
const MODEL_LIMIT = 1_000

/** One answer of the model. */
export function readUsageRecord(into: Observation[], place: Place): void {
  const usage = recordOf(place.data.usage)
  if (usage === undefined) return
  place.carry.hasUsage = true
  add(into, place, usage, `answer:${idOf(usage.apiCallId) ?? place.uuid}:${place.uuid}`, usage.model)
}

/** The same of releases of 2025, which wrote a line of its own type. */
export function readAnswerUsage(into: Observation[], place: Place): void {
  place.carry.hasUsage = true
  add(into, place, place.data, `answer:${place.uuid}`, place.data.model)
}

/** The answer that wrote a compaction's summary: it has no record of its own. */
export function readCompactionUsage(into: Observation[], place: Place): void {
  const usage = recordOf(place.data.compactionTokensUsed)
  if (usage !== undefined) add(into, place, usage, `compaction:${place.uuid}`, usage.model ?? place.data.model)
}

/**
 * The sums of one process, at its end: in releases before the records they are all that a file says. A process that was killed has none.
 * Newer releases write them too, there for the whole session.
 */
export function readShutdownUsage(into: Observation[], place: Place): void {
  if (place.carry.hasUsage || place.subagentId !== null) return
  for (const [model, metrics] of Object.entries(recordOf(place.data.modelMetrics) ?? {}).slice(0, MODEL_LIMIT)) {
    const usage = recordOf(recordOf(metrics)?.usage)
    if (usage !== undefined) add(into, place, usage, `process:${place.uuid}`, model)
  }
}

function add(into: Observation[], place: Place, usage: JsonRecord, messageId: string, model: unknown): void {
  const tokens = tokensOf(usage)
  if (tokens.inputTokens + tokens.cacheReadTokens + tokens.cacheCreationTokens + tokens.outputTokens === 0) return
  const seen: UsageObservation = {
    kind: 'usage',
    ...sourceOf(place),
    messageId,
    model: idOf(model) ?? UNKNOWN_MODEL,
    ...tokens,
    cacheCreation1hTokens: 0,
    webSearchCount: 0,
    statedNanoUsd: 0,
  }
  into.push(seen)
}

/** The CLI counts what was read from the cache or written to it as a part of the input, and reasoning as a part of the output. */
function tokensOf(usage: JsonRecord) {
  const cacheReadTokens = countOf(usage.cacheReadTokens)
  const cacheCreationTokens = countOf(usage.cacheWriteTokens)
  return {
    inputTokens: Math.max(0, countOf(usage.inputTokens) - cacheReadTokens - cacheCreationTokens),
    outputTokens: countOf(usage.outputTokens),
    cacheReadTokens,
    cacheCreationTokens,
  }
}
