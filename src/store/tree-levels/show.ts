/** Tasks and sessions of a page, with their sums. */
import type { TreeEntry, TreeFilter } from '../../domain/overview/tree-level'
import type { ReadContext } from '../sql/read-context'
import { countBelowSessions } from './child-counts'
import { sessionEntries, taskEntries } from './entries'
import type { ForestTask } from './forest'
import { readLive } from './live'
import type { Look } from './look'
import { newSum, toRollup } from './sums/sums'
import { readSessionSums, readTaskSums } from './sums/work-sums'

/** What a filter shows; `undefined` = everything. */
export interface Shown {
  shownTasks?: ReadonlySet<number> | undefined
  matched?: ReadonlySet<number> | undefined
}

export async function showTasks(
  context: ReadContext,
  tasks: readonly ForestTask[],
  given: Shown & { sessionsOf: (task: ForestTask) => ReadonlySet<number>; look: Look },
): Promise<Map<number, TreeEntry>> {
  const { shownTasks, matched, sessionsOf, look } = given
  const entries = await taskEntries(
    context,
    tasks.map(({ key }) => key),
  )
  const sums = await readTaskSums(context, tasks, sessionsOf, look)
  for (const task of tasks) {
    const entry = entries.get(task.key)
    if (entry === undefined) continue
    const children = task.children.filter(({ key }) => shownTasks?.has(key) !== false)
    const sessions = task.sessions.filter((key) => matched?.has(key) !== false)
    entry.childCount = children.length + sessions.length
    entry.rollup = toRollup(sums.get(task.key) ?? newSum())
  }
  return entries
}

export async function showSessions(
  context: ReadContext,
  keys: readonly number[],
  filter: TreeFilter,
  look: Look,
): Promise<Map<number, TreeEntry>> {
  if (keys.length === 0) return new Map()
  const sessions = await sessionEntries(context, keys, look)
  const counts = await countBelowSessions(context, [...sessions.values()], filter, look)
  const sums = await readSessionSums(context, keys, await readLive(context, { keys }, look), look)
  return new Map(
    [...sessions].map(([key, { entry }]) => [
      key,
      { ...entry, childCount: counts.get(key) ?? 0, rollup: toRollup(sums.get(key) ?? newSum()) },
    ]),
  )
}
