import type { UsageObservation } from '../../domain/record/observation'
import { countOf, idOf, type JsonRecord, recordOf, textOf } from '../json-lines/json-value'
import type { Line } from './line'

/** The model of usage whose line names none. */
const UNKNOWN_MODEL = 'unknown'

/**
 * Usage of one request, as the CLI keeps it for its own figures: of the main thread, of its sub-agents and of what it asks for itself (memory,
 * compaction). Lines of replies have tokens too: those count only where no line is about a request (`replyUsage`). What was read from the
 * cache is a part of the input; thinking is a part of the output where the sum says so (models behind OpenAI's API), else beside it.
 */
export function usageOf(line: Line, event: JsonRecord): UsageObservation | undefined {
  const input = countOf(event.input_token_count)
  const output = countOf(event.output_token_count)
  const thoughts = countOf(event.thoughts_token_count)
  const cacheReadTokens = Math.min(input, countOf(event.cached_content_token_count))
  const isBeside = countOf(event.total_token_count) >= input + output + thoughts
  if (input + output + thoughts === 0) return undefined
  return {
    kind: 'usage',
    uuid: line.uuid,
    // Not the answer's own id: servers of local models number answers so that ids come again (Ollama has a thousand).
    messageId: line.uuid,
    model: idOf(event.model) ?? UNKNOWN_MODEL,
    subagentId: subagentOf(event) ?? null,
    at: line.at,
    inputTokens: input - cacheReadTokens,
    outputTokens: output + (isBeside ? thoughts : 0),
    cacheReadTokens,
    cacheCreationTokens: 0,
    cacheCreation1hTokens: 0,
    webSearchCount: 0,
    statedNanoUsd: 0,
  }
}

/** Usage of a reply of the main thread, in files that do not report requests by themselves. */
export function replyUsage(line: Line): UsageObservation | undefined {
  const counts = recordOf(line.record.usageMetadata)
  if (counts === undefined || line.carry.hasRequests || line.isCopied || line.subagentId !== null) return undefined
  return usageOf(line, {
    model: line.record.model,
    input_token_count: counts.promptTokenCount,
    output_token_count: counts.candidatesTokenCount,
    thoughts_token_count: counts.thoughtsTokenCount,
    cached_content_token_count: counts.cachedContentTokenCount,
    total_token_count: counts.totalTokenCount,
  })
}

/** Requests of a sub-agent are numbered within it: `<session>#<sub-agent>#<number>`. The CLI's own helpers count for the main thread. */
function subagentOf(event: JsonRecord): string | undefined {
  if (textOf(event.subagent_name) === undefined || String(event.subagent_name).startsWith('managed-')) return undefined
  return idOf(/^[0-9a-f-]{36}#([^#]+)#\d+$/i.exec(textOf(event.prompt_id)?.slice(0, 400) ?? '')?.[1])
}
