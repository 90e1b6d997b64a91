import type { Usage } from '../../../domain/cost/usage'
import { addUsage, NO_USAGE } from '../../../domain/cost/usage'
import type { RunResult } from '../../../domain/harness/harness-run'
import { TASK_LIMITS } from '../../../domain/task/task-limits'
import type { JsonRecord } from '../../json-lines/json-value'
import { countOf, idOf, isRecord, listOf, recordOf, textOf } from '../../json-lines/json-value'
import { clip } from '../../json-lines/text'

/** What the process spent so far: its own, not what the conversation had cost before it. */
interface Spent {
  costUsd: number | null
  usage: Usage | null
}

/**
 * Reads the `result` lines of one run.
 *
 * `total_cost_usd` and `modelUsage` are totals that include sub-agents; newer releases go on counting from what the resumed
 * conversation had cost, and tell beside it what each result adds: these are summed.
 */
export class Results {
  private added: Spent | null = null

  read(record: JsonRecord): RunResult {
    const subtype = clip(textOf(record.subtype) ?? '', 100)
    const numTurns = record.num_turns
    return {
      subtype,
      // `subtype: success` proves nothing.
      isError: record.is_error === true || subtype.startsWith('error'),
      text: typeof record.result === 'string' ? clip(record.result, TASK_LIMITS.output) : null,
      errors: listOf(record.errors)
        .slice(0, 20)
        .flatMap((error) => (typeof error === 'string' ? [clip(error, 2_000)] : [])),
      numTurns: typeof numTurns === 'number' && numTurns >= 0 ? countOf(numTurns) : null,
      ...this.spent(record),
      terminalReason: idOf(record.terminal_reason) ?? null,
      sessionId: idOf(record.session_id) ?? null,
    }
  }

  private spent(record: JsonRecord): Spent {
    const since = recordOf(record.model_usage_since_last_result)
    if (since) {
      const more = usageOf(since)
      this.added = {
        costUsd: (this.added?.costUsd ?? 0) + costOf(since),
        usage: addUsage(this.added?.usage ?? NO_USAGE, more ?? NO_USAGE),
      }
      return this.added
    }
    const cost = record.total_cost_usd
    const models = recordOf(record.modelUsage)
    return {
      costUsd: typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : null,
      usage: (models && usageOf(models)) ?? null,
    }
  }
}

/** The sum over all models; `null` when there is none. */
function usageOf(models: JsonRecord): Usage | null {
  const records = Object.values(models).filter(isRecord)
  if (records.length === 0) return null
  return records.reduce<Usage>(
    (sum, model) =>
      addUsage(sum, {
        inputTokens: countOf(model.inputTokens),
        outputTokens: countOf(model.outputTokens),
        cacheReadTokens: countOf(model.cacheReadInputTokens),
        cacheCreationTokens: countOf(model.cacheCreationInputTokens),
      }),
    NO_USAGE,
  )
}

function costOf(models: JsonRecord): number {
  let sum = 0
  for (const model of Object.values(models)) {
    const cost = recordOf(model)?.costUSD
    if (typeof cost === 'number' && Number.isFinite(cost) && cost > 0) sum += cost
  }
  return sum
}
