import type { Task } from '#domain/task/task'
import { Status } from '../../components/ui/status'
import { statusDetail } from './task-words'

/** A task's status with its reason, and what it waits for or who paused it. */
export function TaskState({ task }: { task: Pick<Task, 'status' | 'reason' | 'pausedBy' | 'waitingFor'> }) {
  const detail = statusDetail(task)
  return (
    <span className="inline-flex min-w-0 items-center gap-1">
      <Status status={task.status} evidence={task.reason} />
      {detail === null ? null : <span className="truncate text-xs text-ink-3">({detail})</span>}
    </span>
  )
}
