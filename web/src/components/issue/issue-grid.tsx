import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useCallback, useEffect, useRef } from 'react'
import type { ListedIssue } from '../../lib/issue-query'
import { lastOpened, rememberOpened } from '../../lib/last-opened'
import { issuePath, useGo } from '../../lib/links'
import { useListCursor } from '../../lib/list-cursor'
import { useHasTwoLines } from '../../lib/narrow'
import { remInPixels } from '../../lib/rem'
import { writeSearch } from '../../lib/search'
import { IssueRow } from './issue-row'

/** A row of the grid: an issue, or the name of what follows. `note` stands below the title. */
export type GridRow =
  | { kind: 'head'; text: string; count?: number }
  | { kind: 'issue'; issue: ListedIssue; note?: ReactNode }

const HEIGHTS = { wide: 1.875, narrow: 3.5, head: 2, note: 1.25 }

interface IssueGridProps {
  label: string
  rows: readonly GridRow[]
  /** Of all that there are, loaded or not. */
  total: number
  project: string | undefined
  head?: ReactNode
  /** Asks for what comes behind the last row. */
  onEnd?: () => void
  /** Told which issue keys act on. */
  onCurrent(issue: ListedIssue | undefined): void
}

/** Issues, a row each, as many as there are: only those in sight are drawn. */
export function IssueGrid({ label, rows, total, project, head, onEnd, onCurrent }: IssueGridProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const isNarrow = useHasTwoLines()
  const rem = remInPixels()
  const go = useGo()
  const places = rows.flatMap((row, place) => (row.kind === 'issue' ? [place] : []))
  const issues = rows.flatMap((row) => (row.kind === 'issue' ? [row.issue] : []))
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (place) => rem * heightOf(rows[place], isNarrow),
    overscan: 12,
    getItemKey: (place) => {
      const row = rows[place]
      return row?.kind === 'issue' ? `${place} ${row.issue.id}` : `head ${place}`
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: heights are others when the width's class or the letters are
  useEffect(() => virtual.measure(), [isNarrow, rem, rows.length])

  /** The row that a key went to was not drawn yet: it takes the focus when it is. */
  const wantsFocus = useRef(false)
  const cursor = useListCursor({
    count: issues.length,
    group: 'Issues',
    onOpen: (at) => {
      const issue = issues[at]
      if (issue === undefined) return
      rememberOpened(issue.id)
      go(pathTo(issue.id, project))
    },
    reveal: (at) => {
      wantsFocus.current = true
      virtual.scrollToIndex(places[at] ?? 0)
    },
  })
  const rowRef = useCallback(
    (element: HTMLElement | null) => {
      cursor.row.current = element
      if (element === null || !wantsFocus.current) return
      wantsFocus.current = false
      element.focus({ preventScroll: true })
    },
    [cursor.row],
  )

  const current = issues[cursor.at]
  useEffect(() => onCurrent(current), [current, onCurrent])

  const isFilled = issues.length > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when there is something: where the person came from
  useEffect(() => {
    const at = issues.findIndex(({ id }) => id === lastOpened())
    if (at <= 0) return
    cursor.set(at)
    virtual.scrollToIndex(places[at] ?? 0, { align: 'center' })
  }, [isFilled])

  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? -1
  useEffect(() => {
    if (last >= rows.length - 20) onEnd?.()
  }, [last, rows.length, onEnd])

  return (
    <div
      ref={scroller}
      role="grid"
      aria-label={label}
      aria-rowcount={total + (head === undefined ? 0 : 1)}
      className="scrolls min-h-0 flex-1"
    >
      {head}
      <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, key, start, size }) => {
          const row = rows[index]
          if (row === undefined) return null
          const at = places.indexOf(index)
          const place = { transform: `translateY(${start}px)`, height: size }
          return row.kind === 'head' ? (
            <div key={key} role="row" style={place} className="absolute inset-x-0 top-0 flex items-end px-3 pb-1">
              <div role="gridcell">
                <h2 className="text-xs font-semibold text-ink-2">
                  {row.text}
                  {row.count === undefined ? null : (
                    <span className="pl-1.5 font-normal text-ink-3">{row.count.toLocaleString('en')}</span>
                  )}
                </h2>
              </div>
            </div>
          ) : (
            <IssueRow
              key={key}
              ref={at === cursor.at ? rowRef : null}
              issue={row.issue}
              note={row.note}
              to={pathTo(row.issue.id, project)}
              index={index + (head === undefined ? 1 : 2)}
              isCurrent={at === cursor.at}
              onPoint={() => cursor.set(at)}
              style={place}
            />
          )
        })}
      </div>
    </div>
  )
}

export const pathTo = (id: string, project: string | undefined): string => issuePath(id) + writeSearch({ project })

/** In `rem`. */
function heightOf(row: GridRow | undefined, isNarrow: boolean): number {
  if (row === undefined || row.kind === 'head') return HEIGHTS.head
  const own = isNarrow ? HEIGHTS.narrow : HEIGHTS.wide
  return row.note === undefined ? own : own + HEIGHTS.note
}
