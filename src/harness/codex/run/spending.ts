import { costOf } from '../../../domain/cost/price'
import { NO_USAGE, type Usage } from '../../../domain/cost/usage'
import type { RunResult } from '../../../domain/harness/harness-run'
import { type RunBound, type RunBounds, reachedBound } from '../../../domain/harness/run-bounds'
import { countOf, type JsonRecord, recordOf } from '../../json-lines/json-value'

/** Items for which the model is called again. */
const TOOLS: ReadonlySet<unknown> = new Set([
  'commandExecution',
  'fileChange',
  'mcpToolCall',
  'webSearch',
  'dynamicToolCall',
  'collabAgentToolCall',
])

/** What a run has used, and whether a bound of its task is met. The CLI's own sums go on over resumes: they are not taken. */
export class Spending {
  /** By which the cost is known; `null` = not said. */
  model: string | null = null
  readonly #bounds: RunBounds
  readonly #sums = new Map<string, number>()
  #usage: Usage = NO_USAGE
  #turns = 0
  #hasCalled = false

  constructor(bounds: RunBounds) {
    this.#bounds = bounds
  }

  /** An item of the main thread began. */
  see(item: JsonRecord): void {
    if (TOOLS.has(item.type)) this.#hasCalled = true
  }

  /**
   * One answer of the model, of whatever thread. The CLI repeats a sum that has not changed.
   *
   * @returns the bound that is met, where the model would be called again
   */
  count(thread: string, usage: unknown, isMain: boolean): RunBound | null {
    const sum = countOf(recordOf(recordOf(usage)?.total)?.totalTokens)
    if (sum === this.#sums.get(thread)) return null
    this.#sums.set(thread, sum)
    this.#usage = added(this.#usage, recordOf(recordOf(usage)?.last) ?? {})
    const goesOn = this.#hasCalled
    if (isMain) {
      this.#turns++
      this.#hasCalled = false
    }
    const bounds = goesOn && isMain ? this.#bounds : { ...this.#bounds, maxTurns: null }
    return reachedBound(bounds, { turns: this.#turns, costUsd: this.#costUsd() })
  }

  figures(): Pick<RunResult, 'numTurns' | 'costUsd' | 'usage'> {
    return { numTurns: this.#turns, costUsd: this.#costUsd(), usage: this.#usage }
  }

  /** `null` = the model has no known price. */
  #costUsd(): number | null {
    if (this.model === null) return null
    const { costUsd } = costOf({
      ...this.#usage,
      model: this.model,
      messageCount: this.#turns,
      cacheCreation1hTokens: 0,
      webSearchCount: 0,
      statedNanoUsd: 0,
    })
    return costUsd
  }
}

/** The CLI counts what was read from the cache, or written to it, as a part of the input. */
function added(sum: Usage, last: JsonRecord): Usage {
  const cacheReadTokens = countOf(last.cachedInputTokens)
  const cacheCreationTokens = countOf(last.cacheWriteInputTokens)
  const input = Math.max(0, countOf(last.inputTokens) - cacheReadTokens - cacheCreationTokens)
  return {
    inputTokens: sum.inputTokens + input,
    outputTokens: sum.outputTokens + countOf(last.outputTokens),
    cacheReadTokens: sum.cacheReadTokens + cacheReadTokens,
    cacheCreationTokens: sum.cacheCreationTokens + cacheCreationTokens,
  }
}
