import { ArrowDown } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import { counted } from '../../lib/format'
import { useOpenSet } from '../../lib/session-open'
import { type Lane, pagesOf, useAround, useEnd, useRowBook } from '../../lib/session-pages'
import { guessHeight, isShown, nextShown, type RowPage } from '../../lib/session-rows'
import type { SessionPlace } from '../../lib/session-search'
import { Button } from '../ui/button'
import { Empty, Loading } from '../ui/empty'
import { ErrorCard } from '../ui/error-card'
import { ListRow } from './list-row'
import { useList } from './use-list'
import { usePromptJump } from './use-prompt-jump'
import { useRowKeys } from './use-row-keys'
import { useRowToggles } from './use-row-toggles'
import { useWantedPages } from './use-wanted-pages'

interface ConversationProps {
  lane: Lane
  place: SessionPlace
  /** It is not known yet whose line the place is. */
  isAsking: boolean
  /** The session is recorded: that there are no lines of it is an error. */
  isCertain: boolean
  /** Grows when one is sent to the same place again. */
  visit: number
  /** Goes to another place of the session, in place of this one. */
  onMove(change: Partial<SessionPlace>): void
}

/** The lines of one agent, from any place of them. */
export function Conversation({ lane, place, isAsking, isCertain, visit, onMove }: ConversationProps) {
  const end = useEnd(lane)
  const around = useAround(lane, isAsking ? null : place.at)
  // What is shown stays until the other place is here.
  const wasShown = useRef(false)
  const isComing = place.at !== null && around.data === undefined && around.error === null
  if (end.data === undefined || (isComing && !wasShown.current)) {
    if (end.error !== null && isCertain) return <ErrorCard error={end.error} onRetry={() => void end.refetch()} />
    return <Loading what="Reading the conversation" />
  }
  wasShown.current = true
  return (
    <>
      {around.error === null ? null : <ErrorCard error={around.error} />}
      {end.data.total === 0 ? (
        <Empty title={lane.agent === null ? 'Nothing was said yet.' : 'No line of this agent is recorded.'}>
          <p>Lines are shown here as soon as they are recorded.</p>
        </Empty>
      ) : (
        <RowList lane={lane} place={place} visit={visit} onMove={onMove} end={end.data} around={around.data} />
      )}
    </>
  )
}

