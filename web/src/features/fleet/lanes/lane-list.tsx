import { type Ref, type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { HOUR_MS, MINUTE_MS } from '#domain/time-units'
import { AgentLine } from '../../../components/ui/agent-text'
import type { ListCursor } from '../../../lib/keys/list-cursor'
import { useIsNarrow } from '../../../lib/narrow'
import { remInPixels } from '../../../lib/rem'
import { serverNow } from '../../../lib/time'
import { LaneCanvas } from './lane-canvas'
import type { Lanes } from './lane-query'
import { LANE_COLUMNS, LaneRowItem } from './lane-row'
import { keyOfLane, laneInWords, lanesInWords } from './lane-words'
import { useBrush } from './use-brush'
import type { LaneWork } from './use-lanes'

interface LaneListProps {
  work: LaneWork
  data: Lanes
  cursor: ListCursor
}

/** Heights of a row and where its lane is, in rem; on a phone the lane is below the words. */
const WIDE = { row: 2, middle: 1 }
const NARROW = { row: 3, middle: 2.25 }
const TICKS = [0, 0.25, 0.5, 0.75] as const

/** The rows, in words for everybody, and over them what is drawn. */
export function LaneList({ work, data, cursor }: LaneListProps) {
  const { rows, lanes, brush, brushed, setBrush: onBrush } = work
  const scroller = useRef<HTMLUListElement>(null)
  const scale = useRef<HTMLDivElement>(null)
  const place = usePlace(scroller, scale)
  const { row, middle } = useIsNarrow() ? NARROW : WIDE
  const [rowPx, middlePx] = [row * remInPixels(), middle * remInPixels()]
  const [since, spanMs] = [Date.parse(data.since), data.partMs * (data.lanes[0]?.lines.length ?? 1)]
  const { pointers, onKeyDown } = useBrush({
    ...{ rowCount: rows.length, rowPx, partMs: data.partMs, spanMs, ...place, brush, onBrush },
    now: serverNow,
  })
  const time = { since, partMs: data.partMs, now: Date.parse(data.now) }
  const drawn = useMemo(() => rows.map(({ lane }) => lane), [rows])
  const isBrushed = new Set(brushed?.map(keyOfLane))
  const indexOf = new Map(lanes.map((lane, at) => [lane, at]))
  return (
    <>
      <div className={`grid items-center gap-x-2 border-b border-line px-3 text-2xs text-ink-3 ${LANE_COLUMNS}`}>
        <span className="max-md:hidden" />
        <span className="max-md:hidden">Agent</span>
        <span className="max-md:hidden">To-dos</span>
        <div
          ref={scale}
          role="slider"
          tabIndex={0}
          aria-label="Part of the time; Shift and an arrow key change its length"
          aria-valuemin={0}
          aria-valuemax={Math.round(spanMs / 1_000)}
          aria-valuenow={brush === null ? 0 : Math.round((time.now - brush.from) / 1_000)}
          aria-valuetext={brush === null ? 'all' : `${timeOf(brush.from)} to ${timeOf(brush.to)}`}
          onKeyDown={onKeyDown}
          data-testid="lane-scale"
          className="flex h-6 items-center"
        >
          {TICKS.map((share) => (
            <span
              key={share}
              className={`flex-1 border-l border-line pl-1 whitespace-nowrap ${share % 0.5 === 0 ? '' : 'md:max-xl:hidden'}`}
            >
              {agoOf((1 - share) * spanMs)}
            </span>
          ))}
        </div>
        <span className="text-right max-md:hidden">Last hour</span>
      </div>
      <ul
        ref={scroller}
        aria-label="Agents at work"
        data-testid="lane-list"
        {...pointers}
        className="scrolls relative max-h-[60vh] overflow-y-auto"
      >
        <LaneCanvas
          {...{ rows: drawn, since, partMs: data.partMs, spanMs, rowPx, middlePx, scroller, brush, ...place }}
        />
        {rows.map(({ group, lane }) => {
          if (lane === null)
            return (
              <li
                key={`of ${group.host ?? ''}`}
                data-testid="lane-machine"
                className="flex h-12 items-center gap-3 border-b border-line bg-sunken px-3 text-xs md:h-8"
              >
                <h3 className="min-w-0 font-semibold">
                  {group.host === null ? 'No machine yet' : <AgentLine text={group.host} />}
                </h3>
                <span className="text-ink-3">{lanesInWords(group.lanes)}</span>
              </li>
            )
          const at = indexOf.get(lane) ?? -1
          const key = keyOfLane(lane)
          return (
            <LaneRowItem
              key={key}
              lane={lane}
              words={laneInWords(lane, time)}
              isCurrent={cursor.at === at}
              isBrushed={isBrushed.has(key)}
              rowRef={cursor.at === at ? (cursor.row as Ref<HTMLLIElement>) : null}
              onFocus={() => cursor.set(at)}
            />
          )
        })}
      </ul>
    </>
  )
}

/** `−45 min`, `−3.75 min`, `−18 h`. */
const agoOf = (ms: number): string => (ms < 2 * HOUR_MS ? `−${ms / MINUTE_MS} min` : `−${ms / HOUR_MS} h`)

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const timeOf = (at: number): string => CLOCK.format(at)

/** Where the lanes are within the list, in pixels: below the scale of times. */
function usePlace(list: RefObject<HTMLElement | null>, scale: RefObject<HTMLElement | null>) {
  const [place, setPlace] = useState({ left: 0, width: 0 })
  useLayoutEffect(() => {
    const [outer, inner] = [list.current, scale.current]
    if (outer === null || inner === null) return
    const look = () => {
      const [of, at] = [outer.getBoundingClientRect(), inner.getBoundingClientRect()]
      setPlace({ left: at.left - of.left, width: at.width })
    }
    look()
    const observer = new ResizeObserver(look)
    observer.observe(outer)
    observer.observe(inner)
    return () => observer.disconnect()
  }, [list, scale])
  return place
}
