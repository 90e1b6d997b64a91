import type { Address, TaskKey } from '../../domain/ids'
import type { OpenChild } from '../../domain/message/mail-store'
import type { TaskRow } from '../../domain/task/task-store'
import type { Unit } from '../unit/unit'
import { addressOfTask } from './runs/mail-of-runs'

/** Children that are looked at. */
const MAX_CHILDREN = 1_000
/** Tasks that are followed from there. */
const MAX_FOLLOWED = 1_000

/**
 * How many tasks the given one is to wait for: those that report to it and can come to an end before it does. One that itself needs
 * this task to be over, by whatever it waits for, is not among them: else both would wait for ever.
 */
export async function countAwaited(unit: Unit, task: TaskRow, to: Address): Promise<number> {
  const children = await unit.messages.openChildren(to, MAX_CHILDREN)
  if (!children.every(isHeldUp)) return children.length
  const walk = new Walk(unit, task.key)
  let count = 0
  for (const child of children) if (!(await walk.needsIt(child))) count++
  return count
}

const isHeldUp = ({ waitingFor }: Pick<OpenChild, 'waitingFor'>): boolean =>
  waitingFor === 'dependency' || waitingFor === 'children'

/** Follows what tasks wait for, back to one of them. */
class Walk {
  private readonly unit: Unit
  private readonly target: TaskKey
  private readonly known = new Map<TaskKey, boolean>()

  constructor(unit: Unit, target: TaskKey) {
    this.unit = unit
    this.target = target
  }

  /** Whether the task can't be over before the target is. */
  async needsIt(task: OpenChild): Promise<boolean> {
    if (task.key === this.target) return true
    const known = this.known.get(task.key)
    if (known !== undefined) return known
    if (this.known.size >= MAX_FOLLOWED) return false
    // Met again on its own way: those on the way wait for one another.
    this.known.set(task.key, true)
    const needs = await this.waitsForIt(task)
    this.known.set(task.key, needs)
    return needs
  }

  /** It needs all of its dependencies, and any of the tasks that report to it. */
  private async waitsForIt(task: OpenChild): Promise<boolean> {
    if (!isHeldUp(task)) return false
    if (task.waitingFor === 'children') {
      const children = await this.unit.messages.openChildren(await addressOfTask(this.unit, task), MAX_CHILDREN)
      for (const child of children) if (!(await this.needsIt(child))) return false
      return children.length > 0
    }
    for (const { key, id } of await this.unit.tasks.dependencies(task.key)) {
      if (key === this.target) return true
      const row = await this.unit.messages.openTask(key)
      if (row !== undefined && (await this.needsIt({ ...row, id }))) return true
    }
    return false
  }
}
