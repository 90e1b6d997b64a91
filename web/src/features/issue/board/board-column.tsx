import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { type DragEvent, useEffect, useRef, useState } from 'react'
import { Link } from '../../../components/link'
import { ErrorLine } from '../../../components/ui/error-card'
import { Status, statusWord } from '../../../components/ui/status'
import { useIsNarrow } from '../../../lib/narrow'
import { remInPixels } from '../../../lib/rem'
import { visibleText } from '../../../lib/visible-text'
import { type ListedIssue, useIssueColumn, useIssueCount } from '../issue-query'
import { type IssuesSearch, issuesPath } from '../list/issue-search'
import { BoardCard, cardHeightRem } from './board-card'
import type { MoveStatus } from './use-move-status'

/** Space between cards, in pixels. */
const CARD_GAP_PX = 6
/** Data type of a dragged card. It is private, so that no other page can read it as text. */
const DRAG_TYPE = 'application/x-lodeline-issue'

interface BoardColumnProps {
  status: string
  columns: readonly string[]
  search: IssuesSearch
  move: MoveStatus
  /** Index of the current card; -1 if it is in another column. */
  currentAt: number
  /** Number of cursor moves by key. The focus follows these only. */
  byKey: number
  onPoint(at: number, id: string): void
  onLoaded(status: string, issues: readonly ListedIssue[]): void
}

/** The card that is being dragged, shared by all columns. */
let dragged: ListedIssue | null = null

/** The issues of one status. */
export function BoardColumn({ status, columns, search, move, currentAt, byKey, onPoint, onLoaded }: BoardColumnProps) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useIssueColumn(search, status)
  const issues = data?.pages.flatMap((page) => page.issues) ?? []
  const total = data?.pages[0]?.total ?? 0
  const scroller = useRef<HTMLDivElement>(null)
  const [rem, isNarrow] = [remInPixels(), useIsNarrow()]
  const heightOf = (issue: ListedIssue | undefined) => rem * cardHeightRem(issue, isNarrow)
  const virtual = useVirtualizer({
    count: issues.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => heightOf(issues[at]) + CARD_GAP_PX,
    overscan: 6,
    getItemKey: (at) => issues[at]?.id ?? at,
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: cards then have another height
  useEffect(() => virtual.measure(), [rem, isNarrow, data])

  // biome-ignore lint/correctness/useExhaustiveDependencies: `issues` changes with the data only
  useEffect(() => onLoaded(status, issues), [data, status, onLoaded])

  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? -1
  useEffect(() => {
    if (last >= issues.length - 8 && hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [last, issues.length, hasNextPage, isFetchingNextPage, fetchNextPage])

  const card = useCardFocus(currentAt, byKey, virtual)
  const drop = useDrop((issue) => {
    if (issue.status !== status) move.mutate({ issue, to: status })
  })
  const name = statusWord(visibleText(status))
  return (
    <section
      aria-label={`${name}: ${total} issues`}
      data-column={status}
      {...drop.handlers}
      className={`flex min-h-0 w-72 min-w-52 shrink-0 grow basis-52 snap-start flex-col rounded-lg max-md:w-[82vw] max-md:grow-0 ${drop.isOver ? 'outline-2 -outline-offset-2 outline-accent tint-accent' : 'bg-sunken'}`}
    >
      <h2 className="flex h-8 shrink-0 items-center gap-2 px-2.5 text-xs font-semibold">
        <Status status={status} />
        <span className="font-normal text-ink-3">{total.toLocaleString('en')}</span>
        {status === 'blocked' ? <HeldUp search={search} /> : null}
      </h2>
      <ErrorLine error={error} />
      <div
        ref={scroller}
        tabIndex={issues.length === 0 ? -1 : 0}
        className="min-h-0 flex-1 overflow-y-auto bg-sunken px-1.5"
      >
        {data !== undefined && issues.length === 0 ? <p className="px-1 py-2 text-xs text-ink-3">No issues</p> : null}
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
                {...dragHandlers(issue)}
                style={{ transform: `translateY(${start}px)`, height: heightOf(issue) }}
              />
            )
          })}
        </ul>
      </div>
    </section>
  )
}

/** How many issues of other columns wait for other issues, as `lode issue stats` counts them; a link to the list of them. */
function HeldUp({ search }: { search: IssuesSearch }) {
  const blocked = { ...search, isBlocked: true, view: 'list' } as const
  const count = useIssueCount(blocked)
  if (count === undefined || count === 0 || search.isBlocked) return null
  return (
    <Link
      to={issuesPath(blocked)}
      title="Issues in any column that wait for other issues"
      className="ml-auto font-normal text-accent underline"
    >
      {count.toLocaleString('en')} wait for others
    </Link>
  )
}

/** Moves the focus to the current card when a key moved the cursor, or moved the card into this column. */
function useCardFocus(currentAt: number, byKey: number, virtual: Virtualizer<HTMLDivElement, Element>) {
  const card = useRef<HTMLElement | null>(null)
  const shownKey = useRef(byKey)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus follows key presses, and issues that they moved
  useEffect(() => {
    if (currentAt < 0 || (byKey === shownKey.current && document.activeElement !== document.body)) return
    if (byKey === 0) return
    shownKey.current = byKey
    virtual.scrollToIndex(currentAt)
    card.current?.focus({ preventScroll: true })
    card.current?.closest('section')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [byKey, currentAt])
  return card
}

/** What a card does while it is dragged. */
const dragHandlers = (issue: ListedIssue) => ({
  onDragStart: (event: DragEvent) => {
    dragged = issue
    event.dataTransfer.setData(DRAG_TYPE, '1')
    event.dataTransfer.effectAllowed = 'move'
  },
  onDragEnd: () => {
    dragged = null
  },
})

/** Makes a column take dragged cards. */
function useDrop(take: (issue: ListedIssue) => void) {
  const [isOver, setOver] = useState(false)
  const handlers = {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes(DRAG_TYPE)) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'move'
      setOver(true)
    },
    onDragLeave: ({ relatedTarget, currentTarget }: DragEvent) => {
      if (!(relatedTarget instanceof Node) || !currentTarget.contains(relatedTarget)) setOver(false)
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      setOver(false)
      if (dragged !== null) take(dragged)
      dragged = null
    },
  }
  return { isOver, handlers }
}
