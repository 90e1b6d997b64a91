import { ArrowDown } from 'lucide-react'
import { type RefObject, useLayoutEffect, useRef, useSyncExternalStore } from 'react'
import type { MapKind } from '#domain/session/minimap'
import { Button } from '../../../components/ui/button'
import { counted } from '../../../lib/format'
import { MapChips } from '../map/map-chips'
import { nextMark } from '../map/map-marks'
import { MapRail } from '../map/map-rail'
import { useMinimap } from '../map/use-minimap'
import type { SessionPlace } from '../page/session-search'
import type { Stepper } from '../page/use-step'
import { ListRow } from '../rows/list-row'
import { guessHeight, isShown, type RowBook, type RowPage, runId } from '../rows/session-rows'
import type { AnchoredList } from './session-list'
import { type OpenSet, useOpenSet } from './session-open'
import { type Lane, pagesOf, useRowBook } from './session-pages'
import { type ListView, useList } from './use-list'
import { usePromptJump } from './use-prompt-jump'
import { type RowCursor, useRowCursor } from './use-row-cursor'
import { useRowMoves } from './use-row-moves'
import { useWantedPages } from './use-wanted-pages'

interface RowListProps {
  lane: Lane
  place: SessionPlace
  /** Grows when the person goes to the same place again. */
  visit: number
  onStep: Stepper['go']
  onMove(change: Partial<SessionPlace>): void
  /** The newest rows. */
  end: RowPage
  /** The rows around the place that the address names. */
  around: RowPage | undefined
}

/** The rows of a conversation, of which only those in view are rendered. */
export function RowList({ lane, place, visit, onStep, onMove, end, around }: RowListProps) {
  const view = useList()
  const { list } = view
  const open = useOpenSet()
  const elements = useRef<HTMLDivElement>(null)
  const cursor = useRowCursor(list, elements)
  const { current } = cursor
  const { first, last } = list.range
  // The current row is rendered wherever the person scrolls.
  const ofCurrent = current === null ? [] : pagesOf(current, current, end.from)
  const wanted = useWantedPages([...new Set([...pagesOf(first, last, end.from), ...ofCurrent])])
  const book = useRowBook(lane, wanted, end, around)
  useRowHeights(list, book, open)

  const toPrompt = (number: number) => {
    cursor.moveTo(number)
    list.goTo(number, PROMPT_TOP_PX)
  }
  const { jump, arrived } = usePromptJump(lane, book, toPrompt, onMove)
  useGoToPlace(place, visit, around?.found ?? null, (found) => {
    // A row of a folded run is shown with its run.
    const head = book.rows.get(book.headOf.get(found) ?? -1)
    if (head !== undefined && head.number !== found) open.set(runId(head), true)
    cursor.focus(found)
    list.goTo(found, PLACE_TOP_PX)
    arrived(found)
  })
  const toEnd = () => {
    list.goToEnd()
    cursor.focus(book.total - 1)
    if (place.at !== null) onMove({ at: null })
  }
  const toError = (by: 1 | -1, from: number) => onStep('error', by, book.rows.get(from)?.event.id ?? null)
  useRowMoves({ lane, view, book, open, cursor, jump, toError, toEnd })

  const map = useMinimap(lane)
  const goTo = (number: number) => {
    cursor.setCurrent(number)
    list.goTo(number, PLACE_TOP_PX)
  }
  const toKind = (kind: MapKind, by: 1 | -1) => {
    const to = map === null ? null : nextMark(map, kind, current ?? list.seen.first - 1, by)
    if (to !== null) goTo(to)
  }
  return (
    <>
      {map === null ? null : <MapChips map={map} onStep={toKind} onOnly={(only) => onMove({ only })} />}
      <div className="relative min-h-0 flex-1">
        <div className={`absolute inset-y-0 left-0 ${map === null ? 'right-0' : 'right-3.5'}`}>
          <Rows view={view} book={book} open={open} cursor={cursor} elements={elements} found={place.at} />
        </div>
        {map === null ? null : <MapRail map={map} seen={list.seen} onGo={goTo} />}
        <NewestButton list={list} total={end.total} onPress={toEnd} />
      </div>
    </>
  )
}

/** Where a prompt is placed after a jump, below the top of the viewport. Pixels. */
const PROMPT_TOP_PX = 48
/** Where the line that the address names is placed, below the top of the viewport. Pixels. */
const PLACE_TOP_PX = 120

/** Keeps the heights of the list in step with the loaded rows. A row of a folded run has no height. */
function useRowHeights(list: AnchoredList, book: RowBook, open: OpenSet): void {
  const openVersion = useSyncExternalStore(open.subscribe, open.getVersion)
  useLayoutEffect(() => list.setCount(book.total), [list, book.total])
  // biome-ignore lint/correctness/useExhaustiveDependencies: open runs decide which rows are shown
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
}

/** Goes to the line that the address names, once per visit. @param found  number of its row; `null` until it is loaded */
function useGoToPlace({ at }: SessionPlace, visit: number, found: number | null, go: (number: number) => void): void {
  const wentTo = useRef<string | null>(null)
  useLayoutEffect(() => {
    if (at === null) wentTo.current = null
    const going = `${at} ${visit}`
    if (at === null || found === null || wentTo.current === going) return
    wentTo.current = going
    go(found)
  })
}

interface RowsProps {
  view: ListView
  book: RowBook
  open: OpenSet
  cursor: RowCursor
  elements: RefObject<HTMLDivElement | null>
  /** Event that the address names. */
  found: SessionPlace['at']
}

function Rows({ view: { list, scroller, sizer, row: measured }, book, open, cursor, elements, found }: RowsProps) {
  const { current } = cursor
  const numbers = numbersOf(list, book, open, current)
  const tabStop = current ?? list.seen.last
  return (
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
              isFound={book.rows.get(number)?.event.id === found}
              isTabStop={number === tabStop}
              onCurrent={cursor.setCurrent}
            />
          ))}
        </div>
      </div>
    </div>
  )
}

/** Numbers of the rows to render: those in range that are shown or not loaded yet, and the current one, which keeps the focus. */
function numbersOf(list: AnchoredList, book: RowBook, open: OpenSet, current: number | null): number[] {
  const { first, last } = list.range
  const numbers: number[] = []
  for (let number = first; number <= last; number++)
    if (!book.rows.has(number) || isShown(book, number, open.has)) numbers.push(number)
  if (current !== null && current < book.total && (current < first || current > last)) numbers.push(current)
  return numbers
}

/** Leads to the end of the list while that is not visible, and says how many rows were added since it was. */
function NewestButton({ list, total, onPress }: { list: AnchoredList; total: number; onPress(): void }) {
  const seenTotal = useRef(total)
  if (list.isEndSeen) seenTotal.current = total
  const fresh = Math.max(0, total - seenTotal.current)
  return (
    <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center" aria-live="polite">
      {list.isEndSeen ? null : (
        <Button
          className="pointer-events-auto shadow-pop"
          icon={<ArrowDown aria-hidden size={13} />}
          onClick={onPress}
          title="Shortcut: e"
        >
          {fresh > 0 ? `Newest · ${counted(fresh, 'new line')}` : 'Newest'}
        </Button>
      )}
    </div>
  )
}
