import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import type { Task } from '../../../../src/domain/task'
import { taskPath, useGo } from '../../lib/links'
import { useListCursor } from '../../lib/list-cursor'
import { useTaskCosts } from '../../lib/task-costs'
import { TaskColumns, TaskRow } from './task-row'
import { useVirtualRows } from './virtual-row'

interface TaskTableProps {
  tasks: readonly Task[]
  /** There are more: they are asked for when the end comes near. */
  hasMore: boolean
  isAsking: boolean
  onMore(): void
}

/** Rows before the last one at which the next page is asked for. */
const AHEAD = 25
/** Rows whose costs are asked for together. */
const COSTS = 60

/** Tasks, a line each; only those in view are on the page. */
export function TaskTable({ tasks, hasMore, isAsking, onMore }: TaskTableProps) {
  const go = useGo()
  const scroller = useRef<HTMLDivElement>(null)
  const list = useVirtualizer({
    count: tasks.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 33,
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
  const inView = tasks.slice(COSTS * Math.floor((shown[0]?.index ?? 0) / COSTS), COSTS * Math.ceil((last + 1) / COSTS))
  const costs = useTaskCosts(inView.map(({ id }) => id))
  const isNearEnd = hasMore && !isAsking && last >= tasks.length - AHEAD
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
