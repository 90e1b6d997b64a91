import { useSearch } from '@tanstack/react-router'
import { CheckCheck } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { MAX_NEEDS } from '../../../src/api/contract/overview-routes'
import { FinishedList } from '../components/home/finished-list'
import { NothingRuns } from '../components/home/first-steps'
import { NeedRow, pathOf } from '../components/home/need-row'
import { NotifyToggle } from '../components/home/notify-toggle'
import { RunningList } from '../components/home/running-list'
import { OpenRequest } from '../components/inbox/open-request'
import { Link } from '../components/link'
import { PageHead } from '../components/page-head'
import { Button } from '../components/ui/button'
import { Empty, Loading } from '../components/ui/empty'
import { ErrorCard } from '../components/ui/error-card'
import { Panel } from '../components/ui/panel'
import { When } from '../components/ui/when'
import { homePath, parseHomeSearch } from '../lib/home-search'
import { useRestWhenReplaced } from '../lib/key-rest'
import { useGo } from '../lib/links'
import { useListCursor } from '../lib/list-cursor'
import { FIRST_ROWS, type Need, needCount, type Overview, setLastSeen, useLastSeen, useOverview } from '../lib/needs'
import { treePath } from '../lib/tree-search'

/** What needs the person, what runs, and what finished since they last looked. */
export function HomePage() {
  const since = useLastSeen()
  const [limit, setLimit] = useState(FIRST_ROWS)
  const { data, error, refetch } = useOverview(since, limit)
  const waiting = needCount(data)
  const seen = () => setLastSeen(data?.now ?? new Date().toISOString())
  return (
    <>
      <PageHead title={waiting > 0 ? `(${waiting}) Home` : 'Home'} name="Home" actions={<NotifyToggle />} />
      <div className="scrolls min-h-0 flex-1">
        <div className="mx-auto flex max-w-5xl flex-col gap-3 p-3 md:p-4">
          {error !== null && data === undefined ? <ErrorCard error={error} onRetry={() => void refetch()} /> : null}
          {data === undefined ? (
            error === null ? (
              <Loading what="Looking at what runs" />
            ) : null
          ) : (
            <Lists
              data={data}
              waiting={waiting}
              since={since}
              onSeen={seen}
              onMore={limit < MAX_NEEDS ? () => setLimit(MAX_NEEDS) : null}
            />
          )}
        </div>
      </div>
      <OpenRequest />
    </>
  )
}

interface ListsProps {
  data: Overview
  waiting: number
  since: string
  onSeen(): void
  /** Loads more of each list; `null` = no more are given. */
  onMore: (() => void) | null
}

function Lists({ data, waiting, since, onSeen, onMore }: ListsProps) {
  const asking = new Set(
    data.needs.flatMap(({ kind, taskId, sessionId }) =>
      kind === 'question' || kind === 'waiting' ? [taskId ?? sessionId ?? ''] : [],
    ),
  )
  return (
    <>
      <Panel title="Needs you" id="needs" count={waiting}>
        {data.needs.length === 0 ? (
          <Empty title="Nothing needs you.">
            <p>
              Questions of runs, failures, agents that are stuck or lost, tasks that nobody takes and results that
              nobody read appear here.
            </p>
          </Empty>
        ) : (
          <>
            <Needs needs={data.needs} />
            <More count={waiting - data.needs.length} onMore={onMore} to={treePath({ status: 'needs' })} />
          </>
        )}
      </Panel>
      <Panel title="Running" id="running" count={data.counts.running}>
        {data.running.length === 0 ? (
          <NothingRuns isQuiet={waiting === 0 && data.counts.finished === 0} />
        ) : (
          <RunningList rows={data.running} asking={asking} />
        )}
        <More count={data.counts.running - data.running.length} onMore={onMore} to={treePath({ status: 'running' })} />
      </Panel>
      <Panel
        title="Finished since you last looked"
        id="finished"
        count={data.counts.finished}
        aside={
          data.finished.length === 0 ? null : (
            <Button look="quiet" icon={<CheckCheck aria-hidden size={13} />} onClick={onSeen}>
              Seen
            </Button>
          )
        }
      >
        {data.finished.length === 0 ? (
          <p className="px-4 py-4 text-sm text-ink-3">
            Nothing since <When at={since} />.
          </p>
        ) : (
          <FinishedList rows={data.finished} />
        )}
        <More count={data.counts.finished - data.finished.length} onMore={onMore} to={treePath({ status: 'done' })} />
      </Panel>
    </>
  )
}

/** What the list leaves out: loaded in place, and where even that is not all, in the tree. */
function More({ count, onMore, to }: { count: number; onMore: (() => void) | null; to: string }) {
  if (count <= 0) return null
  const words = `${count.toLocaleString('en')} more`
  return (
    <p className="border-t border-line px-4 py-2 text-xs text-ink-3">
      {onMore === null ? (
        <>
          and {words}: <Link to={to}>see the tree</Link>
        </>
      ) : (
        <Button look="quiet" onClick={onMore}>
          Show {words}
        </Button>
      )}
    </p>
  )
}

/** The list that keys move over; which one is current stands in the address, so that `.` and a notification can name it. */
function Needs({ needs }: { needs: readonly Need[] }) {
  const search = parseHomeSearch(useSearch({ strict: false }))
  const go = useGo()
  const named = needs.findIndex(({ id }) => id === search.need)
  // Where the one that was named is dealt with, the next takes its place.
  const was = useRef(0)
  if (named >= 0) was.current = named
  const point = (at: number) => {
    const need = needs[at]
    if (need !== undefined && need.id !== search.need) go(homePath({ need: need.id }), { replace: true })
  }
  const cursor = useListCursor({
    count: needs.length,
    at: was.current,
    onMove: point,
    group: 'What needs you',
    onOpen: (at) => {
      const need = needs[at]
      if (need !== undefined) go(pathOf(need))
    },
  })
  useRestWhenReplaced(needs[cursor.at]?.id, named >= 0)
  // Who was led here by `.`, a notification or an address is at its row.
  const isNamed = named >= 0
  const { row } = cursor
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each need that is named
  useEffect(() => {
    const element = row.current
    if (!isNamed || element === null || element.contains(document.activeElement)) return
    element.focus({ preventScroll: true })
    element.scrollIntoView({ block: 'nearest' })
  }, [search.need, isNamed])
  return (
    <ul>
      {needs.map((need, at) => (
        <NeedRow
          key={need.id}
          need={need}
          isCurrent={at === cursor.at}
          row={at === cursor.at ? cursor.row : null}
          onFocus={() => cursor.set(at)}
        />
      ))}
    </ul>
  )
}
