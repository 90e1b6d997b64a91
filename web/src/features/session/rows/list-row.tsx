import { GitFork } from 'lucide-react'
import type { EventId } from '#domain/ids'
import { useSession } from '../page/session-context'
import { SessionMark } from './mark-line'
import { renderRow } from './row-body'
import type { RowBook } from './session-rows'

interface ListRowProps {
  number: number
  book: RowBook
  /** Offset from the top of the list, in pixels. */
  top: number
  /** Pixels. */
  height: number
  measured: (element: HTMLElement | null) => (() => void) | undefined
  isCurrent: boolean
  isFound: boolean
  isTabStop: boolean
  onCurrent(number: number): void
}

/** A row at its place in the list; a placeholder until it is loaded. */
export function ListRow({
  number,
  book,
  top,
  height,
  measured,
  isCurrent,
  isFound,
  isTabStop,
  onCurrent,
}: ListRowProps) {
  const row = book.rows.get(number)
  const style = { transform: `translateY(${top}px)` }
  if (row === undefined)
    return (
      <div aria-hidden className="absolute inset-x-0 flex items-center px-4" style={{ ...style, height }}>
        <span className="ml-6.5 h-2 w-2/5 rounded-sm bg-hover" />
      </div>
    )
  const isLast = number === book.total - 1
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: shortcuts of the page move and open the current row; a click makes one current
    <article
      ref={measured}
      data-testid="session-row"
      data-number={number}
      data-kind={row.kind}
      aria-posinset={number + 1}
      aria-setsize={book.total}
      aria-current={isCurrent ? 'true' : undefined}
      tabIndex={isTabStop ? 0 : -1}
      onClick={() => onCurrent(number)}
      className={`absolute inset-x-0 outline-offset-[-2px] ${isCurrent ? 'row-current' : ''} ${isFound ? 'border-y border-accent' : ''}`}
      style={style}
    >
      {book.marks.get(number)?.map((mark) => (
        <SessionMark key={`${mark.kind} ${mark.sessionId}`} mark={mark} />
      ))}
      <NewDay before={book.rows.get(number - 1)?.event.at ?? null} at={row.event.at} />
      {renderRow(row, book)}
      {isCurrent && row.kind !== 'compaction' ? <ForkButton event={row.event.id} /> : null}
      {isLast
        ? book.marks.get(book.total)?.map((mark) => <SessionMark key={`${mark.kind} ${mark.sessionId}`} mark={mark} />)
        : null}
    </article>
  )
}

const DAY = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'long', year: 'numeric' })

/** Above the first row of another day: the rows themselves tell the time of the day alone. */
function NewDay({ before, at }: { before: string | null; at: string | null }) {
  if (before === null || at === null) return null
  const [was, is] = [new Date(before), new Date(at)]
  if (Number.isNaN(was.getTime()) || Number.isNaN(is.getTime()) || was.toDateString() === is.toDateString()) return null
  return (
    <p data-testid="new-day" className="border-t border-line px-4 pt-1.5 text-2xs font-medium text-ink-3 max-md:px-3">
      {DAY.format(is)}
    </p>
  )
}

/** On the current row: a copy of the conversation that ends there. */
function ForkButton({ event }: { event: EventId }) {
  const { fork } = useSession()
  if (fork === null) return null
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label="Fork from here"
      title="Fork from here (F)"
      onClick={() => fork({ event, isCompaction: false })}
      className="absolute right-1 bottom-0 flex size-6 items-center justify-center rounded border border-line bg-panel text-ink-2 hover:text-ink"
    >
      <GitFork aria-hidden size={12} />
    </button>
  )
}
