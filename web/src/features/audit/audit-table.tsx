import { useVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, type Ref, useEffect, useRef } from 'react'
import { Link } from '../../components/link'
import { AgentLine } from '../../components/ui/agent-text'
import { When } from '../../components/ui/when'
import { useListCursor } from '../../lib/keys/list-cursor'
import { taskPath, useGo } from '../../lib/links'
import { useVirtualRows } from '../task/list/virtual-row'
import { type AuditLine, actInWords, detailInWords, whoInWords } from './audit-words'

interface AuditTableProps {
  lines: readonly AuditLine[]
  /** Whether there are more lines, which are loaded near the end of the list. */
  hasMore: boolean
  isAsking: boolean
  onMore(): void
}

/** Grid columns on a wide page; the header shares them. */
const COLUMN_CLASSES =
  'xl:grid xl:grid-cols-[4rem_6rem_minmax(0,3fr)_minmax(0,4fr)_minmax(0,3fr)_minmax(0,4fr)] xl:items-center xl:gap-x-3'
const COLUMN_NAMES = ['Line', 'When', 'Who', 'Did', 'To', 'Details']
/** The next page is loaded when this many rows are left. */
const LOAD_AHEAD_ROWS = 25
/** Estimated height of a row, in pixels. */
const ROW_PX = 31

/** Lines of the audit log, of which only visible ones are rendered. */
export function AuditTable({ lines, hasMore, isAsking, onMore }: AuditTableProps) {
  const go = useGo()
  const scroller = useRef<HTMLDivElement>(null)
  const list = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (at) => lines[at]?.number ?? at,
    overscan: 12,
  })
  const virtual = useVirtualRows(list)
  const cursor = useListCursor({
    count: lines.length,
    group: 'Audit',
    reveal: virtual.reveal,
    onOpen: (at) => {
      const line = lines[at]
      const path = line === undefined ? null : pathOf(line)
      if (path !== null) go(path)
    },
  })
  const shown = list.getVirtualItems()
  const isNearEnd = hasMore && !isAsking && (shown.at(-1)?.index ?? 0) >= lines.length - LOAD_AHEAD_ROWS
  useEffect(() => {
    if (isNearEnd) onMore()
  }, [isNearEnd, onMore])
  return (
    <div ref={scroller} className="scrolls min-h-0 flex-1">
      <div role="grid" aria-label="Lines of the audit log" aria-rowcount={hasMore ? -1 : lines.length + 1}>
        <div role="rowgroup" className="sticky top-0 z-10 bg-canvas">
          <div
            role="row"
            aria-rowindex={1}
            className={`${COLUMN_CLASSES} h-7 border-b border-line px-4 text-2xs font-medium text-ink-3 max-xl:sr-only`}
          >
            {COLUMN_NAMES.map((name) => (
              <div key={name} role="columnheader">
                {name}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" className="relative" style={{ height: list.getTotalSize() }}>
          {shown.map(({ index, key, start }) => {
            const line = lines[index]
            return line === undefined ? null : (
              <Row
                key={key}
                line={line}
                index={index}
                isCurrent={index === cursor.at}
                rowRef={virtual.refOf(index, cursor)}
                style={{ transform: `translateY(${start}px)` }}
                onFocus={() => cursor.set(index)}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

interface RowProps {
  line: AuditLine
  index: number
  isCurrent: boolean
  rowRef: Ref<HTMLDivElement>
  style: CSSProperties
  onFocus(): void
}

function Row({ line, index, isCurrent, rowRef, style, onFocus }: RowProps) {
  const path = pathOf(line)
  const detail = detailInWords(line)
  return (
    <div
      ref={rowRef}
      role="row"
      tabIndex={isCurrent ? 0 : -1}
      aria-rowindex={index + 2}
      data-index={index}
      data-testid="audit-row"
      onFocus={onFocus}
      style={style}
      className={`${COLUMN_CLASSES} absolute inset-x-0 top-0 flex min-h-7.75 flex-wrap items-baseline gap-x-3 border-b border-line px-4 text-sm focus-visible:outline-offset-[-2px] max-xl:py-1.5 ${isCurrent ? 'row-current' : 'hover:bg-hover'}`}
    >
      <div role="gridcell" className="text-xs text-ink-3 max-xl:order-2">
        {line.number}
      </div>
      <div role="gridcell" className="text-xs text-ink-3 max-xl:order-3 max-xl:ml-auto">
        <When at={line.at} />
      </div>
      <div role="gridcell" className="min-w-0 max-xl:order-1">
        <AgentLine text={whoInWords(line)} />
      </div>
      <div role="gridcell" title={line.act} className="min-w-0 max-xl:order-4 max-xl:w-full">
        <AgentLine text={actInWords(line)} />
      </div>
      <div role="gridcell" className="min-w-0 text-xs text-ink-2 max-xl:order-5 max-xl:max-w-full">
        {line.target === null ? (
          <span className="sr-only">nothing</span>
        ) : path === null ? (
          <AgentLine text={line.target} />
        ) : (
          <Link to={path} tabIndex={-1} className="text-accent underline">
            <AgentLine text={line.target} />
          </Link>
        )}
      </div>
      <div role="gridcell" className="min-w-0 text-xs text-ink-3 max-xl:order-6 max-xl:max-w-full">
        {detail === '' ? <span className="sr-only">none</span> : <AgentLine text={detail} />}
      </div>
    </div>
  )
}

/** Where a line leads: to its task. Sessions may be gone. */
const pathOf = ({ act, target }: AuditLine): string | null =>
  act === 'task.permission' && target !== null ? taskPath(target) : null
