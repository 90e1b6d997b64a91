import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import type { Task } from '#domain/task/task'
import { useListCursor } from '../../../lib/keys/list-cursor'
import { taskPath, useGo } from '../../../lib/links'
import { useTaskCosts } from '../task-costs'
import { TaskColumns, TaskRow } from './task-row'
import { useVirtualRows } from './virtual-row'

interface TaskTableProps {
  tasks: readonly Task[]
  /** Whether there are more tasks, which are loaded near the end of the list. */
  hasMore: boolean
  isAsking: boolean
  onMore(): void
}

/** The next page is loaded when this many rows are left. */
const LOAD_AHEAD_ROWS = 25
/** Rows whose costs are loaded together. */
const COST_BATCH_ROWS = 60
/** Estimated height of a row, in pixels. */
const ROW_PX = 33

/** A long list of tasks, of which only visible rows are rendered. */
export function TaskTable({ tasks, hasMore, isAsking, onMore }: TaskTableProps) {
  const go = useGo()
  const scroller = useRef<HTMLDivElement>(null)
  const list = useVirtualizer({
    count: tasks.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (at) => tasks[at]?.id ?? at,
    overscan: 12,
  })
  const virtual = useVirtualRows(list)
  const cursor = useListCursor({
    count: tasks.length,
    onOpen: (at) => {
      const task = tasks[at]
      if (task !== undefined) go(taskPath(task.id))
    },
    reveal: virtual.reveal,
    group: 'Tasks',
  })
  const shown = list.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  const inView = tasks.slice(
    COST_BATCH_ROWS * Math.floor((shown[0]?.index ?? 0) / COST_BATCH_ROWS),
    COST_BATCH_ROWS * Math.ceil((last + 1) / COST_BATCH_ROWS),
  )
  const costs = useTaskCosts(inView.map(({ id }) => id))
  const isNearEnd = hasMore && !isAsking && last >= tasks.length - LOAD_AHEAD_ROWS
  useEffect(() => {
    if (isNearEnd) onMore()
  }, [isNearEnd, onMore])

  return (
    <div
      role="grid"
      aria-label="Tasks"
      aria-rowcount={hasMore ? -1 : tasks.length + 1}
      className="flex min-h-0 flex-1 flex-col"
    >
      <div role="rowgroup" className="shrink-0 overflow-hidden [scrollbar-gutter:stable]">
        <TaskColumns />
      </div>
      <div role="presentation" ref={scroller} className="scrolls min-h-0 flex-1 [scrollbar-gutter:stable]">
        <div role="rowgroup" className="relative" style={{ height: list.getTotalSize() }}>
          {shown.map(({ index, key, start }) => {
            const task = tasks[index]
            return task === undefined ? null : (
              <TaskRow
                key={key}
                task={task}
                recorded={costs?.get(task.id)}
                index={index}
                isCurrent={index === cursor.at}
                rowRef={virtual.refOf(index, cursor)}
                style={{ position: 'absolute', insetInline: 0, top: 0, transform: `translateY(${start}px)` }}
                onFocus={() => cursor.set(index)}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}
