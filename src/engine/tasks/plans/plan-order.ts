import { AppError } from '../../../domain/errors'
import { PLAN_LIMITS } from '../../../domain/task/plan'
import { quoted } from '../../unit/find-task'
import type { PlanTask } from '../task-inputs'

const KEY = /^[\p{L}\p{N}_][\p{L}\p{N}_. -]*$/u

/** A plan's tasks in the order in which they are made: each after those that it depends on, else as they were given. */
export interface OrderedPlan {
  tasks: {
    task: PlanTask /** Of the same plan. */
    after: string[] /** Other tasks, as they were named. */
    others: string[]
  }[]
}

/**
 * Pure. @throws `too_large` · `invalid` no task, a key that is missing, twice or not usable, or a cycle; `details.keys` names it
 */
export function orderPlan(tasks: readonly PlanTask[]): OrderedPlan {
  if (tasks.length === 0) throw new AppError('invalid', 'The plan has no tasks.', { details: { field: 'tasks' } })
  if (tasks.length > PLAN_LIMITS.tasks)
    throw new AppError('too_large', `The plan has ${tasks.length} tasks; the maximum is ${PLAN_LIMITS.tasks}.`, {
      hint: 'Create several plans. Tasks of a later plan may depend on task IDs of an earlier one.',
      details: { field: 'tasks', limit: PLAN_LIMITS.tasks, unit: 'tasks' },
    })
  const byKey = new Map<string, PlanTask>()
  for (const task of tasks) {
    checkKey(task.key)
    if (byKey.has(task.key))
      throw new AppError('invalid', `The key ${quoted(task.key)} is used twice.`, {
        details: { field: 'tasks', keys: [task.key] },
      })
    byKey.set(task.key, task)
  }
  const left = tasks.map((task) => {
    const named = [...new Set(task.dependsOn ?? [])]
    return {
      task,
      after: named.filter((name) => byKey.has(name)),
      others: named.filter((name) => !byKey.has(name)),
    }
  })
  return { tasks: sorted(left) }
}

function checkKey(key: string): void {
  if (key.length <= PLAN_LIMITS.key && KEY.test(key)) return
  throw new AppError('invalid', `${quoted(key)} is not a valid key.`, {
    hint: `Use at most ${PLAN_LIMITS.key} letters, digits, spaces, dots, dashes and underscores.`,
    details: { field: 'tasks' },
  })
}

/** Walks down from each task in the order given; what is met on its own way is a cycle. No recursion: a plan may be one long chain. */
function sorted(all: OrderedPlan['tasks']): OrderedPlan['tasks'] {
  const byKey = new Map(all.map((one) => [one.task.key, one]))
  const done = new Set<string>()
  const order: OrderedPlan['tasks'] = []
  for (const first of all) {
    const way: { one: OrderedPlan['tasks'][number]; next: number }[] = [{ one: first, next: 0 }]
    for (let step = way.at(-1); step !== undefined; step = way.at(-1)) {
      const { one } = step
      const before = done.has(one.task.key) ? undefined : one.after[step.next++]
      if (before === undefined) {
        if (!done.has(one.task.key)) order.push(one)
        done.add(one.task.key)
        way.pop()
        continue
      }
      if (done.has(before)) continue
      const from = way.findIndex(({ one: { task } }) => task.key === before)
      if (from >= 0) throw cycle([...way.slice(from).map(({ one: { task } }) => task.key), before])
      const found = byKey.get(before)
      if (found !== undefined) way.push({ one: found, next: 0 })
    }
  }
  return order
}

function cycle(keys: string[]): AppError {
  const shown = keys.length > 12 ? [...keys.slice(0, 6), '…', ...keys.slice(-5)] : keys
  return new AppError('invalid', `These tasks wait for one another: ${shown.map(quoted).join(' -> ')}.`, {
    hint: 'Remove one of the dependencies. Nothing was created.',
    details: { field: 'dependsOn', keys },
  })
}
