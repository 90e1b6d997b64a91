import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { useMemo } from 'react'
import { ownTimeZone } from '../../../src/domain/zone-days'
import { CostFilters } from '../components/costs/cost-filters'
import { CostTable } from '../components/costs/cost-table'
import { PageHead } from '../components/page-head'
import { Empty, Loading } from '../components/ui/empty'
import { ErrorCard } from '../components/ui/error-card'
import { CommandLine } from '../components/ui/id-chip'
import { client } from '../lib/api'
import type { Costs } from '../lib/cost-words'
import { type CostsSearch, costsInput, costsPath, parseCostsSearch, spanOf } from '../lib/costs-page'
import { counted, dollars, tokensInWords } from '../lib/format'
import { useGo } from '../lib/links'
import type { Search } from '../lib/search'
import { visibleText } from '../lib/visible-text'

/** What models were paid for: by project, day, model, kind of sub-agent, session or task. */
export function CostsPage() {
  const words: Search = useSearch({ strict: false })
  const search = useMemo(() => parseCostsSearch(words), [words])
  const go = useGo()
  const { data, error, refetch } = useQuery({
    queryKey: ['costs', search],
    queryFn: ({ signal }) => client.costs(costsInput(search, Date.now(), ownTimeZone()), { signal }),
    placeholderData: (previous) => previous,
  })
  return (
    <>
      <PageHead title="Costs" {...(data !== undefined && { below: <Totals costs={data} /> })} />
      <CostFilters search={search} onChange={(next) => go(costsPath(next), { replace: true })} />
      {error === null ? null : <ErrorCard error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null ? <Loading what="Summing up" /> : null}
      {data === undefined ? null : data.rows.length === 0 ? (
        <NoCosts search={search} />
      ) : (
        <>
          <Unpriced models={data.unpriced} />
          <Estimated models={data.estimated} />
          <CostTable costs={data} search={search} />
          {data.isCut ? (
            <p className="border-t border-line px-4 py-1.5 text-xs text-ink-3">
              The first {data.rows.length} are shown; the total counts all.
            </p>
          ) : null}
        </>
      )}
    </>
  )
}

function Totals({ costs: { total } }: { costs: Costs }) {
  return (
    <>
      <b className="text-sm font-semibold text-ink">{dollars(total.costUsd)}</b>
      <span>{tokensInWords(total.usage)}</span>
      <span>{counted(total.messages, 'message')}</span>
    </>
  )
}

function Unpriced({ models }: { models: readonly string[] }) {
  if (models.length === 0) return null
  return (
    <p className="flex shrink-0 items-baseline gap-1.5 border-b border-line px-4 py-1.5 text-xs tint-need">
      <TriangleAlert aria-hidden size={13} className="shrink-0 self-center text-need" />
      <span>
        No price is known of {models.map(visibleText).join(', ')}. Its tokens are counted; what it costs is in no sum of
        dollars.
      </span>
    </p>
  )
}

function Estimated({ models }: { models: readonly string[] }) {
  if (models.length === 0) return null
  return (
    <p className="shrink-0 border-b border-line px-4 py-1.5 text-xs text-ink-3">
      Dollars hold an estimate for {models.map(visibleText).join(', ')}: no list price is known, so the nearest version
      of the family counts.
    </p>
  )
}

function NoCosts({ search }: { search: CostsSearch }) {
  const isNarrowed = Object.keys(search).some((name) => name !== 'by' && name !== 'since') || spanOf(search) !== 'all'
  if (isNarrowed)
    return (
      <Empty title="No model was called in this time.">
        <p>Look at all of the time, or take a filter away.</p>
      </Empty>
    )
  return (
    <Empty title="Nothing is recorded yet.">
      <p>What models cost is read from the conversations of agents. Those of before can be taken in:</p>
      <CommandLine command="lode import ~/.claude" />
    </Empty>
  )
}
