import type { Answers, Inputs } from '#api/contract/operations/index'
import { beginOfNext, beginOfPeriod, STEP_MS } from '#domain/cost/periods'
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
  /** What the period at the same place came to in the time before; `null` = not known. */
  before: number | null
}

/** Periods of the chart at most: more bars than pixels say nothing. */
const MOST_BARS = 1_600

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
  const until = input.until === undefined ? now : Date.parse(input.until)
  const first = costs.periods[0]
  const since = before === null && first !== undefined ? Date.parse(first.begin) : Date.parse(input.since)
  const byBegin = partsOf(costs, measure)
  const earlier =
    before === null
      ? null
      : beginsOf(before.input, Date.parse(before.input.since), Date.parse(input.since)).map((begin) =>
          sumOf(partsOf(before.costs, measure).get(begin) ?? []),
        )
  const begins = beginsOf(input, since, until)
  const days = new ZoneDays(readTimeZone(input.timeZone) ?? UTC)
  return begins.map((begin, at) => {
    const parts = byBegin.get(begin) ?? []
    const end = begins[at + 1] ?? beginOfNext(input.step, begin, days)
    return { begin, end, parts, amount: sumOf(parts), before: earlier === null ? null : (earlier[at] ?? 0) }
  })
}

/** The request for as many periods before those of a request. */
export function beforeInput(input: Inputs['costsOverTime'], now: number): Inputs['costsOverTime'] {
  const { step, since, until, timeZone } = input
  const begins = beginsOf(input, Date.parse(since), until === undefined ? now : Date.parse(until))
  const [first = Date.parse(since)] = begins
  // Half a period more than it is lies within the right one wherever clocks were put forward or back.
  const within = first - (begins.length - 0.5) * STEP_MS[step]
  const begin = beginOfPeriod(step, within, new ZoneDays(readTimeZone(timeZone) ?? UTC))
  return { ...input, since: new Date(begin).toISOString(), until: new Date(first).toISOString() }
}

function beginsOf({ step, timeZone }: Inputs['costsOverTime'], since: number, until: number): number[] {
  const days = new ZoneDays(readTimeZone(timeZone) ?? UTC)
  const begins: number[] = []
  for (
    let begin = beginOfPeriod(step, since, days);
    begin < until && begins.length < MOST_BARS;
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
