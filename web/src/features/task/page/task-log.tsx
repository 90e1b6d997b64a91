import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { ArrowDown } from 'lucide-react'
import { type ReactNode, type UIEvent, useEffect, useMemo, useRef, useState } from 'react'
import type { TaskId } from '#domain/ids'
import type { Attempt } from '#domain/task/task'
import { Button } from '../../../components/ui/button'
import { Empty, Loading } from '../../../components/ui/empty'
import { ErrorCard } from '../../../components/ui/error-card'
import { counted } from '../../../lib/format'
import { useListCursor } from '../../../lib/keys/list-cursor'
import { Choices } from '../form/choices'
import { useVirtualRows } from '../list/virtual-row'
import { type LogRow, logRows } from '../task-log'
import { useTaskLog } from '../task-queries'
import { LogLine, LogSeparator } from './log-line'
import type { LogView } from './task-page-search'

interface TaskLogProps {
  id: TaskId
  attempts: readonly Attempt[]
  view: LogView | undefined
  onView(view: LogView | undefined): void
  /** Below the lines. */
  foot: ReactNode
}

/** Views of the log; undefined shows everything. */
const VIEWS = [
  [undefined, 'all'],
  ['words', 'messages'],
  ['moves', 'status'],
] as const satisfies readonly (readonly [LogView | undefined, string])[]

/** The log of a task, live. */
export function TaskLog({ id, attempts, view, onView, foot }: TaskLogProps) {
  const { data, error, refetch } = useTaskLog(id)
  const rows = useMemo(() => logRows(data?.lines ?? [], view), [data, view])
  return (
    <section aria-label="Log" className="flex min-h-0 flex-col bg-panel max-lg:h-[75vh] lg:h-full">
      <header className="flex min-h-9 shrink-0 items-center gap-2 border-b border-line px-3">
        <h2 className="text-xs font-semibold text-ink-2">Log</h2>
        {data === undefined ? null : (
          <span className="text-2xs text-ink-3">{counted(data.lines.length + data.dropped, 'line')}</span>
        )}
        <div className="ml-auto">
          <Choices label="Shown lines" choices={VIEWS} chosen={view} onChoose={onView} />
        </div>
      </header>
      {error !== null && data === undefined ? <ErrorCard error={error} onRetry={() => void refetch()} /> : null}
      {data === undefined && error === null ? <Loading what="Reading the log" /> : null}
      {data === undefined ? null : rows.length === 0 ? (
        <Empty title="The log is empty." />
      ) : (
        <Lines rows={rows} attempts={attempts} dropped={data.dropped} />
      )}
      {foot}
    </section>
  )
}

/** Estimated height of a line, in pixels. */
const LINE_PX = 26

/** A distance to the end below this counts as being at the end. Pixels. */
const NEAR_END_PX = 40

function Lines({
  rows,
  attempts,
  dropped,
}: {
  rows: readonly LogRow[]
  attempts: readonly Attempt[]
  dropped: number
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    getItemKey: (at) => rows[at]?.key ?? at,
    overscan: 20,
  })
  const toggle = (at: number) => {
    const key = rows[at]?.key
    if (key === undefined) return
    setOpen((now) => (now.has(key) ? new Set([...now].filter((one) => one !== key)) : new Set([...now, key])))
  }
  const virtual = useVirtualRows(list)
  const cursor = useListCursor({
    count: rows.length,
    onOpen: toggle,
    reveal: virtual.reveal,
    group: 'Log',
  })
  const { set } = cursor
  const { fresh, toEnd, onScroll } = useLogEnd(rows, list, set)
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      {dropped === 0 ? null : (
        <p className="border-b border-line px-3 py-1 text-2xs text-ink-3">
          {counted(dropped, 'older line')} not shown. Run <code className="font-mono">lode task log</code> to see all.
        </p>
      )}
      <div
        ref={scroller}
        role="log"
        aria-label="Lines"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keys
        tabIndex={0}
        aria-live="off"
        onScroll={onScroll}
        className="scrolls min-h-0 flex-1 overscroll-contain focus-visible:outline-offset-[-2px]"
      >
        <div className="relative" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ index, key, start }) => {
            const row = rows[index]
            if (row === undefined) return null
            const place = {
              'data-index': index,
              style: { position: 'absolute', insetInline: 0, top: 0, transform: `translateY(${start}px)` },
              rowRef: virtual.refOf(index, cursor),
            } as const
            return row.kind === 'attempt' ? (
              <LogSeparator
                key={key}
                {...place}
                attempt={attempts.find(({ number }) => number === row.number)}
                number={row.number}
              />
            ) : (
              <LogLine
                key={key}
                {...place}
                line={row.line}
                isOpen={open.has(row.key)}
                onToggle={() => {
                  set(index)
                  toggle(index)
                }}
              />
            )
          })}
        </div>
      </div>
      {fresh > 0 ? (
        <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
          <Button className="pointer-events-auto shadow-pop" icon={<ArrowDown aria-hidden size={13} />} onClick={toEnd}>
            {counted(fresh, 'new line')}
          </Button>
        </div>
      ) : null}
    </div>
  )
}

/** Keeps the log at its end while the person is there, and counts the rows that were added while they were elsewhere. */
function useLogEnd(
  rows: readonly LogRow[],
  list: Virtualizer<HTMLDivElement, Element>,
  setCursor: (at: number) => void,
) {
  const [seen, setSeen] = useState(rows.length)
  const isAtEnd = useRef(true)
  const toEnd = () => {
    isAtEnd.current = true
    setSeen(rows.length)
    list.scrollToIndex(rows.length - 1, { align: 'end' })
  }
  // While the log follows its end, the cursor does, too.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per change of the list, and only at its end
  useEffect(() => {
    if (!isAtEnd.current) return
    toEnd()
    setCursor(rows.length - 1)
  }, [rows])
  const onScroll = ({ currentTarget: { scrollTop, scrollHeight, clientHeight } }: UIEvent<HTMLElement>) => {
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PX
    if (isAtEnd.current && seen !== rows.length) setSeen(rows.length)
  }
  return { fresh: rows.length - seen, toEnd, onScroll }
}
