import { useVirtualizer } from '@tanstack/react-virtual'
import { type DragEvent, useEffect, useRef, useState } from 'react'
import { type ListedIssue, useIssueColumn } from '../../lib/issue-query'
import type { IssuesSearch } from '../../lib/issue-search'
import { useIsNarrow } from '../../lib/narrow'
import { remInPixels } from '../../lib/rem'
import { visibleText } from '../../lib/visible-text'
import { ErrorLine } from '../ui/error-card'
import { Status, statusWord } from '../ui/status'
import { BoardCard, CARD_HEIGHT } from './board-card'
import type { MoveStatus } from './use-move-status'

const GAP = 6
/** What a dragged card carries: nothing that another page could read as text. */
const DRAGGED = 'application/x-lodeline-issue'

interface BoardColumnProps {
  status: string
  columns: readonly string[]
  search: IssuesSearch
  move: MoveStatus
  /** -1 = the cursor is in another column. */
  currentAt: number
  /** Counts the keys that moved the cursor; the focus follows those. */
  byKey: number
  onPoint(at: number, id: string): void
  onLoaded(status: string, issues: readonly ListedIssue[]): void
}

/** The card that is being dragged, whichever column it is over. */
let dragged: ListedIssue | null = null

export function BoardColumn({ status, columns, search, move, currentAt, byKey, onPoint, onLoaded }: BoardColumnProps) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useIssueColumn(search, status)
  const issues = data?.pages.flatMap((page) => page.issues) ?? []
  const total = data?.pages[0]?.total ?? 0
  const scroller = useRef<HTMLDivElement>(null)
  const [isOver, setOver] = useState(false)
  const height = remInPixels() * (useIsNarrow() ? CARD_HEIGHT.narrow : CARD_HEIGHT.wide)
  const virtual = useVirtualizer({
    count: issues.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height + GAP,
    overscan: 6,
    getItemKey: (at) => issues[at]?.id ?? at,
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: all are of another height then
  useEffect(() => virtual.measure(), [height])

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is loaded changes with the answer alone
  useEffect(() => onLoaded(status, issues), [data, status, onLoaded])

  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? -1
  useEffect(() => {
    if (last >= issues.length - 8 && hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [last, issues.length, hasNextPage, isFetchingNextPage, fetchNextPage])

  const card = useRef<HTMLElement | null>(null)
  const shownKey = useRef(byKey)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus follows keys, and what they moved
  useEffect(() => {
    if (currentAt < 0 || (byKey === shownKey.current && document.activeElement !== document.body)) return
    if (byKey === 0) return
    shownKey.current = byKey
    virtual.scrollToIndex(currentAt)
    card.current?.focus({ preventScroll: true })
    card.current?.closest('section')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [byKey, currentAt])

  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    if (dragged !== null && dragged.status !== status) move.mutate({ issue: dragged, to: status })
    dragged = null
  }
  const name = statusWord(visibleText(status))
  return (
    <section
      aria-label={`${name}: ${total} issues`}
      data-column={status}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes(DRAGGED)) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'move'
        setOver(true)
      }}
      onDragLeave={(event) => {
        if (!(event.relatedTarget instanceof Node) || !event.currentTarget.contains(event.relatedTarget)) setOver(false)
      }}
      onDrop={onDrop}
      className={`flex min-h-0 w-72 min-w-52 shrink-0 grow basis-52 snap-start flex-col rounded-lg max-md:w-[82vw] max-md:grow-0 ${isOver ? 'outline-2 -outline-offset-2 outline-accent tint-accent' : 'bg-sunken'}`}
    >
      <h2 className="flex h-8 shrink-0 items-center gap-2 px-2.5 text-xs font-semibold">
        <Status status={status} />
        <span className="font-normal text-ink-3">{total.toLocaleString('en')}</span>
      </h2>
      <ErrorLine error={error} />
      <div
        ref={scroller}
        tabIndex={issues.length === 0 ? -1 : 0}
        className="min-h-0 flex-1 overflow-y-auto bg-sunken px-1.5"
      >
        {data !== undefined && issues.length === 0 ? <p className="px-1 py-2 text-xs text-ink-3">None.</p> : null}
        <ul className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, key, start }) => {
            const issue = issues[index]
            if (issue === undefined) return null
            const moving = move.isPending && move.variables.issue.id === issue.id ? move.variables.to : null
            return (
              <BoardCard
                key={key}
                ref={
                  index === currentAt
                    ? (element) => {
                        card.current = element
                      }
                    : null
                }
                issue={issue}
                project={search.project}
                columns={columns}
                movingTo={moving}
                isCurrent={index === currentAt}
                onPoint={() => onPoint(index, issue.id)}
                onMove={(to) => move.mutate({ issue, to })}
                onDragStart={(event) => {
                  dragged = issue
                  event.dataTransfer.setData(DRAGGED, '1')
                  event.dataTransfer.effectAllowed = 'move'
                }}
                onDragEnd={() => {
                  dragged = null
                }}
                style={{ transform: `translateY(${start}px)`, height }}
              />
            )
          })}
        </ul>
      </div>
    </section>
  )
}
