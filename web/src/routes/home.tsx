import { useSearch } from '@tanstack/react-router'
import { CheckCheck } from 'lucide-react'
import { useMemo, useState } from 'react'
import { MAX_NEEDS } from '#api/contract/protocol'
import { AgentSelect } from '../components/agent-select'
import { lazyPart } from '../components/lazy-part'
import { Link } from '../components/link'
import { PageHead } from '../components/page-head'
import { Button } from '../components/ui/button'
import { Empty, Loading } from '../components/ui/empty'
import { ErrorCard } from '../components/ui/error-card'
import { When } from '../components/ui/when'
import { DigestView } from '../features/home/digest-view'
import { FinishedList } from '../features/home/finished-list'
import { NothingRuns } from '../features/home/first-steps'
import { type HomeTab, parseHomeSearch, withAgent } from '../features/home/home-search'
import { HomeTabs } from '../features/home/home-tabs'
import { coveredBy } from '../features/home/inbox/inbox-rows'
import { NeedList } from '../features/home/inbox/need-list'
import { FIRST_ROWS, needCount, type Overview, setLastSeen, useLastSeen, useOverview } from '../features/home/needs'
import { NotifyToggle } from '../features/home/notify-toggle'
import { RunningList } from '../features/home/running-list'
import { OpenRequest } from '../features/inbox/open-request'
import { treePath } from '../features/tree/tree-search'
import { useGo } from '../lib/links'
import { visibleText } from '../lib/visible-text'

/** A menu of a sixth of the page's script, which Home does not wait for. */
const HomeViews = lazyPart(async () => (await import('../features/home/home-views')).HomeViews)

/** What needs the person, what is running, and what finished since they last looked. */
export function HomePage() {
  const search = parseHomeSearch(useSearch({ strict: false }))
  const { tab = 'needs', agent } = search
  const go = useGo()
  const since = useLastSeen()
  const [limit, setLimit] = useState(FIRST_ROWS)
  const { data, error, refetch } = useOverview(since, limit, agent)
  const waiting = needCount(data)
  return (
    <>
      <PageHead
        title={waiting > 0 ? `(${waiting}) Home` : 'Home'}
        name="Home"
        actions={
          <>
            <AgentSelect value={agent} onChange={(chosen) => go(withAgent(search, chosen), { replace: true })} />
            <HomeViews search={search} />
            <NotifyToggle />
          </>
        }
      />
      <HomeTabs
        tab={tab}
        agent={agent}
        counts={
          data === undefined ? {} : { needs: waiting, running: data.counts.running, finished: data.counts.finished }
        }
      />
      {data === undefined ? (
        <div className="p-4">
          {error === null ? (
            <Loading what="Reading the overview" />
          ) : (
            <ErrorCard error={error} onRetry={() => void refetch()} />
          )}
        </div>
      ) : (
        <List
          tab={tab}
          data={data}
          waiting={waiting}
          since={since}
          agent={agent}
          onMore={limit < MAX_NEEDS ? () => setLimit(MAX_NEEDS) : null}
        />
      )}
      <OpenRequest />
    </>
  )
}

interface ListProps {
  tab: HomeTab
  data: Overview
  waiting: number
  since: string
  agent: string | undefined
  /** Loads more of each list; `null` if the server gives no more. */
  onMore: (() => void) | null
}

function List({ tab, data, waiting, since, agent, onMore }: ListProps) {
  if (tab === 'needs') return <Needs data={data} waiting={waiting} agent={agent} onMore={onMore} />
  return (
    <div className="scrolls min-h-0 flex-1">
      {tab === 'running' ? (
        <RunningTab data={data} waiting={waiting} agent={agent} onMore={onMore} />
      ) : tab === 'finished' ? (
        <FinishedTab data={data} since={since} agent={agent} onMore={onMore} />
      ) : (
        <DigestView since={since} agent={agent} />
      )}
    </div>
  )
}

