import { useSearch } from '@tanstack/react-router'
import { CheckCheck } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { MAX_NEEDS } from '#api/contract/protocol'
import { Link } from '../components/link'
import { PageHead } from '../components/page-head'
import { Button } from '../components/ui/button'
import { Empty, Loading } from '../components/ui/empty'
import { ErrorCard } from '../components/ui/error-card'
import { Panel } from '../components/ui/panel'
import { When } from '../components/ui/when'
import { FinishedList } from '../features/home/finished-list'
import { NothingRuns } from '../features/home/first-steps'
import { homePath, parseHomeSearch } from '../features/home/home-search'
import { NeedRow, pathOf } from '../features/home/need-row'
import {
  FIRST_ROWS,
  type Need,
  needCount,
  type Overview,
  setLastSeen,
  useLastSeen,
  useOverview,
} from '../features/home/needs'
import { NotifyToggle } from '../features/home/notify-toggle'
import { RunningList } from '../features/home/running-list'
import { OpenRequest } from '../features/inbox/open-request'
import { treePath } from '../features/tree/tree-search'
import { useRestWhenReplaced } from '../lib/keys/key-rest'
import { useListCursor } from '../lib/keys/list-cursor'
import { useGo } from '../lib/links'

/** What needs the person, what is running, and what finished since they last looked. */
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
              <Loading what="Reading the overview" />
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
  /** Loads more of each list; `null` if the server gives no more. */
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
              Questions from runs, failures, stuck or lost sessions, tasks that no worker takes, and unread results
              appear here.
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
              Mark as seen
            </Button>
          )
        }
      >
        {data.finished.length === 0 ? (
          <p className="px-4 py-4 text-sm text-ink-3">
            Nothing has finished since you last looked (<When at={since} />
            ).
          </p>
        ) : (
          <FinishedList rows={data.finished} />
        )}
        <More count={data.counts.finished - data.finished.length} onMore={onMore} to={treePath({ status: 'done' })} />
      </Panel>
    </>
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

/** The list of needs. The address names the current one, so that `.` and notifications can link to it. */
function Needs({ needs }: { needs: readonly Need[] }) {
  const search = parseHomeSearch(useSearch({ strict: false }))
  const go = useGo()
  const named = needs.findIndex(({ id }) => id === search.need)
  // When the named need is gone, the next one takes its place.
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
    group: 'Needs you',
    onOpen: (at) => {
      const need = needs[at]
      if (need !== undefined) go(pathOf(need))
    },
  })
  useRestWhenReplaced(needs[cursor.at]?.id, named >= 0)
  // `.`, a notification or an address leads to the row.
  const isNamed = named >= 0
  const { row } = cursor
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each named need
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
