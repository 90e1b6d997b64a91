import type { Inputs } from '#api/contract/operations/index'
import type { ShownTaskStatus } from '#domain/task/task'
import { TASK_LIMITS } from '#domain/task/task-limits'
import { oneOf, type Search, textOf, writeSearch } from '../../../lib/search'

/** Choices of the status filter with their statuses. */
export const TASK_GROUPS = {
  live: ['in_progress', 'waiting'],
  waiting: ['unassigned', 'offered', 'pending', 'paused', 'backlog'],
  failed: ['failed'],
  done: ['completed', 'cancelled'],
} as const satisfies Record<string, readonly ShownTaskStatus[]>
export type TaskGroup = keyof typeof TASK_GROUPS
/** Names of the choices, in display order. */
export const TASK_GROUP_NAMES = ['live', 'waiting', 'failed', 'done'] as const satisfies readonly TaskGroup[]

/** Statuses of queued tasks. Paused tasks and the backlog are not in the index of the queue. */
const QUEUED_STATUSES: readonly ShownTaskStatus[] = ['unassigned', 'offered', 'pending']

/** Filters with one word or ID each, which links from other pages set. */
export const TASK_NARROWINGS = [
  'project',
  'parent',
  'issue',
  'epic',
  'agent',
  'cli',
  'session',
  'tag',
  'type',
  'source',
] as const
export type TaskNarrowing = (typeof TASK_NARROWINGS)[number]

export type TaskListSearch = { [Name in TaskNarrowing]?: string } & {
  /** Default: all. */
  status?: TaskGroup
  /** Words in the text or title. */
  q?: string
  /** `queue`: queued tasks, in the order in which they are taken. Default: newest first. */
  order?: 'queue'
}

/** Parses the search part of the list of tasks. */
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

/** Path of the list of tasks. */
export const taskListPath = (search: TaskListSearch): string => `/tasks${writeSearch({ ...search })}`

/** The request for a search. */
export function taskFilter({ status, q, order, ...words }: TaskListSearch): Inputs['tasks']['list'] {
  const { project, parent, issue, epic, agent, cli, session, tag, type, source } = words
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
    ...(cli !== undefined && { agent: cli }),
    ...(session !== undefined && { sessionId: session }),
    ...(tag !== undefined && { tag }),
    ...(type !== undefined && { taskType: type.slice(0, TASK_LIMITS.word) }),
    ...(source !== undefined && { source: source.slice(0, TASK_LIMITS.word) }),
  }
}

function statusesOf(status: TaskGroup | undefined, order: 'queue' | undefined): readonly ShownTaskStatus[] | undefined {
  if (order === 'queue' && (status === undefined || status === 'waiting')) return QUEUED_STATUSES
  return status === undefined ? undefined : TASK_GROUPS[status]
}
