import { useQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, type Ref, useMemo, useRef } from 'react'
import { MAX_ONLY, type MapKind } from '#domain/session/minimap'
import { Button } from '../../../components/ui/button'
import { Empty, Loading } from '../../../components/ui/empty'
import { ErrorCard } from '../../../components/ui/error-card'
import { client } from '../../../lib/api'
import { useListCursor } from '../../../lib/keys/list-cursor'
import { useVirtualRows } from '../../task/list/virtual-row'
import { OnlySelect } from '../map/map-chips'
import { KIND_WORDS } from '../map/use-minimap'
import type { SessionPlace } from '../page/session-search'
import { renderRow } from '../rows/row-body'
import { bookOf } from '../rows/session-rows'
import { type Lane, useOneRow } from './session-pages'

interface OnlyListProps {
  lane: Lane
  only: MapKind
  onMove(change: Partial<SessionPlace>): void
}

/** The lines of one kind of a conversation. Each leads to its place among all lines. */
export function OnlyList({ lane, only, onMove }: OnlyListProps) {
  const { sessionId, agent } = lane
  const { data, error, refetch } = useQuery({
    queryKey: ['session', sessionId, 'minimap', agent ?? 'main', only],
    queryFn: ({ signal }) =>
      client.sessions.minimap(sessionId, { only, ...(agent !== null && { subagentId: agent }) }, { signal }),
    placeholderData: (previous) => previous,
  })
  if (error !== null && data === undefined) return <ErrorCard error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading what="Reading the conversation" />
  const numbers = data.only ?? []
  const [, many] = KIND_WORDS[only]
  return (
    <>
      <div className="flex shrink-0 items-center gap-2 border-b border-line px-3 py-1 text-2xs text-ink-2 max-md:px-2">
        <span>
          {numbers.length === MAX_ONLY ? `The first ${MAX_ONLY.toLocaleString('en')} ${many}` : `Only ${many}`}
        </span>
        <Button look="quiet" className="h-5!" onClick={() => onMove({ only: null })}>
          Show all lines
        </Button>
        <OnlySelect map={data} only={only} onOnly={(next) => onMove({ only: next })} />
      </div>
      {numbers.length === 0 ? (
        <Empty title={`No ${many} in this conversation.`} />
      ) : (
        <Lines lane={lane} numbers={numbers} onMove={onMove} />
      )}
    </>
  )
}

/** Estimated height of a line, in pixels. */
const LINE_PX = 44

function Lines({ lane, numbers, onMove }: Pick<OnlyListProps, 'lane' | 'onMove'> & { numbers: readonly number[] }) {
  const scroller = useRef<HTMLDivElement>(null)
  const list = useVirtualizer({
    count: numbers.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    getItemKey: (at) => numbers[at] ?? at,
    overscan: 4,
  })
  const virtual = useVirtualRows(list)
  const goTo = useRef(new Map<number, () => void>())
  const cursor = useListCursor({
    count: numbers.length,
    onOpen: (at) => goTo.current.get(numbers[at] ?? -1)?.(),
    onOut: () => onMove({ only: null }),
    reveal: virtual.reveal,
    group: 'Conversation',
  })
  return (
    <div ref={scroller} className="scrolls min-h-0 flex-1 overscroll-contain">
      <ul aria-label="Lines of one kind" className="relative" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ index, key, start }) => (
          <Line
            key={key}
            lane={lane}
            number={numbers[index] ?? 0}
            isCurrent={index === cursor.at}
            onCurrent={() => cursor.set(index)}
            goTo={goTo.current}
            onMove={onMove}
            data-index={index}
            style={{ position: 'absolute', insetInline: 0, top: 0, transform: `translateY(${start}px)` }}
            rowRef={virtual.refOf(index, cursor)}
          />
        ))}
      </ul>
    </div>
  )
}

interface LineProps extends Pick<OnlyListProps, 'lane' | 'onMove'> {
  number: number
  isCurrent: boolean
  onCurrent(): void
  /** What Enter does, by the number of the line. */
  goTo: Map<number, () => void>
  'data-index': number
  style: CSSProperties
  rowRef: Ref<HTMLLIElement>
}

function Line({ lane, number, isCurrent, onCurrent, goTo, onMove, rowRef, ...place }: LineProps) {
  const page = useOneRow(lane, number)
  const book = useMemo(() => (page === undefined ? null : bookOf([page], page.total)), [page])
  const row = book?.rows.get(number)
  const go = row === undefined ? () => {} : () => onMove({ only: null, at: row.event.id })
  goTo.set(number, go)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: shortcuts move and open the current line; a click makes one current
    <li
      ref={rowRef}
      {...place}
      tabIndex={isCurrent ? 0 : -1}
      aria-current={isCurrent ? 'true' : undefined}
      onClick={onCurrent}
      className={`flex items-start outline-offset-[-2px] ${isCurrent ? 'row-current' : ''}`}
    >
      <div className="min-w-0 flex-1">
        {book === null || row === undefined ? <div aria-hidden style={{ height: LINE_PX }} /> : renderRow(row, book)}
      </div>
      <Button look="quiet" className="m-1 h-6! px-1.5!" onClick={go} aria-label={`Show line ${number + 1} in place`}>
        Show
      </Button>
    </li>
  )
}
