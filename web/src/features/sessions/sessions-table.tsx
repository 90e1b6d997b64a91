import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import type { Session } from '#api/contract/wire'
import { useListCursor } from '../../lib/keys/list-cursor'
import { sessionPath, useGo } from '../../lib/links'
import { useVirtualRows } from '../task/list/virtual-row'
import { SessionColumns, SessionRow } from './session-row'
import { type SessionsSearch, sortedBy } from './sessions-search'

interface SessionsTableProps {
  sessions: readonly Session[]
  search: SessionsSearch
  isDense: boolean
  /** Whether there are more, which are loaded near the end of the list. */
  hasMore: boolean
  isAsking: boolean
  onMore(): void
  onChange(search: SessionsSearch): void
}

/** The next page is loaded when this many rows are left. */
const LOAD_AHEAD_ROWS = 25
/** Estimated heights of a row, in pixels. */
const DENSE_PX = 33
const COMFORTABLE_PX = 49

/** A long list of sessions, of which only visible rows are rendered. */
export function SessionsTable({ sessions, search, isDense, hasMore, isAsking, onMore, onChange }: SessionsTableProps) {
  const go = useGo()
  const scroller = useRef<HTMLDivElement>(null)
  const list = useVirtualizer({
    count: sessions.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isDense ? DENSE_PX : COMFORTABLE_PX),
    getItemKey: (at) => sessions[at]?.id ?? at,
    overscan: 12,
  })
  const virtual = useVirtualRows(list)
  const cursor = useListCursor({
    count: sessions.length,
    onOpen: (at) => {
      const session = sessions[at]
      if (session !== undefined) go(sessionPath(session.id))
    },
    reveal: virtual.reveal,
    group: 'Sessions',
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows have other heights in the other density
  useEffect(() => list.measure(), [isDense])
  const shown = list.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  const isNearEnd = hasMore && !isAsking && last >= sessions.length - LOAD_AHEAD_ROWS
  useEffect(() => {
    if (isNearEnd) onMore()
  }, [isNearEnd, onMore])

  return (
    <div
      role="grid"
      aria-label="Sessions"
      aria-rowcount={hasMore ? -1 : sessions.length + 1}
      className="flex min-h-0 min-w-0 flex-1 flex-col"
    >
      <div role="rowgroup" className="shrink-0 overflow-hidden [scrollbar-gutter:stable]">
        <SessionColumns
          sort={search.sort ?? 'active'}
          isAscending={search.ascending === true}
          onSort={(by) => onChange(sortedBy(search, by))}
        />
      </div>
      <div role="presentation" ref={scroller} className="scrolls min-h-0 flex-1 [scrollbar-gutter:stable]">
        <div role="rowgroup" className="relative" style={{ height: list.getTotalSize() }}>
          {shown.map(({ index, key, start }) => {
            const session = sessions[index]
            return session === undefined ? null : (
              <SessionRow
                key={key}
                session={session}
                index={index}
                isDense={isDense}
                isCurrent={index === cursor.at}
                rowRef={virtual.refOf(index, cursor)}
                style={{ position: 'absolute', insetInline: 0, top: 0, transform: `translateY(${start}px)` }}
                onFocus={() => cursor.set(index)}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}
