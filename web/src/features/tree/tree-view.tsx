import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type Ref, useEffect, useMemo, useRef } from 'react'
import { type KeyBinding, useKeys } from '../../lib/keys/keys'
import { useHasTwoLines } from '../../lib/narrow'
import { RowFace, TREE_COLUMN_CLASSES } from './tree-row'
import type { TreeEntry, TreeRow } from './tree-rows'
import type { Span } from './tree-search'

/** Estimated heights of rows, in pixels. */
const ROW_PX = 30
const NARROW_ROW_PX = 52

interface TreeViewProps {
  rows: readonly TreeRow[]
  /** Key of the current row. */
  current: string | null
  onCurrent(key: string): void
  onToggle(entry: TreeEntry, isOpen: boolean): void
  onOpenPage(entry: TreeEntry): void
  onOpenAll(entries: TreeEntry[]): void
  onMore(under: string): void
  /** Tokens and costs are those of this span; left out: of all time. */
  span?: Span | undefined
}

/** The tree, of which only visible rows are rendered. One row is current; keys work as in any tree. */
export function TreeView({ rows, current, onCurrent, onToggle, onOpenPage, onOpenAll, onMore, span }: TreeViewProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const isNarrow = useHasTwoLines()
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isNarrow ? NARROW_ROW_PX : ROW_PX),
    getItemKey: (at) => rows[at]?.key ?? at,
    overscan: 12,
  })
  const place = Math.max(
    0,
    rows.findIndex(({ key }) => key === current),
  )
  const shown = virtual.getVirtualItems()

  // A visible end of a level loads its next page.
  useEffect(() => {
    for (const { index } of shown) {
      const row = rows[index]
      if (row?.kind === 'more') onMore(row.under)
    }
  })

  const latest = useRef({ rows, place })
  latest.current = { rows, place }
  const focusMoved = useRef(false)
  const move = (to: number) => {
    const row = latest.current.rows[Math.max(0, Math.min(latest.current.rows.length - 1, to))]
    if (row === undefined) return
    focusMoved.current = true
    onCurrent(row.key)
    virtual.scrollToIndex(latest.current.rows.indexOf(row), { align: 'auto' })
  }
  const moves = useRef({ move, onToggle, onOpenPage, onOpenAll })
  moves.current = { move, onToggle, onOpenPage, onOpenAll }

  useEffect(() => {
    if (!focusMoved.current) return
    const element = scroller.current?.querySelector<HTMLElement>('[data-current="true"]')
    if (element === null || element === undefined) return
    focusMoved.current = false
    element.focus({ preventScroll: true })
  })

  useKeys(useMemo(() => bindings(latest, moves), []))

  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-auto bg-panel">
      <Header span={span} />
      <div role="tree" aria-label="All work" className="relative" style={{ height: virtual.getTotalSize() }}>
        {shown.map(({ index, start, key }) => {
          const row = rows[index]
          if (row === undefined) return null
          const common = { ref: virtual.measureElement, index, start, isCurrent: index === place }
          return row.kind === 'more' ? (
            <MoreRow key={key} {...common} row={row} />
          ) : (
            <EntryRow
              key={key}
              {...common}
              row={row}
              onCurrent={onCurrent}
              onToggle={onToggle}
              onOpenPage={onOpenPage}
            />
          )
        })}
      </div>
    </div>
  )
}

/** What tokens and costs are of, in the narrow columns. */
const SPAN_MARKS: Record<Span, string> = { '1h': '1 h', '24h': '24 h', '7d': '7 d' }

/** Names of the columns on a wide page. */
const Header = ({ span }: { span: Span | undefined }) => (
  <div
    aria-hidden
    className={`sticky top-0 z-10 hidden h-7 border-b border-line bg-panel px-2 text-2xs text-ink-3 ${TREE_COLUMN_CLASSES}`}
  >
    <span className="pl-7">Name</span>
    <span>Status</span>
    {['Running', 'Blocked', 'Needs', 'Tokens', 'Cost', 'Activity'].map((name) => (
      <span key={name} className="text-right whitespace-nowrap">
        {name}
        {span !== undefined && (name === 'Tokens' || name === 'Cost') ? `, ${SPAN_MARKS[span]}` : ''}
      </span>
    ))}
  </div>
)

interface RowPlace {
  ref: Ref<HTMLDivElement>
  index: number
  /** Offset from the top of the list, in pixels. */
  start: number
  isCurrent: boolean
}

