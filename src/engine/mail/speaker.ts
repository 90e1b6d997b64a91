import { type Address, taskId } from '../../domain/ids'
import type { TaskRow } from '../../domain/task/task-store'
import type { Unit } from '../unit/unit'
import { isTaskAddress } from './address'

/** The task that speaks for the address now: one that goes on in its conversation, else the one whose address it is. */
export async function speakerOf(unit: Unit, to: Address): Promise<TaskRow | undefined> {
  // Asked at once: the database is far, and few addresses have others that speak for them.
  const [[newest], own] = await Promise.all([
    unit.messages.speakersFor(to, 1),
    isTaskAddress(to) ? unit.tasks.task(taskId(to)) : undefined,
  ])
  return newest?.isOpen ? await unit.tasks.task(newest.id) : own
}