function Needs({ data, waiting, agent, onMore }: Pick<ListProps, 'data' | 'waiting' | 'agent' | 'onMore'>) {
  const { needs, snoozed, counts, causes } = data
  const causeCounts = useMemo(() => new Map(causes.map(({ cause, count }) => [cause, count])), [causes])
  const isEmpty = needs.length === 0 && snoozed.length === 0
  return (
    // The details of the current row stand in its right half on a wide page: see `Peek`.
    <div className="relative min-h-0 flex-1 overflow-hidden">
      <section aria-label="Needs you" data-testid="needs" className={`scrolls h-full ${isEmpty ? '' : 'lg:w-1/2'}`}>
        {needs.length === 0 ? (
          <Empty title={agent === undefined ? 'Nothing needs you.' : `Nothing of ${visibleText(agent)} needs you.`}>
            <p>
              Questions from runs, failures, stuck or lost sessions, tasks that no worker takes, and unread results
              appear here.
            </p>
          </Empty>
        ) : null}
        {isEmpty ? null : <NeedList needs={needs} counts={causeCounts} snoozed={snoozed} />}
        <More
          count={waiting - coveredBy(needs, causeCounts)}
          onMore={onMore}
          to={treePath({ status: 'needs', ...(agent !== undefined && { agent }) })}
        />
        {counts.snoozed > snoozed.length ? (
          <p className="px-4 py-2 text-xs text-ink-3">{counts.snoozed - snoozed.length} more snoozed</p>
        ) : null}
        {isEmpty && agent === undefined && data.running.length === 0 && data.counts.finished === 0 ? (
          <NothingRuns isQuiet />
        ) : null}
      </section>
    </div>
  )
}

function RunningTab({ data, waiting, agent, onMore }: Pick<ListProps, 'data' | 'waiting' | 'agent' | 'onMore'>) {
  const asking = new Set(
    data.needs.flatMap(({ kind, taskId, sessionId }) =>
      kind === 'question' || kind === 'waiting' ? [taskId ?? sessionId ?? ''] : [],
    ),
  )
  return (
    <section aria-label="Running">
      {data.running.length === 0 && agent !== undefined ? (
        <Empty title={`Nothing of ${visibleText(agent)} runs.`} />
      ) : data.running.length === 0 ? (
        <NothingRuns isQuiet={waiting === 0 && data.counts.finished === 0} />
      ) : (
        <RunningList rows={data.running} asking={asking} />
      )}
      <More
        count={data.counts.running - data.running.length}
        onMore={onMore}
        to={treePath({ status: 'running', ...(agent !== undefined && { agent }) })}
      />
    </section>
  )
}

function FinishedTab({ data, since, agent, onMore }: Pick<ListProps, 'data' | 'since' | 'agent' | 'onMore'>) {
  return (
    <section aria-label="Finished since you last looked">
      <header className="flex min-h-10 items-center gap-2 border-b border-line px-3 text-xs text-ink-3">
        {data.finished.length === 0 ? (
          <p>
            Nothing has finished since you last looked (<When at={since} />
            ).
          </p>
        ) : (
          <>
            <p>
              Since you last looked (<When at={since} />)
            </p>
            <span className="ml-auto">
              <Button look="quiet" icon={<CheckCheck aria-hidden size={13} />} onClick={() => setLastSeen(data.now)}>
                Mark as seen
              </Button>
            </span>
          </>
        )}
      </header>
      {data.finished.length === 0 ? null : <FinishedList rows={data.finished} />}
      <More
        count={data.counts.finished - data.finished.length}
        onMore={onMore}
        to={treePath({ status: 'done', ...(agent !== undefined && { agent }) })}
      />
    </section>
  )
}

/** How many rows the list omits: a button that loads them, or a link to the tree if the server gives no more. */
function More({ count, onMore, to }: { count: number; onMore: (() => void) | null; to: string }) {
  if (count <= 0) return null
  const words = `${count.toLocaleString('en')} more`
  return (
    <p className="border-t border-line px-4 py-2 text-xs text-ink-3">
      {onMore === null ? (
        <>
          {words} in the <Link to={to}>tree</Link>
        </>
      ) : (
        <Button look="quiet" onClick={onMore}>
          Show {words}
        </Button>
      )}
    </p>
  )
}