/** What the virtualizer needs of each row, and its look. */
const placeProps = ({ ref, index, start, isCurrent }: RowPlace) => ({
  ref,
  'data-index': index,
  style: { transform: `translateY(${start}px)` },
  className: `absolute inset-x-0 top-0 flex min-h-7.5 flex-col justify-center border-b border-line/60 max-md:min-h-12 max-md:py-1.5 focus-visible:outline-offset-[-2px] ${isCurrent ? 'row-current' : 'hover:bg-hover'}`,
})

/** Stands for the entries of a level that are not loaded. */
function MoreRow({ row, ...place }: RowPlace & { row: Extract<TreeRow, { kind: 'more' }> }) {
  return (
    <div {...placeProps(place)} role="none">
      <span className="px-2 text-xs text-ink-3" style={{ paddingInlineStart: `${row.depth * 16 + 20}px` }}>
        {row.left > 0 ? `${row.left.toLocaleString('en')} more …` : '…'}
      </span>
    </div>
  )
}

type EntryRowProps = RowPlace &
  Pick<TreeViewProps, 'onCurrent' | 'onToggle' | 'onOpenPage'> & { row: Extract<TreeRow, { kind: 'entry' }> }

function EntryRow({ row, onCurrent, onToggle, onOpenPage, ...place }: EntryRowProps) {
  const { entry, depth, isOpen } = row
  return (
    <div
      {...placeProps(place)}
      role="treeitem"
      data-testid="tree-row"
      data-entry={entry.id}
      data-current={place.isCurrent}
      aria-level={depth}
      aria-posinset={row.at}
      aria-setsize={row.of}
      aria-expanded={entry.childCount > 0 ? isOpen : undefined}
      aria-selected={place.isCurrent}
      tabIndex={place.isCurrent ? 0 : -1}
      onClick={() => onOpenPage(entry)}
      onFocus={() => onCurrent(row.key)}
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key === ' ') {
          event.preventDefault()
          onToggle(entry, isOpen)
        }
      }}
    >
      <RowFace entry={entry} depth={depth} isOpen={isOpen} onToggle={() => onToggle(entry, isOpen)} />
    </div>
  )
}

type Latest = { current: { rows: readonly TreeRow[]; place: number } }
type Moves = {
  current: Pick<TreeViewProps, 'onToggle' | 'onOpenPage' | 'onOpenAll'> & { move(to: number): void }
}

function bindings(latest: Latest, moves: Moves): KeyBinding[] {
  const group = 'Tree'
  const here = () => {
    const row = latest.current.rows[latest.current.place]
    return row?.kind === 'entry' ? row : undefined
  }
  const to = (place: () => number) => () => moves.current.move(place())
  const into = () => {
    const row = here()
    if (row === undefined || row.entry.childCount === 0) return false
    if (!row.isOpen) moves.current.onToggle(row.entry, false)
    else moves.current.move(latest.current.place + 1)
    return true
  }
  const out = () => {
    const row = here()
    if (row === undefined) return false
    if (row.isOpen) moves.current.onToggle(row.entry, true)
    else if (row.parent >= 0) moves.current.move(row.parent)
    return true
  }
  const openPage = () => {
    const row = here()
    return row === undefined ? false : moves.current.onOpenPage(row.entry)
  }
  const openAll = () => {
    const row = here()
    if (row === undefined) return false
    const siblings = latest.current.rows.flatMap((one) =>
      one.kind === 'entry' && one.depth === row.depth && one.parent === row.parent && one.entry.childCount > 0
        ? [one.entry]
        : [],
    )
    moves.current.onOpenAll(siblings)
    return true
  }
  const bind = (keys: string, label: string, run: KeyBinding['run']): KeyBinding => ({ keys, label, group, run })
  return [
    bind(
      'j',
      'next row',
      to(() => latest.current.place + 1),
    ),
    bind(
      'k',
      'previous row',
      to(() => latest.current.place - 1),
    ),
    bind(
      'ArrowDown',
      'next row',
      to(() => latest.current.place + 1),
    ),
    bind(
      'ArrowUp',
      'previous row',
      to(() => latest.current.place - 1),
    ),
    bind(
      'Home',
      'first row',
      to(() => 0),
    ),
    bind(
      'End',
      'last row',
      to(() => latest.current.rows.length - 1),
    ),
    bind('l', 'expand, or go into it', into),
    bind('ArrowRight', 'expand, or go into it', into),
    bind('h', 'collapse, or go out of it', out),
    bind('ArrowLeft', 'collapse, or go out of it', out),
    bind('Enter', 'open its page', openPage),
    bind('*', 'expand all siblings', openAll),
  ]
}
