import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Plus, TriangleAlert } from 'lucide-react'
import { useMemo, useState } from 'react'
import { ownTimeZone } from '#domain/cost/zone-days'
import { NothingRecorded, useNewestSession } from '../components/nothing-recorded'
import { PageHead } from '../components/page-head'
import { Button } from '../components/ui/button'
import { Empty, Loading } from '../components/ui/empty'
import { ErrorCard } from '../components/ui/error-card'
import { Money } from '../components/ui/money'
import { When } from '../components/ui/when'
import { Budgets } from '../features/costs/budgets'
import { CostFilters } from '../features/costs/cost-filters'
import { CostTable } from '../features/costs/cost-table'
import type { Costs } from '../features/costs/cost-words'
import { type CostsSearch, costsInput, costsPath, parseCostsSearch, spanOf } from '../features/costs/costs-page'
import { client } from '../lib/api'
import { counted, shortCount, tokensInWords } from '../lib/format'
import { useGo } from '../lib/links'
import type { Search } from '../lib/search'
import { visibleText } from '../lib/visible-text'

/** What models cost: by project, day, model, type of sub-agent, session or task. */
export function CostsPage() {
  const words: Search = useSearch({ strict: false })
  const search = useMemo(() => parseCostsSearch(words), [words])
  const go = useGo()
  const [isAdding, setAdding] = useState(false)
  const closeForm = () => setAdding(false)
  const { data, error, refetch } = useQuery({
    queryKey: ['costs', search],
    queryFn: ({ signal }) => client.costs(costsInput(search, Date.now(), ownTimeZone()), { signal }),
    placeholderData: (previous) => previous,
  })
  return (
    <>
      <PageHead
        title="Costs"
        {...(data !== undefined && { below: <Totals costs={data} /> })}
        actions={
          <Button
            act="budgets.put"
            icon={<Plus aria-hidden size={13} />}
            aria-expanded={isAdding}
            onClick={() => setAdding(true)}
          >
            Add a budget
          </Button>
        }
      />
      <Budgets isAdding={isAdding} onAdded={closeForm} />
      <CostFilters search={search} onChange={(next) => go(costsPath(next), { replace: true })} />
      {error === null ? null : <ErrorCard error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null ? <Loading what="Calculating costs" /> : null}
      {data === undefined ? null : data.rows.length === 0 && search.from === undefined ? (
        <NoCosts search={search} />
      ) : (
        <>
          <Unpriced models={data.unpriced} />
          <Estimated models={data.estimated} />
          <Stated models={data.stated} />
          <Unknown agents={data.unknownAgents} />
          <CostTable costs={data} search={search} />
          {data.isCut ? (
            <p className="border-t border-line px-4 py-1.5 text-xs text-ink-3">
              Showing the first {data.rows.length} rows. The total includes all of them.
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
      <b className="text-sm font-semibold text-ink">
        <Money cost={total} />
      </b>
      <span title={tokensInWords(total.usage)}>{tokensInWords(total.usage, shortCount)}</span>
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
        No price is known for {models.map(visibleText).join(', ')}. Tokens are counted, but no sum in dollars includes
        them.
      </span>
    </p>
  )
}

function Estimated({ models }: { models: readonly string[] }) {
  if (models.length === 0) return null
  return (
    <p className="shrink-0 border-b border-line px-4 py-1.5 text-xs text-ink-3">
      Costs of {models.map(visibleText).join(', ')} are estimates: no list price is known, so the price of the nearest
      version is used.
    </p>
  )
}

function Stated({ models }: { models: readonly string[] }) {
  if (models.length === 0) return null
  return (
    <p className="shrink-0 border-b border-line px-4 py-1.5 text-xs text-ink-3">
      Costs of {models.map(visibleText).join(', ')} are those that the agent CLI states: no list price is known.
    </p>
  )
}

function Unknown({ agents }: { agents: number }) {
  if (agents === 0) return null
  return (
    <p className="shrink-0 border-b border-line px-4 py-1.5 text-xs text-ink-3">
      All sums exclude {counted(agents, 'sub-agent')} with unknown usage: their lines are not recorded.
    </p>
  )
}

function NoCosts({ search }: { search: CostsSearch }) {
  const newest = useNewestSession(true)
  if (newest === undefined) return null
  if (newest === null) return <NothingRecorded />
  return (
    <Empty title={spanOf(search) === 'all' ? 'No costs match these filters.' : 'No costs in this time.'}>
      <p>
        Choose a longer time, or remove a filter. The last session was active <When at={newest.lastEventAt} />.
      </p>
    </Empty>
  )
}
