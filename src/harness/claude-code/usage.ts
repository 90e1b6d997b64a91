import type { UsageObservation } from '../../domain/record/observation'
import type { JsonRecord } from '../json-lines/json-value'
import { countOf, idOf, recordOf } from '../json-lines/json-value'
import { SYNTHETIC_MODEL } from './line-type'

/** Usage of the model message that a line is part of; `undefined` for the CLI's own lines and those without counts. */
export function usageOf(
  message: JsonRecord,
  line: { uuid: string; subagentId: string | null; at: number | null },
): UsageObservation | undefined {
  const usage = recordOf(message.usage)
  const messageId = idOf(message.id)
  const model = idOf(message.model)
  if (!usage || messageId === undefined || model === undefined || model === SYNTHETIC_MODEL) return undefined
  return {
    kind: 'usage',
    uuid: line.uuid,
    messageId,
    model,
    subagentId: line.subagentId,
    at: line.at,
    inputTokens: countOf(usage.input_tokens),
    outputTokens: countOf(usage.output_tokens),
    cacheReadTokens: countOf(usage.cache_read_input_tokens),
    cacheCreationTokens: countOf(usage.cache_creation_input_tokens),
    cacheCreation1hTokens: countOf(recordOf(usage.cache_creation)?.ephemeral_1h_input_tokens),
    webSearchCount: countOf(recordOf(usage.server_tool_use)?.web_search_requests),
    statedNanoUsd: 0,
  }
}
