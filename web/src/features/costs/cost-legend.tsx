import { Link } from '../../components/link'
import { visibleText } from '../../lib/visible-text'
import { sessionsPath } from '../sessions/sessions-search'
import type { CostsOverTime } from './chart-periods'
import { amountInWords, type Measure, percent } from './cost-words'
import { type CostsSearch, costsPath } from './costs-page'

/** Colours of the stacks in the chart, the dearest first. The last is that of all others. */
export const STACK_FILLS = [
  'fill-accent',
  'fill-need',
  'fill-run',
  'fill-lost',
  'fill-done',
  'fill-wait',
  'fill-fail',
  'fill-line-strong',
]

interface CostLegendProps {
  stacks: CostsOverTime['stacks']
  measure: Measure
  search: CostsSearch
}

/** What the colours of the chart are, with the share of each. An entry narrows the page to it; a person's leads to that person's sessions. */
export function CostLegend({ stacks, measure, search }: CostLegendProps) {
  const amounts = stacks.map(({ costUsd, tokens }) => (measure === 'cost' ? (costUsd ?? 0) : tokens))
  const sum = amounts.reduce((all, amount) => all + amount, 0)
  const { stack = 'model' } = search
  return (
    <ul aria-label="Legend" className="flex flex-wrap gap-x-4 gap-y-1 pt-1.5 text-xs text-ink-2">
      {stacks.map(({ key, label, costUsd }, at) => (
        <li key={key ?? ' others'} className="flex min-w-0 items-center gap-1.5">
          <svg aria-hidden className={`size-2.5 shrink-0 ${STACK_FILLS[at]}`}>
            <rect width="100%" height="100%" rx={2} />
          </svg>
          {key === null || key === '' || stack === 'subagent' ? (
            <span className="truncate">{visibleText(label)}</span>
          ) : (
            <Link
              to={stack === 'person' ? sessionsPath({ person: key }) : costsPath({ ...search, [stack]: key })}
              className="max-w-64 truncate"
            >
              {visibleText(label)}
            </Link>
          )}
          <span className="text-ink-3">
            {measure === 'cost' && costUsd === null ? 'no price' : amountInWords(amounts[at] ?? 0, measure)}
            {sum === 0 || (measure === 'cost' && costUsd === null) ? '' : `, ${percent((amounts[at] ?? 0) / sum)}`}
          </span>
        </li>
      ))}
    </ul>
  )
}
