import { isAppError } from '../../domain/errors'
import type { TaskId } from '../../domain/ids'
import { type Ended, LastRead } from '../../domain/last-read'
import type { Task } from '../../domain/task/task'
import type { TaskRow } from '../../domain/task/task-store'
import type { Caller } from '../../domain/task/worker-protocol'
import type { UnitSubject } from '../../domain/unit-subject'
import type { TaskRef } from '../unit/find-task'
import { getTask, NoSuchTask, resolveTask, unknownTask } from '../unit/find-task'
import { inUnit, type TaskParts, type Unit } from '../unit/unit'

/** Tries in all, if a new id is taken or two equal requests arrive at once. */
const TURNS = 4

/** The units of work that the use cases of tasks are made of. */
export class TaskUnits {
  private readonly parts: TaskParts

  constructor(parts: TaskParts) {
    this.parts = parts
  }

  /** A unit that changes one task, and the task as it is then. */
  change(
    caller: Caller,
    ref: TaskRef,
    work: (unit: Unit, task: TaskRow) => Promise<void>,
    about: UnitSubject = {},
  ): Promise<Task> {
    const agents = 'agentId' in caller ? [caller.agentId] : []
    return this.withTask(ref, (id) =>
      this.run(
        caller,
        async (unit) => {
          const task = await getTask(unit, id)
          await work(unit, task)
          return new LastRead(() => unit.tasks.shown(task.key))
        },
        { ...about, task: id, agents },
      ),
    )
  }

  async withTask<Ref extends TaskRef | null, T>(
    ref: Ref,
    work: (id: Ref extends null ? null : TaskId) => Promise<T>,
  ): Promise<T> {
    const id = ref === null ? null : await resolveTask(this.parts.store, ref)
    return await work(id as Ref extends null ? null : TaskId)
  }

  async run<T>(caller: Caller, work: (unit: Unit) => Promise<Ended<T>>, about?: UnitSubject): Promise<T> {
    for (let turn = 1; ; turn++)
      try {
        return await inUnit(this.parts, caller, work, about)
      } catch (thrown) {
        if (turn < TURNS && isTaken(thrown)) continue
        const cause = thrown instanceof NoSuchTask ? thrown : causeOf(thrown)
        if (cause instanceof NoSuchTask) throw await unknownTask(this.parts.store, cause.ref)
        throw thrown
      }
  }
}

/** A `conflict` that came from the database and not from a rule: a row like it was made at the same time. */
const isTaken = (thrown: unknown): boolean =>
  isAppError(thrown) && thrown.code === 'conflict' && thrown.cause !== undefined

const causeOf = (thrown: unknown): unknown => (thrown instanceof Error ? thrown.cause : undefined)
