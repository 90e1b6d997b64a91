import { useVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react'
import { isOnControl, type KeyBinding, useKeys } from '../../../lib/keys/keys'
import { type ListCursor, useListCursor } from '../../../lib/keys/list-cursor'
import { issuePathIn, useGo } from '../../../lib/links'
import { useHasTwoLines } from '../../../lib/narrow'
import { remInPixels } from '../../../lib/rem'
import type { ListedIssue } from '../issue-query'
import { lastOpened, rememberList, rememberOpened } from '../last-opened'
import type { IssueAct } from '../use-issue-dialogs'
import { IssuePeek, peekChoice } from './issue-peek'
import { IssueRow, type Pointed } from './issue-row'
import { type IssueSelection, SelectionBar, useIssueSelection } from './issue-selection'

/** A row of the grid: an issue with an optional note below, or a heading. */
export type GridRow =
  | { kind: 'head'; text: string; count?: number }
  | { kind: 'issue'; issue: ListedIssue; note?: ReactNode }

/** More rows are loaded when this many are left. */
const LOAD_AHEAD_ROWS = 20

/** Heights of rows, in rem. A note adds to the height of its row. */
const ROW_HEIGHTS_REM = { wide: 1.875, narrow: 3.5, head: 2, note: 1.25 }

interface IssueGridProps {
  label: string
  rows: readonly GridRow[]
  /** Number of all rows, loaded or not. */
  total: number
  project: string | undefined
  /** Names the list; what is selected in one is not in another. */
  list: string
  head?: ReactNode
  /** Loads more rows after the last one. */
  onEnd?: () => void
  /** Called with the issues that changes apply to: the selected ones, or the current one. */
  onTargets(issues: readonly ListedIssue[]): void
  /** Called with what is to be done with the selected issues. */
  onAct(act: IssueAct): void
}

/** A long list of issues, of which only visible rows are rendered. */
export function IssueGrid({ label, rows, total, project, list, head, onEnd, onTargets, onAct }: IssueGridProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const isNarrow = useHasTwoLines()
  const rem = remInPixels()
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: heights depend on the page width and the font size
  useEffect(() => virtual.measure(), [isNarrow, rem, rows.length])

  const { cursor, rowRef } = useGridCursor({ issues, places, project, reveal: (row) => virtual.scrollToIndex(row) })
  const current = issues[cursor.at]
  const selection = useIssueSelection(list)
  // As they are now; what left the list is not selected any more.
  const chosen = issues.filter(({ id }) => selection.ids.has(id))
  const targets = chosen.length > 0 || current === undefined ? chosen : [current]
  useEffect(() => {
    onTargets(targets)
    return () => onTargets([])
  })
  useSelectionKeys({ cursor, issues, selection, chosen })
  const onPoint = (at: number, how: Pointed) => {
    const [from, to] = [Math.min(at, cursor.at), Math.max(at, cursor.at)]
    if (how === 'range') selection.add(...issues.slice(from, to + 1).map(({ id }) => id))
    else if (how === 'toggle') selection.toggle(issues[at]?.id ?? '')
    cursor.set(at)
  }
  const isPeeking = peekChoice.useChoice() === 'on'

  useEffect(() =>
    rememberList(
      list,
      issues.map(({ id }) => id),
    ),
  )
  const isFilled = issues.length > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when rows are there: return to where the person came from
  useEffect(() => {
    const at = issues.findIndex(({ id }) => id === lastOpened())
    if (at <= 0) return
    cursor.set(at)
    virtual.scrollToIndex(places[at] ?? 0, { align: 'center' })
  }, [isFilled])

  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? -1
  useEffect(() => {
    if (last >= rows.length - LOAD_AHEAD_ROWS) onEnd?.()
  }, [last, rows.length, onEnd])

  return (
    <>
      <SelectionBar size={chosen.length} onAct={onAct} onClear={selection.clear} />
      <div
        data-peek={isPeeking && current !== undefined ? '' : undefined}
        className="group/issues flex min-h-0 flex-1 max-lg:flex-col"
      >
        <div
          ref={scroller}
          role="grid"
          aria-label={label}
          aria-multiselectable
          aria-rowcount={total + (head === undefined ? 0 : 1)}
          className="scrolls min-h-0 min-w-0 flex-1"
        >
          {head}
          <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
            {items.map(({ index, key, start, size }) => {
              const row = rows[index]
              if (row === undefined) return null
              const at = places.indexOf(index)
              const place = { transform: `translateY(${start}px)`, height: size }
              return row.kind === 'head' ? (
                <Heading key={key} row={row} style={place} />
              ) : (
                <IssueRow
                  key={key}
                  ref={at === cursor.at ? rowRef : null}
                  issue={row.issue}
                  note={row.note}
                  to={issuePathIn(row.issue.id, project)}
                  index={index + (head === undefined ? 1 : 2)}
                  isCurrent={at === cursor.at}
                  isSelected={selection.ids.has(row.issue.id)}
                  onPoint={(how) => onPoint(at, how)}
                  style={place}
                />
              )
            })}
          </div>
        </div>
        {isPeeking && current !== undefined ? <IssuePeek id={current.id} project={project} /> : null}
      </div>
    </>
  )
}

interface SelectionKeysInput {
  cursor: ListCursor
  issues: readonly ListedIssue[]
  selection: IssueSelection
  chosen: readonly ListedIssue[]
}

/** Keys that select issues, as in the list of needs, and the one that shows the current issue beside the list. */
function useSelectionKeys(input: SelectionKeysInput): void {
  const latest = useRef(input)
  latest.current = input
  useKeys(
    useMemo((): KeyBinding[] => {
      const bind = (keys: string, label: string, run: KeyBinding['run']): KeyBinding => ({
        keys,
        label,
        group: 'Issues',
        run,
      })
      const select = (by: number) => () => {
        const { cursor, issues, selection } = latest.current
        const issue = issues[cursor.at]
        if (issue === undefined) return false
        if (by === 0) selection.toggle(issue.id)
        else {
          selection.add(issue.id)
          cursor.go(Math.max(0, Math.min(issues.length - 1, cursor.at + by)))
        }
        return true
      }
      return [
        bind('Space', 'select', (event) => !isOnControl(event) && select(0)()),
        bind('J', 'select, and go on', select(1)),
        bind('K', 'select, and go back', select(-1)),
        bind('Escape', 'select nothing', () => {
          const { chosen, selection } = latest.current
          if (chosen.length === 0) return false
          selection.clear()
          return true
        }),
        bind('v', 'show the issue beside the list', () => peekChoice.choose(peekChoice.read() === 'on' ? 'off' : 'on')),
      ]
    }, []),
  )
}

interface GridCursorInput {
  issues: readonly ListedIssue[]
  /** Index of the row of each issue. */
  places: readonly number[]
  project: string | undefined
  /** Scrolls a row into view. */
  reveal(row: number): void
}

/** A cursor over the issues of the grid, and the ref of its row. */
function useGridCursor({ issues, places, project, reveal }: GridCursorInput) {
  const go = useGo()
  /** Whether the current row takes the focus as soon as it is rendered. */
  const wantsFocus = useRef(false)
  const cursor = useListCursor({
    count: issues.length,
    group: 'Issues',
    onOpen: (at) => {
      const issue = issues[at]
      if (issue === undefined) return
      rememberOpened(issue.id)
      go(issuePathIn(issue.id, project))
    },
    // `l` is for labels here.
    onIn: () => false,
    reveal: (at) => {
      wantsFocus.current = true
      reveal(places[at] ?? 0)
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
  return { cursor, rowRef }
}

function Heading({ row, style }: { row: Extract<GridRow, { kind: 'head' }>; style: CSSProperties }) {
  return (
    <div role="row" style={style} className="absolute inset-x-0 top-0 flex items-end px-3 pb-1">
      <div role="gridcell">
        <h2 className="text-xs font-semibold text-ink-2">
          {row.text}
          {row.count === undefined ? null : (
            <span className="pl-1.5 font-normal text-ink-3">{row.count.toLocaleString('en')}</span>
          )}
        </h2>
      </div>
    </div>
  )
}

/** Height of a row, in rem. */
function heightOf(row: GridRow | undefined, isNarrow: boolean): number {
  if (row === undefined || row.kind === 'head') return ROW_HEIGHTS_REM.head
  const own = isNarrow ? ROW_HEIGHTS_REM.narrow : ROW_HEIGHTS_REM.wide
  return row.note === undefined ? own : own + ROW_HEIGHTS_REM.note
}
