import { type ReactNode, useCallback, useMemo, useState } from 'react'
import type { ZoneDays } from '#domain/cost/zone-days'
import { SECOND_MS } from '#domain/time-units'
import { Link } from '../../components/link'
import { NothingRecorded, useNewestSession } from '../../components/nothing-recorded'
import { Button } from '../../components/ui/button'
import { Empty, Loading } from '../../components/ui/empty'
import { ErrorCard } from '../../components/ui/error-card'
import { counted } from '../../lib/format'
import { useGo } from '../../lib/links'
import { ReplayBar } from '../session/replay/replay-bar'
import { useReplayClock } from '../session/replay/use-replay-clock'
import { BandLegend, DayBand, DayStrip, partsOf } from './day-band'
import { idleOf } from './day-idle'
import { type DayAnswer, type DayScope, type Lane, type Moment, useDay, useMoment } from './day-query'
import { boundsOf, type DaySearch, dayPath } from './day-search'
import { DaySessionRow } from './day-session'

/** Sessions that are described at first, and at most. */
const SHOWN = 40
const MOST_SHOWN = 100

interface DayViewProps {
  search: DaySearch
  day: string
  days: ZoneDays
  isToday: boolean
}

/** A whole day: how its sessions were at a moment that a person chooses, or that goes on by itself. */
export function DayView({ search, day, days, isToday }: DayViewProps) {
  const { project, agent } = search
  const scope = useMemo((): DayScope => ({ ...boundsOf(day, days), project, agent }), [day, days, project, agent])
  const { data, error, refetch } = useDay(scope, isToday)
  if (data === undefined)
    return error === null ? (
      <Loading what="Reading the day" />
    ) : (
      <ErrorCard error={error} onRetry={() => void refetch()} />
    )
  if (data.total === 0) return <NoSession search={search} days={days} />
  return <KnownDay search={search} scope={scope} data={data} />
}

function NoSession({ search, days }: Pick<DayViewProps, 'search' | 'days'>) {
  const newest = useNewestSession(true)
  if (newest === undefined) return null
  if (newest === null) return <NothingRecorded />
  const { project, agent } = search
  const last = newest.lastEventAt === null ? undefined : days.dayAt(Date.parse(newest.lastEventAt))
  return (
    <Empty title="No session was at work on this day.">
      <p>
        {project === undefined && agent === undefined ? 'Choose another day' : 'Remove a filter, or choose another day'}
        {last === undefined || last === search.day ? (
          '.'
        ) : (
          <>
            . The last one with work is{' '}
            <Link to={dayPath({ ...search, day: last, t: undefined })} className="text-accent underline">
              {last}
            </Link>
            .
          </>
        )}
      </p>
    </Empty>
  )
}

function KnownDay({ search, scope, data }: { search: DaySearch; scope: DayScope; data: DayAnswer }) {
  const go = useGo()
  const [limit, setLimit] = useState(SHOWN)
  const idle = useMemo(() => idleOf(data), [data])
  const toMoment = useCallback((t: string) => go(dayPath({ ...search, t }), { replace: true }), [go, search])
  const replay = useReplayClock({
    isOn: true,
    // Where nothing is chosen: when the first work began.
    t: search.t ?? data.active[0]?.from ?? data.from,
    start: scope.from,
    end: scope.to - SECOND_MS,
    idle,
    onMove: toMoment,
  })
  const moment = useMoment(scope, replay?.until ?? null, limit)
  if (replay === null) return null
  return (
    <>
      <section aria-label="Sessions at that moment" className="scrolls min-h-0 flex-1">
        {data.isCut ? (
          <p className="border-b border-line px-4 py-1 text-xs text-ink-3 max-md:px-3">
            This day has more sessions than these, which had the last activity. Choose a project to see all of its
            sessions.
          </p>
        ) : null}
        {moment.data === undefined ? (
          moment.error === null ? (
            <Loading what="Reading the moment" />
          ) : (
            <ErrorCard error={moment.error} onRetry={() => void moment.refetch()} />
          )
        ) : (
          <MomentList day={data} moment={moment.data} limit={limit} onMore={() => setLimit(MOST_SHOWN)} />
        )}
      </section>
      <ReplayBar
        replay={replay}
        what="day"
        above={
          // The middle of the slider's thumb never reaches its ends.
          <div className="px-2">
            <BandLegend />
            <DayBand day={data} at={replay.at} onSeek={replay.seek} />
            <Axis from={scope.from} to={scope.to} />
          </div>
        }
      />
    </>
  )
}

interface MomentListProps {
  day: DayAnswer
  moment: Moment
  limit: number
  onMore(): void
}

function MomentList({ day, moment: { at, total, working, sessions }, limit, onMore }: MomentListProps) {
  const lanes = useMemo(() => new Map(day.lanes.map((lane) => [lane.id, lane])), [day])
  const [parts, now] = [partsOf(day), (Date.parse(at) - Date.parse(day.from)) / day.partMs]
  const strip = (id: Lane['id']) => {
    const lane = lanes.get(id)
    return lane === undefined ? null : <DayStrip lane={lane} parts={parts} now={now} />
  }
  const left = total - sessions.length
  const [busy, rest] = [sessions.slice(0, working), sessions.slice(working)]
  if (total === 0)
    return (
      <Empty title="Nothing had begun yet.">
        <p>The day's first work comes later.</p>
      </Empty>
    )
  return (
    <>
      <Group name="At work" count={working}>
        {busy.map((session) => (
          <DaySessionRow key={session.id} session={session} at={at} strip={strip(session.id)} />
        ))}
      </Group>
      <Group name="Earlier that day" count={total - working}>
        {rest.map((session) => (
          <DaySessionRow key={session.id} session={session} at={at} strip={strip(session.id)} />
        ))}
      </Group>
      {left <= 0 ? null : limit < MOST_SHOWN ? (
        <div className="px-4 py-2">
          <Button onClick={onMore}>Show more sessions</Button>
        </div>
      ) : (
        <p className="px-4 py-2 text-xs text-ink-3">{counted(left, 'session')} more, with earlier activity.</p>
      )}
    </>
  )
}

function Group({ name, count, children }: { name: string; count: number; children: ReactNode }) {
  if (count === 0) return null
  return (
    <section aria-label={name}>
      <h2 className="sticky top-0 z-10 flex h-7 items-center gap-2 border-b border-line bg-panel px-4 text-xs font-semibold text-ink-2 max-md:px-3">
        {name}
        <span className="font-normal text-ink-3">{count}</span>
      </h2>
      {children}
    </section>
  )
}

/** Hours that are named below the band. */
const HOURS = [0, 6, 12, 18] as const

/** Times of day below the band, where the clocks have them: on a day on which they change, the distances differ. */
function Axis({ from, to }: { from: number; to: number }) {
  const ticks = HOURS.map((hour) => new Date(from).setHours(hour, 0, 0, 0)).filter((at) => at >= from && at < to)
  return (
    <div aria-hidden className="relative h-4 text-2xs text-ink-3 tabular-nums">
      {ticks.map((tick) => (
        <span
          key={tick}
          className="absolute border-l border-line-strong pl-1 whitespace-nowrap"
          style={{ left: `${((tick - from) / (to - from)) * 100}%` }}
        >
          {HOUR.format(tick)}
        </span>
      ))}
    </div>
  )
}

const HOUR = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
