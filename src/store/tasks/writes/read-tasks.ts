import type { TaskKey } from '../../../domain/ids'
import type { Running } from '../../../domain/task/placement/placement'
import type { NewTask, TaskPatch, TaskRow } from '../../../domain/task/task-store'
import { TASK } from '../rows'

/**
 * Rows of tasks that a unit has read and holds, with what it wrote to them: the answer of a write is made of such a row, not
 * of another select of 56 columns. Nobody else changes a row before the unit's end (the lock of `TaskTx.task`), and in a unit
 * only `insertTask` and `updateTask` write what a row holds.
 */
export class ReadTasks {
  private readonly rows = new Map<TaskKey, TaskRow>()
  /** What runs, as a claim of this unit counted it, with what the unit took since; `null` = it did not count. One poll takes many. */
  running: Running[] | null = null

  /** Another unit begins. */
  clear(): void {
    this.rows.clear()
    this.running = null
  }

  /** The row as it is now; its holder has the task's lock already. */
  get(key: TaskKey): TaskRow | undefined {
    return this.rows.get(key)
  }

  /** Takes note of a row that was read under its lock. */
  read<Row extends TaskRow | undefined>(row: Row): Row {
    if (row !== undefined) this.rows.set(row.key, row)
    return row
  }

  inserted(key: TaskKey, row: NewTask, now: number): TaskRow {
    const whole = { ...TASK.unsaid, ...row, ...TASK.stored(row), key, createdAt: now, updatedAt: now }
    this.rows.set(key, whole)
    return whole
  }

  /** The part of `patch` that the row does not have already. An update that names a column rewrites the indexes on it. */
  changes(key: TaskKey, patch: TaskPatch): TaskPatch {
    const row = this.rows.get(key)
    if (row === undefined) return patch
    const changes: Record<string, unknown> = {}
    for (const name in patch) {
      const field = name as keyof TaskPatch
      if (patch[field] !== row[field]) changes[field] = patch[field]
    }
    return changes as TaskPatch
  }

  updated(key: TaskKey, patch: TaskPatch, now: number): void {
    const row = this.rows.get(key)
    if (row !== undefined) this.rows.set(key, { ...row, ...TASK.stored(patch), updatedAt: now })
  }
}
