import { type QueryClient, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { ResponseOf } from '../../../src/api/contract/responses'
import type { Message } from '../../../src/domain/message'
import type { Task } from '../../../src/domain/task'
import { client } from './api'
import { type TaskListSearch, taskFilter } from './task-list-search'
import { EMPTY_LOG, LOG_PAGE, readLog, type TaskLog } from './task-log'
import { ROW_TEXT } from './task-words'

export type TaskDetail = ResponseOf<'tasks.get'>
/** Messages to a task's address, from it, and about it: the newest first. */
export interface TaskMail {
  messages: readonly Message[]
  /** There are older ones. */
  isCut: boolean
}

const LIST_PAGE = 60
const MAIL_PAGE = 100

/** A task with its parts. `id` may be a beginning of it. */
export const useTask = (id: string) =>
  useQuery({
    queryKey: ['task', id],
    queryFn: ({ signal }) => client.tasks.get(id, { signal }),
    // What the beginning of its id found, until the whole id is answered.
    placeholderData: (previous) => (previous?.task.id === id ? previous : undefined),
  })

/**
 * Its children, and what it depends on, as they stand: what happens to those is told under their own names, so all that happens to tasks
 * makes this old.
 *
 * @param detail  the answer that had both when the page came
 */
export const useRelated = (detail: TaskDetail): Related => {
  const { data } = useQuery({
    queryKey: ['tasks', 'related', detail.task.id],
    queryFn: async ({ signal }) => relatedOf(await client.tasks.get(detail.task.id, { signal })),
    // They may have moved while that answer was on its way.
    placeholderData: () => relatedOf(detail),
  })
  return data ?? relatedOf(detail)
}

type Related = Pick<TaskDetail, 'children' | 'dependencies'>

const relatedOf = ({ children, dependencies }: TaskDetail): Related => ({ children, dependencies })

/** Its parent and siblings, or itself, with all that is below. */
export const useTaskTree = (root: string, isWanted: boolean) =>
  useQuery({
    queryKey: ['tasks', 'tree', root],
    queryFn: ({ signal }) => client.tasks.tree(root, { textLimit: ROW_TEXT }, { signal }),
    enabled: isWanted,
    placeholderData: (previous) => previous,
  })

/** Its log, of which only what is new is asked for. */
export const useTaskLog = (id: string) =>
  useQuery({
    queryKey: ['log', id],
    queryFn: ({ signal, client: queries, queryKey }) =>
      readLog(
        queries.getQueryData<TaskLog>(queryKey) ?? EMPTY_LOG,
        async (after) => (await client.tasks.log(id, { after, limit: LOG_PAGE }, { signal })).lines,
        (log) => queries.setQueryData<TaskLog>(queryKey, log),
      ),
    // Lines never change: comparing thousands of them with themselves is work for nothing.
    structuralSharing: false,
  })

export const useTaskMail = (id: string) =>
  useQuery({
    queryKey: ['messages', id],
    queryFn: async ({ signal }): Promise<TaskMail> => {
      const pages = await Promise.all(
        [{ to: id }, { from: id }, { taskId: id }].map((filter) =>
          client.messages.list({ ...filter, limit: MAIL_PAGE }, { signal }),
        ),
      )
      const messages = withMessages(
        [],
        pages.flatMap((page) => page.messages),
      )
      return { messages, isCut: pages.some(({ nextCursor }) => nextCursor !== null) }
    },
  })

/** Each message once, as it was told last; the newest first. */
export function withMessages(known: readonly Message[], told: readonly Message[]): Message[] {
  const byId = new Map([...known, ...told].map((message) => [message.id, message]))
  return [...byId.values()].sort((a, b) => b.seq - a.seq)
}

/** The list page by page. */
export const useTaskList = (search: TaskListSearch) =>
  useInfiniteQuery({
    queryKey: ['tasks', 'list', search],
    queryFn: ({ pageParam, signal }) =>
      client.tasks.list(
        {
          ...taskFilter(search),
          limit: LIST_PAGE,
          textLimit: ROW_TEXT,
          ...(pageParam !== null && { cursor: pageParam }),
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: (previous) => previous,
  })

/** What the server answered about a task, without waiting for the feed to say it again. */
export function tellTask(queries: QueryClient, task: Task): void {
  queries.setQueryData<TaskDetail>(['task', task.id], (detail) => detail && { ...detail, task })
}
