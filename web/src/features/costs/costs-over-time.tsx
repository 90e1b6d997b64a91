import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useMemo } from 'react'
import type { Inputs } from '#api/contract/operations/index'
import { COST_STACKS, type CostStack } from '#domain/cost/cost'
import { costsAsCsv } from '#domain/cost/cost-csv'
import { ownTimeZone } from '#domain/cost/zone-days'
import { Button } from '../../components/ui/button'
import { ErrorCard } from '../../components/ui/error-card'
import { client } from '../../lib/api'
import { counted } from '../../lib/format'
import { useGo } from '../../lib/links'
import { saveFile } from '../../lib/save-file'
import { Choices } from '../task/form/choices'
import { beforeInput, type CostsOverTime, chartPeriods } from './chart-periods'
import { CostChart } from './cost-chart'
import { CostLegend } from './cost-legend'
import { amountInWords, type Costs, GROUP_WORDS, type Measure, percent } from './cost-words'
import { type CostsSearch, chartInput, costsPath, hasBegin } from './costs-page'

const STACKS: readonly (readonly [CostStack, string])[] = COST_STACKS.map((name) => [name, GROUP_WORDS[name]])

/** Costs by hour, day or week, over the time before. A part that is brushed narrows the rows below to its sessions. */
export function CostsOverTimeView({ search, costs }: { search: CostsSearch; costs: Costs }) {
  const go = useGo()
  const { now, input, steps, before } = useMemo(() => {
    const at = Date.now()
    const chart = chartInput(search, at, ownTimeZone())
    return { now: at, ...chart, before: hasBegin(search) ? beforeInput(chart.input, at) : null }
  }, [search])
  const chart = useOverTime(input)
  const earlier = useOverTime(before)
  // By the chart's own time: the rows may be of a part of it.
  const measure: Measure = chart.data?.stacks.some(({ costUsd }) => (costUsd ?? 0) > 0) === false ? 'tokens' : 'cost'
  // What was answered later than the page came may have newer periods.
  const latest = Math.max(now, chart.dataUpdatedAt)
  const periods = useMemo(
    () =>
      chart.data === undefined
        ? []
        : chartPeriods(
            chart.data,
            before === null || earlier.data === undefined ? null : { costs: earlier.data, input: before },
            input,
            latest,
            measure,
          ),
    [chart.data, earlier.data, before, input, latest, measure],
  )
  if (chart.error !== null) return <ErrorCard error={chart.error} onRetry={() => void chart.refetch()} />
  if (chart.data === undefined) return null
  const { data } = chart
  const { stacks, made } = data
  const { from, to } = search
  return (
    <figure aria-label="Costs over time" className="border-b border-line px-4 py-2.5 max-md:px-3">
      <figcaption className="flex flex-wrap items-center gap-2 pb-2">
        <span aria-hidden className="text-xs text-ink-3">
          Split by
        </span>
        <Choices
          label="Split by"
          choices={STACKS}
          chosen={search.stack ?? 'model'}
          onChoose={(stack) => go(costsPath({ ...search, ...(stack !== undefined && { stack }) }), { replace: true })}
        />
        <Choices
          label="Periods"
          choices={steps.map((step) => [step, step] as const)}
          chosen={input.step}
          onChoose={(step) => go(costsPath({ ...search, ...(step !== undefined && { step }) }), { replace: true })}
        />
        <Button
          look="quiet"
          className="ml-auto"
          icon={<Download aria-hidden size={13} />}
          onClick={() => saveFile('costs.csv', costsAsCsv(data), 'text/csv')}
        >
          CSV
        </Button>
      </figcaption>
      <CostChart
        periods={periods}
        stacks={stacks}
        step={input.step}
        measure={measure}
        brushed={from === undefined || to === undefined ? null : { from: Date.parse(from), to: Date.parse(to) }}
        onBrush={(part) =>
          go(
            costsPath({
              ...search,
              by: 'session',
              from: new Date(part.from).toISOString(),
              to: new Date(part.to).toISOString(),
            }),
          )
        }
      />
      <CostLegend stacks={stacks} measure={measure} search={search} />
      <Rates made={made} costs={costs} isWhole={from === undefined} />
    </figure>
  )
}

const useOverTime = (input: Inputs['costsOverTime'] | null) =>
  useQuery({
    queryKey: ['costs', 'over-time', input && { ...input, since: input.since.slice(0, 16) }],
    queryFn: ({ signal }) => client.costsOverTime(input ?? { step: 'day', stack: 'model', since: '' }, { signal }),
    enabled: input !== null,
    placeholderData: (previous) => previous,
  })

interface RatesProps {
  made: CostsOverTime['made']
  costs: Costs
  /** Whether the totals are those of the chart's time. */
  isWhole: boolean
}

/** What one task, one pull request and one that was merged cost, and how much of what was read came from the cache. */
function Rates({ made, costs: { total }, isWhole }: RatesProps) {
  const { inputTokens, cacheReadTokens, cacheCreationTokens } = total.usage
  const read = inputTokens + cacheReadTokens + cacheCreationTokens
  const usd = (amount: number) => amountInWords(amount, 'cost')
  const perEach = (count: number) =>
    isWhole && total.costUsd !== null ? `, ${usd(total.costUsd / count)} for each of all costs` : ''
  const words = [
    read === 0 ? null : `${percent(cacheReadTokens / read)} of the input came from the cache`,
    made === null || made.completedTasks === 0
      ? null
      : `${counted(made.completedTasks, 'completed task')}${made.taskCostUsd === null ? '' : `, ${usd(made.taskCostUsd / made.completedTasks)} each`}`,
    made === null || made.pullRequests === 0
      ? null
      : `${counted(made.pullRequests, 'pull request')}${perEach(made.pullRequests)}`,
    made === null || made.mergedRequests === 0 ? null : `${made.mergedRequests} merged${perEach(made.mergedRequests)}`,
    made === null || made.commits === 0 ? null : counted(made.commits, 'commit'),
  ].filter((one) => one !== null)
  return words.length === 0 ? null : <p className="pt-1.5 text-xs text-ink-3">{words.join(' · ')}</p>
}
