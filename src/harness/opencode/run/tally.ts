import { addUsage, NO_USAGE, type Usage } from '../../../domain/cost/usage'
import type { RunResult } from '../../../domain/harness/harness-run'
import { countOf, type JsonRecord, recordOf } from '../../json-lines/json-value'
import { outputOf } from '../parts'

/** Steps that are reported twice are counted once: this many of the last ones are known. */
const KNOWN_STEPS = 1_000

/** A run's usage so far, sub-agents included, by the steps that the plugin reports. */
export class Tally {
  /** How often the main agent's model answered. */
  turns = 0
  /** By the prices in the CLI's settings; `null` = it knows none. */
  costUsd: number | null = null
  #usage: Usage | null = null
  readonly #steps = new Set<string>()

  /** @returns whether the step is new */
  add({ id, tokens, cost }: JsonRecord, isMain: boolean): boolean {
    const key = String(id)
    if (this.#steps.has(key)) return false
    this.#steps.add(key)
    if (this.#steps.size > KNOWN_STEPS) for (const first of [...this.#steps].slice(0, 1)) this.#steps.delete(first)
    if (isMain) this.turns++
    if (typeof cost === 'number' && cost > 0 && Number.isFinite(cost)) this.costUsd = (this.costUsd ?? 0) + cost
    const counts = recordOf(tokens) ?? {}
    const cache = recordOf(counts.cache)
    this.#usage = addUsage(this.#usage ?? NO_USAGE, {
      inputTokens: countOf(counts.input),
      outputTokens: outputOf(counts),
      cacheReadTokens: countOf(cache?.read),
      cacheCreationTokens: countOf(cache?.write),
    })
    return true
  }

  result(subtype: string, text: string | null, errors: string[], sessionId: string | null): RunResult {
    return {
      ...{ subtype, isError: subtype !== 'success', text, errors, numTurns: this.turns },
      ...{ costUsd: this.costUsd, usage: this.#usage, terminalReason: null, sessionId },
    }
  }
}