function RowList({
  lane,
  place,
  visit,
  onMove,
  end,
  around,
}: Omit<ConversationProps, 'isAsking' | 'isCertain'> & { end: RowPage; around: RowPage | undefined }) {
  const { list, scroller, sizer, row: measured, isSeen } = useList()
  const open = useOpenSet()
  const openVersion = useSyncExternalStore(open.subscribe, open.getVersion)
  const { first, last } = list.range
  const [current, setCurrent] = useState<number | null>(null)
  // The current row is drawn wherever one scrolls: see below.
  const ofCurrent = current === null ? [] : pagesOf(current, current, end.from)
  const wanted = useWantedPages([...new Set([...pagesOf(first, last, end.from), ...ofCurrent])])
  const book = useRowBook(lane, wanted, end, around)
  /** The row that is to have the focus once it is drawn. */
  const focusNext = useRef<number | null>(null)
  const elements = useRef<HTMLDivElement>(null)

  useLayoutEffect(() => list.setCount(book.total), [list, book.total])

  // biome-ignore lint/correctness/useExhaustiveDependencies: what was opened decides which rows of a run are shown
  useLayoutEffect(() => {
    list.change((heights) => {
      let isChanged = false
      for (const [number, row] of book.rows) {
        const isGone = !isShown(book, number, open.has)
        const wasGone = heights.heightOf(number) === 0
        if (isGone) isChanged = heights.set(number, 0) || isChanged
        else if (wasGone) isChanged = heights.forget(number, guessHeight(row)) || isChanged
        else isChanged = heights.expect(number, guessHeight(row)) || isChanged
      }
      return isChanged
    })
  }, [list, book, openVersion])

  const moveTo = (number: number) => {
    focusNext.current = number
    setCurrent(number)
    list.reveal(number)
  }
  const toPrompt = (number: number) => {
    moveTo(number)
    list.goTo(number, 48)
  }
  const { jump, arrived } = usePromptJump(lane, book, toPrompt, onMove)

  // Goes to what the address names, once for each time that it names something.
  const wentTo = useRef<string | null>(null)
  useLayoutEffect(() => {
    if (place.at === null) wentTo.current = null
    const found = around?.found ?? null
    const going = `${place.at} ${visit}`
    if (place.at === null || found === null || wentTo.current === going) return
    wentTo.current = going
    setCurrent(found)
    focusNext.current = found
    list.goTo(found, 120)
    arrived(found)
  })

  const seenTotal = useRef(end.total)
  if (list.isEndSeen) seenTotal.current = end.total
  const fresh = Math.max(0, end.total - seenTotal.current)

  useEffect(() => {
    if (focusNext.current === null) return
    const element = elements.current?.querySelector<HTMLElement>(`[data-number="${focusNext.current}"]`)
    // It may be on its way from the server.
    if (element === null || element === undefined) return
    focusNext.current = null
    element.focus({ preventScroll: true })
  })

  const start = () => {
    const { seen } = list
    const isSeen = current !== null && current >= seen.first && current <= seen.last
    return isSeen ? current : null
  }
  const toEnd = () => {
    list.goToEnd()
    focusNext.current = book.total - 1
    setCurrent(book.total - 1)
    if (place.at !== null) onMove({ at: null })
  }
  const toggles = useRowToggles(lane, open, book)
  const currentRow = current === null ? undefined : book.rows.get(current)
  useRowKeys(
    {
      step: (by) => {
        const from = start()
        // A row that is higher than the page is read before it is left.
        if (from !== null && by === 1 && list.offsetOf(from + 1) > list.top + list.viewportHeight + 8)
          return list.scrollBy(list.viewportHeight * 0.7)
        const edge = by === 1 ? list.seen.first - 1 : list.seen.last + 1
        const next = nextShown(book, from ?? edge, by, open.has)
        if (next !== null) moveTo(next)
      },
      prompt: (by) => jump(by, start() ?? (by === 1 ? list.seen.first - 1 : list.seen.first)),
      first: () => moveTo(0),
      end: toEnd,
      toggle: (event) => toggles.toggle(event, currentRow),
      into: () => toggles.into(currentRow),
      out: () => toggles.out(currentRow),
    },
    isSeen,
  )

  const numbers: number[] = []
  for (let number = first; number <= last; number++)
    if (!book.rows.has(number) || isShown(book, number, open.has)) numbers.push(number)
  // The current row keeps its element, and with it the focus, wherever one scrolls.
  if (current !== null && current < book.total && (current < first || current > last)) numbers.push(current)
  const tabStop = current ?? list.seen.last

  return (
    <div className="relative min-h-0 flex-1">
      <div ref={scroller} className="scrolls absolute inset-0 overscroll-contain [overflow-anchor:none]">
        <div
          ref={sizer}
          role="feed"
          aria-label="Conversation"
          aria-busy={numbers.some((number) => !book.rows.has(number))}
        >
          <div ref={elements} className="relative">
            {numbers.map((number) => (
              <ListRow
                key={number}
                number={number}
                book={book}
                top={list.offsetOf(number)}
                height={list.heightOf(number)}
                measured={measured}
                isCurrent={number === current}
                isFound={book.rows.get(number)?.event.id === place.at}
                isTabStop={number === tabStop}
                onCurrent={setCurrent}
              />
            ))}
          </div>
        </div>
      </div>
      <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center" aria-live="polite">
        {list.isEndSeen ? null : (
          <Button
            className="pointer-events-auto shadow-pop"
            icon={<ArrowDown aria-hidden size={13} />}
            onClick={toEnd}
            title="Key e"
          >
            {fresh > 0 ? `Newest · ${counted(fresh, 'new line')}` : 'Newest'}
          </Button>
        )}
      </div>
    </div>
  )
}
