import type { Answers } from '#api/contract/operations/index'
import type { CostStack } from '#domain/cost/cost'
import type { CostStep } from '#domain/cost/periods'
import type { CostGroup } from '#domain/overview/tree-entry'
import { dollars, dollarsInWords, shortCount, tokensOf } from '../../lib/format'
import type { RecordedCost } from '../task/task-costs'

export type Costs = Answers['costs']
export type CostRow = Costs['rows'][number]
type Sums = Costs['total']

/** Names of groupings. */
export const GROUP_WORDS: Readonly<Record<CostGroup | CostStack, string>> = {
  project: 'project',
  day: 'day',
  model: 'model',
  agent: 'agent',
  subagent: 'sub-agent',
  session: 'session',
  task: 'task',
  person: 'person',
}

/** What rows are compared by: dollars, or tokens if no model has a price. */
export type Measure = 'cost' | 'tokens'

/** The measure for rows with this total. */
export const measureOf = (total: Sums): Measure => ((total.costUsd ?? 0) > 0 ? 'cost' : 'tokens')

/** The amount by a measure: US dollars or tokens. */
export const amountOf = (sums: Sums, measure: Measure): number =>
  measure === 'cost' ? (sums.costUsd ?? 0) : tokensOf(sums.usage)

/** Formats an amount with its unit. */
export const amountInWords = (amount: number, measure: Measure): string =>
  measure === 'cost' ? dollars(amount, false) : `${shortCount(amount)} tokens`

/** The share of the total, from 0 to 1. */
export function shareOf(sums: Sums, total: Sums, measure: Measure): number {
  const whole = amountOf(total, measure)
  return whole <= 0 ? 0 : Math.min(1, amountOf(sums, measure) / whole)
}

/** Formats a share: `34%`, `<1%`. @param share  from 0 to 1 */
export function percent(share: number): string {
  if (share > 0 && share < 0.01) return '<1%'
  return `${Math.round(share * 100)}%`
}

/** Recorded and reported costs that differ by no more than this count as equal. US dollars. */
const EQUAL_WITHIN_USD = 0.01

/**
 * What a task cost, with the source of each number; `null` if nothing is known.
 *
 * @param reported  US dollars that its runs reported. A killed run reports nothing, and requests that the CLI makes for itself are in no
 *   transcript, so it may differ from the recorded cost.
 */
export function taskCostInWords(recorded: RecordedCost | null, reported: number | null): string | null {
  const told =
    recorded === null
      ? null
      : `${dollarsInWords(recorded.costUsd, recorded.isEstimate)} from the recorded messages of its conversations`
  const isSame = recorded !== null && Math.abs((recorded.costUsd ?? Number.NaN) - (reported ?? 0)) <= EQUAL_WITHIN_USD
  const other = reported === null || isSame ? null : `${dollars(reported, false)} as reported by its runs`
  return [told, other].filter((part) => part !== null).join('; ') || null
}

const DATE = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

/** Formats a day (`YYYY-MM-DD`) in the person's locale. Other texts are returned unchanged. */
export function dayInWords(day: string): string {
  const at = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN
  return Number.isNaN(at) ? day : DATE.format(at)
}

const HOUR = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})
const LOCAL_DAY = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
})

/** Names a period by its beginning, in the person's locale and time zone. @param begin  milliseconds since the epoch */
export function periodInWords(begin: number, step: CostStep): string {
  if (step === 'hour') return HOUR.format(begin)
  return step === 'day' ? LOCAL_DAY.format(begin) : `week of ${LOCAL_DAY.format(begin)}`
}

/** Names a moment in the person's locale and time zone. @param at  ISO 8601 */
export const momentInWords = (at: string): string => HOUR.format(Date.parse(at))
