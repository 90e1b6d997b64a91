import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { TaskId } from '../../../../src/domain/ids'
import type { Attempt } from '../../../../src/domain/task'
import { counted } from '../../lib/format'
import { useListCursor } from '../../lib/list-cursor'
import { type LogRow, logRows } from '../../lib/task-log'
import type { LogView } from '../../lib/task-page-search'
import { useTaskLog } from '../../lib/task-queries'
import { Button } from '../ui/button'
import { Empty, Loading } from '../ui/empty'
import { ErrorCard } from '../ui/error-card'
import { Choices } from './choices'
import { LogLine, LogSeparator } from './log-line'
import { useVirtualRows } from './virtual-row'

interface TaskLogProps {
  id: TaskId
  attempts: readonly Attempt[]
  view: LogView | undefined
  onView(view: LogView | undefined): void
}

const VIEWS = [
  [undefined, 'all'],
  ['words', 'words'],
  ['moves', 'moves'],
] as const satisfies readonly (readonly [LogView | undefined, string])[]

/** All that was said and done, as it comes. */
export function TaskLog({ id, attempts, view, onView }: TaskLogProps) {
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
          <Choices label="Lines that are shown" choices={VIEWS} chosen={view} onChoose={onView} />
        </div>
      </header>
      {error !== null && data === undefined ? <ErrorCard error={error} onRetry={() => void refetch()} /> : null}
      {data === undefined && error === null ? <Loading what="Reading the log" /> : null}
      {data === undefined ? null : rows.length === 0 ? (
        <Empty title="Nothing is in the log yet." />
      ) : (
        <Lines rows={rows} attempts={attempts} dropped={data.dropped} />
      )}
    </section>
  )
}

/** So near to the end counts as at the end. */
const END_PX = 40

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
  const [seen, setSeen] = useState(rows.length)
  const isAtEnd = useRef(true)
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 26,
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
  const toEnd = () => {
    isAtEnd.current = true
    setSeen(rows.length)
    list.scrollToIndex(rows.length - 1, { align: 'end' })
  }
  // Keys begin where the person reads: at the end, while they follow it.
  const { set } = cursor
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each change of the list, and only while its end is in view
  useEffect(() => {
    if (!isAtEnd.current) return
    toEnd()
    set(rows.length - 1)
  }, [rows])
  const fresh = rows.length - seen
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      {dropped === 0 ? null : (
        <p className="border-b border-line px-3 py-1 text-2xs text-ink-3">
          {counted(dropped, 'older line')} not shown: <code className="font-mono">lode task log</code> has them all.
        </p>
      )}
      <div
        ref={scroller}
        role="log"
        aria-label="Lines"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keys
        tabIndex={0}
        aria-live="off"
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < END_PX
          if (isAtEnd.current && seen !== rows.length) setSeen(rows.length)
        }}
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
