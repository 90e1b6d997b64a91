import { type SqlBool, sql } from 'kysely'
import type { TaskId } from '../../../domain/ids'
import type { TreeEntry, TreeRequest } from '../../../domain/overview/tree-level'
import type { ReadContext } from '../../sql/read-context'
import { readForest, sessionsBelow } from '../forest'
import type { Look } from '../look'
import { matchWork } from '../match-work'
import { pageOfRows } from '../page'
import { pathToTask } from '../path'
import { showSessions, showTasks } from '../show'

/** The conversations of a task's attempts in their order, then the tasks below it, oldest first. */
export async function taskLevel(
  context: ReadContext,
  id: TaskId,
  request: TreeRequest,
  look: Look,
): Promise<{ path: TreeEntry[]; entries: TreeEntry[]; total: number; nextCursor: string | null } | undefined> {
  const { limit, cursor, statuses, needed, q, agent, since } = request
  const path = await pathToTask(context, id)
  if (path.length === 0) return undefined
  const forest = await readForest(context, { below: id }, q)
  const task = forest.roots.find((one) => one.id === id)
  if (task === undefined) return undefined
  const isBelow = sql<SqlBool>`${context.capabilities.inKeys(sql.ref<number>('s.id'), [...forest.sessions.keys()])}`
  const match = await matchWork(context, request, look, { sessions: [isBelow] })
  const shown = await match?.within(forest)
  const { matched, shownTasks } = shown ?? {}
  const rows = [
    ...task.sessions
      .map((key, at) => ({ isTask: false, key, place: [0, at] as [number, number] }))
      .filter(({ key }) => matched?.has(key) !== false),
    ...task.children
      .map(({ key }) => ({ isTask: true, key, place: [1, key] as [number, number] }))
      .filter(({ key }) => shownTasks?.has(key) !== false),
  ]
  const page = pageOfRows(
    rows,
    { limit, cursor, scope: { level: 'task', id, statuses, needed, q, agent, since } },
    ({ place }) => place,
    (a, b) => a[0] - b[0] || a[1] - b[1],
    ['number', 'number'],
  )
  const keysOf = (isTask: boolean) => page.rows.filter((row) => row.isTask === isTask).map(({ key }) => key)
  const children = keysOf(true).flatMap((key) => forest.tasks.get(key) ?? [])
  const tasks = await showTasks(context, children, { shownTasks, matched, sessionsOf: sessionsBelow, look })
  const sessions = await showSessions(context, keysOf(false), request, look)
  const entries = page.rows.flatMap(({ isTask, key }): TreeEntry[] => {
    const entry = (isTask ? tasks : sessions).get(key)
    return entry === undefined ? [] : [isTask ? entry : { ...entry, taskId: id }]
  })
  return { path, entries, total: rows.length, nextCursor: page.nextCursor }
}
