import { expect, test } from 'bun:test'
import { costsAsCsv } from '#domain/cost/cost-csv'
import { readTimeZone, UTC } from '#domain/cost/zone-days'
import { beforeInput, type CostsOverTime, chartPeriods } from './chart-periods'

const NOW = Date.parse('2026-11-22T12:30:00Z')
const BERLIN = readTimeZone('Europe/Berlin') ?? UTC
const costs = (parts: Record<string, number>): CostsOverTime => ({
  stacks: [{ key: 'a', label: 'a', costUsd: 1, isEstimate: false, tokens: 10 }],
  periods: Object.entries(parts).map(([begin, costUsd]) => ({ begin, parts: [{ stack: 0, costUsd, tokens: 7 }] })),
  made: null,
})
const input = (step: 'hour' | 'day' | 'week', since: string, until?: string, timeZone = UTC) => ({
  ...{ step, since, timeZone, stack: 'model' as const },
  ...(until !== undefined && { until }),
})
const begins = (periods: { begin: number }[]) => periods.map(({ begin }) => new Date(begin).toISOString().slice(0, 13))

test('a chosen time is drawn whole, though nothing was on its first and last day, also where clocks change', () => {
  const week = input('day', '2026-10-23T22:00:00.000Z', '2026-10-26T23:00:00.000Z', BERLIN)
  const periods = chartPeriods(costs({ '2026-10-24T22:00:00.000Z': 2 }), null, week, NOW, 'cost')
  // For all time it begins where costs do.
  expect(begins(periods)).toEqual(['2026-10-24T22', '2026-10-25T23'])
  expect(periods.map(({ amount, end }) => [amount, new Date(end).toISOString().slice(0, 13)])).toEqual([
    [2, '2026-10-25T23'],
    [0, '2026-10-26T23'],
  ])
  const earlier = beforeInput(week, NOW)
  const compared = chartPeriods(costs({}), { costs: costs({}), input: earlier }, week, NOW, 'cost')
  expect(begins(compared)).toEqual(['2026-10-23T22', '2026-10-24T22', '2026-10-25T23'])
})

test('the time before has as many periods, each compared with the one at its place', () => {
  for (const [step, since, before] of [
    ['hour', '2026-11-21T12:30:00.000Z', '2026-11-20T11'],
    ['day', '2026-11-16T00:00:00.000Z', '2026-11-09T00'],
    ['week', '2026-10-26T00:00:00.000Z', '2026-09-28T00'],
  ] as const) {
    const asked = input(step, since)
    const earlier = beforeInput(asked, NOW)
    expect(earlier.since.slice(0, 13)).toBe(before)
    const first = earlier.since
    const periods = chartPeriods(costs({}), { costs: costs({ [first]: 3 }), input: earlier }, asked, NOW, 'cost')
    expect(periods.map((one) => one.before)).toEqual([3, ...periods.slice(1).map(() => 0)])
    expect(
      chartPeriods(costs({}), { costs: costs({ [first]: 3 }), input: earlier }, asked, NOW, 'tokens')[0]?.before,
    ).toBe(7)
  }
})

test('a table of the numbers quotes what it must, and no name becomes a formula', () => {
  const found = costs({ '2026-11-22T00:00:00.000Z': 1.5 })
  const named = { ...found, stacks: [{ ...found.stacks[0], label: '=HYPERLINK("x", 1)' }] } as CostsOverTime
  expect(costsAsCsv(named)).toEqual([
    'begin,of,usd,tokens\r\n',
    '2026-11-22T00:00:00.000Z,"\'=HYPERLINK(""x"", 1)",1.5,7\r\n',
  ])
})
