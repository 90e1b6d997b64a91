import { type QueryClient, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { Answers } from '#api/contract/operations/index'
import type { Message } from '#domain/message/message'
import type { Task } from '#domain/task/task'
import type { ViewCount } from '../../components/saved-views'
import { client } from '../../lib/api'
import { parseSearch } from '../../lib/search'
import { parseTaskListSearch, type TaskListSearch, taskFilter } from './list/task-list-search'
import { EMPTY_LOG, LOG_PAGE_LINES, readLog, type TaskLog } from './task-log'
import { ROW_TEXT } from './task-words'

export type TaskDetail = Answers['tasks']['get']
/** Messages to, from and about a task, newest first. */
export interface TaskMail {
  messages: readonly Message[]
  /** Whether there are older ones. */
  isCut: boolean
}

/** Tasks per page of the list. */
const LIST_PAGE_TASKS = 60
/** Messages per request. */
const MAIL_PAGE_MESSAGES = 100

/** A task with its parts. @param id  a full ID or a unique prefix */
export const useTask = (id: string) =>
  useQuery({
    queryKey: ['task', id],
    queryFn: ({ signal }) => client.tasks.get(id, { signal }),
    // The result for the prefix, until the full ID is loaded.
    placeholderData: (previous) => (previous?.task.id === id ? previous : undefined),
  })

/**
 * The current children and dependencies of a task. Feed entries name only the changed task, so any change of a task makes this stale.
 *
 * @param detail  the first response, which contained both
 */
export const useRelated = (detail: TaskDetail): Related => {
  const { data } = useQuery({
    queryKey: ['tasks', 'related', detail.task.id],
    queryFn: async ({ signal }) => relatedOf(await client.tasks.get(detail.task.id, { signal })),
    // They may have changed since that response.
    placeholderData: () => relatedOf(detail),
  })
  return data ?? relatedOf(detail)
}

type Related = Pick<TaskDetail, 'children' | 'dependencies'>

const relatedOf = ({ children, dependencies }: TaskDetail): Related => ({ children, dependencies })

/** The tree of tasks below a root. */
export const useTaskTree = (root: string, isWanted: boolean) =>
  useQuery({
    queryKey: ['tasks', 'tree', root],
    queryFn: ({ signal }) => client.tasks.tree(root, { textLimit: ROW_TEXT }, { signal }),
    enabled: isWanted,
    placeholderData: (previous) => previous,
  })

/** The log of a task. Only new lines are requested. */
export const useTaskLog = (id: string) =>
  useQuery({
    queryKey: ['log', id],
    queryFn: ({ signal, client: queries, queryKey }) =>
      readLog(
        queries.getQueryData<TaskLog>(queryKey) ?? EMPTY_LOG,
        async (after) => (await client.tasks.log(id, { after, limit: LOG_PAGE_LINES }, { signal })).lines,
        (log) => queries.setQueryData<TaskLog>(queryKey, log),
      ),
    // Lines never change, so comparing thousands of them would be wasted work.
    structuralSharing: false,
  })

/** The messages of a task. */
export const useTaskMail = (id: string) =>
  useQuery({
    queryKey: ['messages', id],
    queryFn: async ({ signal }): Promise<TaskMail> => {
      const pages = await Promise.all(
        [{ to: id }, { from: id }, { taskId: id }].map((filter) =>
          client.messages.list({ ...filter, limit: MAIL_PAGE_MESSAGES }, { signal }),
        ),
      )
      const messages = withMessages(
        [],
        pages.flatMap((page) => page.messages),
      )
      return { messages, isCut: pages.some(({ nextCursor }) => nextCursor !== null) }
    },
  })

/** Merges messages by ID; later ones win. Newest first. */
export function withMessages(known: readonly Message[], told: readonly Message[]): Message[] {
  const byId = new Map([...known, ...told].map((message) => [message.id, message]))
  return [...byId.values()].sort((a, b) => b.seq - a.seq)
}

/** Tasks of the list, page by page. */
export const useTaskList = (search: TaskListSearch) =>
  useInfiniteQuery({
    queryKey: ['tasks', 'list', search],
    queryFn: ({ pageParam, signal }) =>
      client.tasks.list(
        {
          ...taskFilter(search),
          limit: LIST_PAGE_TASKS,
          textLimit: ROW_TEXT,
          ...(pageParam !== null && { cursor: pageParam }),
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: (previous) => previous,
  })

/** Tasks that are counted. */
const COUNTED = 100

/** How many tasks a saved view has. */
export async function countTasks(search: string, signal: AbortSignal): Promise<ViewCount> {
  const request = { ...taskFilter(parseTaskListSearch(parseSearch(search))), limit: COUNTED, textLimit: 1 }
  const { tasks, nextCursor } = await client.tasks.list(request, { signal })
  return { rows: tasks.length, isMore: nextCursor !== null }
}

/** Shows a task from a response, without waiting for the feed. */
export function tellTask(queries: QueryClient, task: Task): void {
  queries.setQueryData<TaskDetail>(['task', task.id], (detail) => detail && { ...detail, task })
}
