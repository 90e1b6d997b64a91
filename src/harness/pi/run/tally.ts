import type { Usage } from '../../../domain/cost/usage'
import { addUsage, NO_USAGE } from '../../../domain/cost/usage'
import type { RunResult } from '../../../domain/harness/harness-run'
import type { RunBound } from '../../../domain/harness/run-bounds'
import { countOf, type JsonRecord, recordOf, textOf } from '../../json-lines/json-value'
import { clip } from '../../json-lines/text'
import { endOf } from '../messages'
import { wordsOf } from '../parts'

/** A run's usage so far, by the answers of its model. */
export class Tally {
  turns = 0
  /** By the prices that the CLI knows; `null` = it knows none. */
  costUsd: number | null = null
  /** A limit of the task that was reached. */
  bound: RunBound | null = null
  /** Why the last answer failed. */
  error: string | null = null
  /** The last answer calls tools. */
  goesOn = false
  #isStopped = false
  #usage: Usage = NO_USAGE
  #text: string | null = null

  add(message: JsonRecord): void {
    this.turns++
    this.#count(recordOf(message.usage) ?? {})
    const end = endOf(message)
    this.goesOn = end === undefined
    this.#isStopped = end === 'stopped'
    this.error = end === 'failed' ? clip(textOf(message.errorMessage) ?? 'The model failed.', 4_000) : null
    const parts = Array.isArray(message.content) ? message.content : []
    const text = wordsOf(parts.filter((part) => recordOf(part)?.type === 'text'))
    if (text !== '') this.#text = text
  }

  /** Something failed before the model was asked. */
  fail(error: string): void {
    this.error = error
    this.goesOn = false
  }

  result(sessionId: string | null): RunResult {
    const isError = this.error !== null || this.#isStopped || this.bound !== null
    return {
      subtype: this.bound ?? (isError ? 'error' : 'success'),
      isError,
      text: isError ? null : this.#text,
      errors: this.error === null ? [] : [this.error],
      numTurns: this.turns,
      costUsd: this.costUsd,
      usage: this.turns === 0 ? null : this.#usage,
      terminalReason: this.#isStopped ? 'aborted' : null,
      sessionId,
    }
  }

  #count(usage: JsonRecord): void {
    const total = recordOf(usage.cost)?.total
    if (typeof total === 'number' && total > 0 && Number.isFinite(total)) this.costUsd = (this.costUsd ?? 0) + total
    this.#usage = addUsage(this.#usage, {
      inputTokens: countOf(usage.input),
      outputTokens: countOf(usage.output),
      cacheReadTokens: countOf(usage.cacheRead),
      cacheCreationTokens: countOf(usage.cacheWrite),
    })
  }
}
