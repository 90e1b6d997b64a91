import { useSearch } from '@tanstack/react-router'
import { CheckCheck } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { FinishedList } from '../components/home/finished-list'
import { NothingRuns } from '../components/home/first-steps'
import { NeedRow, pathOf } from '../components/home/need-row'
import { NotifyToggle } from '../components/home/notify-toggle'
import { RunningList } from '../components/home/running-list'
import { OpenRequest } from '../components/inbox/open-request'
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
import { type Need, type Overview, setLastSeen, useLastSeen, useOverview } from '../lib/needs'

/** What needs the person, what runs, and what finished since they last looked. */
export function HomePage() {
  const since = useLastSeen()
  const { data, error, refetch } = useOverview(since)
  const needs = data?.counts.needs ?? {}
  const waiting = Object.values(needs).reduce((sum, count) => sum + count, 0)
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
            <Lists data={data} waiting={waiting} since={since} onSeen={seen} />
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
}

function Lists({ data, waiting, since, onSeen }: ListsProps) {
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
          <Needs needs={data.needs} hidden={waiting - data.needs.length} />
        )}
      </Panel>
      <Panel title="Running" id="running" count={data.counts.running}>
        {data.running.length === 0 ? (
          <NothingRuns isQuiet={waiting === 0 && data.counts.finished === 0} />
        ) : (
          <RunningList rows={data.running} asking={asking} />
        )}
        <More count={data.counts.running - data.running.length} />
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
        <More count={data.counts.finished - data.finished.length} />
      </Panel>
    </>
  )
}

const More = ({ count }: { count: number }) =>
  count > 0 ? (
    <p className="border-t border-line px-4 py-2 text-xs text-ink-3">
      and {count.toLocaleString('en')} more in the tree
    </p>
  ) : null

/** The list that keys move over; which one is current stands in the address, so that `.` and a notification can name it. */
function Needs({ needs, hidden }: { needs: readonly Need[]; hidden: number }) {
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
      <More count={hidden} />
    </ul>
  )
}
