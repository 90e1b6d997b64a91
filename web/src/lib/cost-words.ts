import type { ResponseOf } from '../../../src/api/contract/responses'
import type { CostGroup } from '../../../src/domain/tree-entry'
import { dollars, shortCount, tokensOf } from './format'
import type { RecordedCost } from './task-costs'

export type Costs = ResponseOf<'costs'>
export type CostRow = Costs['rows'][number]
type Sums = Costs['total']

export const GROUP_WORDS: Readonly<Record<CostGroup, string>> = {
  project: 'project',
  day: 'day',
  model: 'model',
  subagent: 'sub-agent',
  session: 'session',
  task: 'task',
}

/** By what rows are compared: dollars, and tokens where no model has a price. */
export type Measure = 'cost' | 'tokens'

export const measureOf = (total: Sums): Measure => ((total.costUsd ?? 0) > 0 ? 'cost' : 'tokens')

export const amountOf = (sums: Sums, measure: Measure): number =>
  measure === 'cost' ? (sums.costUsd ?? 0) : tokensOf(sums.usage)

export const amountInWords = (amount: number, measure: Measure): string =>
  measure === 'cost' ? dollars(amount) : `${shortCount(amount)} tokens`

/** Part of the whole, from 0 to 1. */
export function shareOf(sums: Sums, total: Sums, measure: Measure): number {
  const whole = amountOf(total, measure)
  return whole <= 0 ? 0 : Math.min(1, amountOf(sums, measure) / whole)
}

/** `34 %`, `< 1 %`. */
export function percent(share: number): string {
  if (share > 0 && share < 0.01) return '< 1 %'
  return `${Math.round(share * 100)} %`
}

/** Dollars by which two ways of counting may differ without a word. */
const SAME_USD = 0.01

/**
 * What a task cost and who says so; `null` when nobody does.
 *
 * @param reported  US dollars that its runs reported: a killed run reports nothing, and what the CLI asks for itself stands in no transcript
 */
export function taskCostInWords(recorded: RecordedCost | null, reported: number | null): string | null {
  const told = recorded === null ? null : `${dollars(recorded.costUsd)} by the recorded messages of its conversations`
  const isSame = recorded !== null && Math.abs((recorded.costUsd ?? Number.NaN) - (reported ?? 0)) <= SAME_USD
  const other = reported === null || isSame ? null : `${dollars(reported)} as its runs reported it`
  return [told, other].filter((part) => part !== null).join('; ') || null
}

const DATE = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

/** A day as people write it; what is none stays as it is. */
export function dayInWords(day: string): string {
  const at = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN
  return Number.isNaN(at) ? day : DATE.format(at)
}
