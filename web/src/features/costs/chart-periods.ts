import type { Answers, Inputs } from '#api/contract/operations/index'
import { beginOfNext, MOST_COST_PERIODS, periodBegins, STEP_MS } from '#domain/cost/periods'
import { readTimeZone, UTC, ZoneDays } from '#domain/cost/zone-days'
import type { Measure } from './cost-words'

export type CostsOverTime = Answers['costsOverTime']

/** A bar of the chart. Times in milliseconds since the epoch. */
export interface ChartPeriod {
  begin: number
  end: number
  /** The amount of each stack that has one, by its index. */
  parts: readonly { stack: number; amount: number }[]
  amount: number
  /** The total of the period at the same place in the time before; `null` = not known. */
  before: number | null
}

/**
 * All periods of the request, those without costs included; of all time, from the first that has costs.
 *
 * @param before  the costs of the time before
 * @param now     milliseconds since the epoch
 */
export function chartPeriods(
  costs: CostsOverTime,
  before: { costs: CostsOverTime; input: Inputs['costsOverTime'] } | null,
  input: Inputs['costsOverTime'],
  now: number,
  measure: Measure,
): ChartPeriod[] {
  const first = costs.periods[0]
  const begins = beginsOf(before === null && first !== undefined ? { ...input, since: first.begin } : input, now)
  const parts = partsOf(costs, measure)
  const earlier = before === null ? null : partsOf(before.costs, measure)
  const earlierBegins = before === null ? [] : beginsOf(before.input, now)
  const days = daysOf(input)
  return begins.map((begin, at) => {
    const own = parts.get(begin) ?? []
    const end = begins[at + 1] ?? beginOfNext(input.step, begin, days)
    const was = earlier === null ? null : sumOf(earlier.get(earlierBegins[at] ?? 0) ?? [])
    return { begin, end, parts: own, amount: sumOf(own), before: was }
  })
}

/** The request for as many periods before those of a request. */
export function beforeInput(input: Inputs['costsOverTime'], now: number): Inputs['costsOverTime'] {
  const { step, since } = input
  const begins = beginsOf(input, now)
  const [first = Date.parse(since)] = begins
  // Half a period more than it is lies within the right one wherever clocks were put forward or back.
  const begin = periodBegins(step, daysOf(input))(first - (begins.length - 0.5) * STEP_MS[step])
  return { ...input, since: new Date(begin).toISOString(), until: new Date(first).toISOString() }
}

const daysOf = ({ timeZone }: Inputs['costsOverTime']): ZoneDays => new ZoneDays(readTimeZone(timeZone) ?? UTC)

/** When each period of a request begins. One that begins and ends within a period has one more than its time holds. */
function beginsOf(input: Inputs['costsOverTime'], now: number): number[] {
  const { step, since, until } = input
  const days = daysOf(input)
  const end = until === undefined ? now : Date.parse(until)
  const begins: number[] = []
  for (
    let begin = periodBegins(step, days)(Date.parse(since));
    begin < end && begins.length <= MOST_COST_PERIODS;
    begin = beginOfNext(step, begin, days)
  )
    begins.push(begin)
  return begins
}

const partsOf = ({ periods }: CostsOverTime, measure: Measure): Map<number, ChartPeriod['parts']> =>
  new Map(
    periods.map(({ begin, parts }) => [
      Date.parse(begin),
      parts.map(({ stack, costUsd, tokens }) => ({ stack, amount: measure === 'cost' ? (costUsd ?? 0) : tokens })),
    ]),
  )

const sumOf = (parts: ChartPeriod['parts']): number => parts.reduce((sum, { amount }) => sum + amount, 0)
