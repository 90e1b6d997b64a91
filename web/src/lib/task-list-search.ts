import type { RequestInput } from '../../../src/api/contract/requests'
import type { ShownTaskStatus } from '../../../src/domain/task'
import { oneOf, type Search, textOf, writeSearch } from './search'

/** Statuses that a person asks for together. */
export const TASK_GROUPS = {
  live: ['in_progress', 'waiting'],
  waiting: ['unassigned', 'offered', 'pending', 'paused', 'backlog'],
  failed: ['failed'],
  done: ['completed', 'cancelled'],
} as const satisfies Record<string, readonly ShownTaskStatus[]>
export type TaskGroup = keyof typeof TASK_GROUPS
export const TASK_GROUP_NAMES = ['live', 'waiting', 'failed', 'done'] as const satisfies readonly TaskGroup[]

/** What the queue is made of: it is asked for by its own index, without what is paused or only noted. */
const QUEUE: readonly ShownTaskStatus[] = ['unassigned', 'offered', 'pending']

/** Filters that are a word or id each; links from other pages set them. */
export const TASK_NARROWINGS = [
  'project',
  'parent',
  'issue',
  'epic',
  'agent',
  'session',
  'tag',
  'type',
  'source',
] as const
export type TaskNarrowing = (typeof TASK_NARROWINGS)[number]

export type TaskListSearch = { [Name in TaskNarrowing]?: string } & {
  /** Left out: all. */
  status?: TaskGroup
  /** Words that text or title hold. */
  q?: string
  /** `queue`: what waits, in the order in which it is taken. Left out: the newest first. */
  order?: 'queue'
}

export function parseTaskListSearch(search: Search): TaskListSearch {
  const found: TaskListSearch = {}
  const status = oneOf(TASK_GROUP_NAMES, search.status)
  const q = textOf(search.q)
  if (status !== undefined) found.status = status
  if (q !== undefined) found.q = q
  if (search.order === 'queue') found.order = 'queue'
  for (const name of TASK_NARROWINGS) {
    const value = textOf(search[name])
    if (value !== undefined) found[name] = value
  }
  return found
}

export const taskListPath = (search: TaskListSearch): string => `/tasks${writeSearch({ ...search })}`

/** The list's question to the server. */
export function taskFilter({ status, q, order, ...words }: TaskListSearch): RequestInput<'tasks.list'> {
  const { project, parent, issue, epic, agent, session, tag, type, source } = words
  const statuses = statusesOf(status, order)
  return {
    ...(statuses !== undefined && { status: [...statuses] }),
    ...(order !== undefined && { order }),
    ...(q !== undefined && { text: q }),
    ...(project !== undefined && { project }),
    ...(parent !== undefined && { parentTaskId: parent }),
    ...(issue !== undefined && { issueId: issue }),
    ...(epic !== undefined && { epicId: epic }),
    ...(agent !== undefined && { agentId: agent }),
    ...(session !== undefined && { sessionId: session }),
    ...(tag !== undefined && { tag }),
    ...(type !== undefined && { taskType: type.slice(0, 100) }),
    ...(source !== undefined && { source: source.slice(0, 100) }),
  }
}

function statusesOf(status: TaskGroup | undefined, order: 'queue' | undefined): readonly ShownTaskStatus[] | undefined {
  if (order === 'queue' && (status === undefined || status === 'waiting')) return QUEUE
  return status === undefined ? undefined : TASK_GROUPS[status]
}
