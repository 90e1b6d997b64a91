import { useQuery } from '@tanstack/react-query'
import type { Answers } from '#api/contract/operations/index'
import { MAX_LISTED_AGENTS } from '#api/contract/protocol'
import type { SessionId, SubagentId } from '#domain/ids'
import { client } from '../../../lib/api'
import { ROW_TEXT } from '../../task/task-words'

export type SessionDetail = Answers['sessions']['place']
export type KnownSession = NonNullable<SessionDetail['session']>

/** So many sub-agents are listed at first, and after each press. A list of thousands is megabytes, and a live session asks for it often. */
export const AGENT_STEPS = [40, 200, MAX_LISTED_AGENTS] as const

/**
 * A session with its to-dos and the sub-agents that a person looks for first.
 *
 * @param id     any of its IDs, or a unique prefix
 * @param agent  a sub-agent that is wanted in any case, with those that led to it
 * @param limit  `undefined` = all sub-agents
 */
export const useSessionDetail = (id: string, agent: SubagentId | null, limit: number | undefined) =>
  useQuery({
    queryKey: ['session', id, 'detail', limit ?? 'all', agent],
    queryFn: ({ signal }) =>
      client.sessions.place(
        id,
        { ...(limit !== undefined && { agentLimit: limit }), ...(agent !== null && { withSubagent: agent }) },
        { signal },
      ),
    // The result for the prefix, or for fewer sub-agents, until this one is loaded.
    placeholderData: (previous) => (previous?.session?.id === id ? previous : undefined),
  })

/** Files that the session changed, its commits and pull requests. */
export const useOutcome = (id: SessionId) =>
  useQuery({
    queryKey: ['session', id, 'outcome'],
    queryFn: ({ signal }) => client.sessions.outcome(id, { signal }),
  })

/** Tasks that were created in the session. */
export const useSessionTasks = (id: SessionId) =>
  useQuery({
    queryKey: ['session', id, 'tasks'],
    queryFn: ({ signal }) => client.sessions.tasks(id, { textLimit: ROW_TEXT }, { signal }),
  })

/** Issues that the session works on. */
export const useSessionIssues = (id: SessionId) =>
  useQuery({
    queryKey: ['session', id, 'issues'],
    queryFn: ({ signal }) => client.links.ofSession(id, {}, { signal }),
  })

/** Background work of the session: what is running, and which results are unread. */
export const useSessionWork = (id: SessionId) =>
  useQuery({
    queryKey: ['session', id, 'work'],
    queryFn: ({ signal }) => client.sessions.recover(id, {}, { signal }),
  })

/** The timeline of the session. */
export const useTimeline = (id: SessionId | null, isWanted = true) =>
  useQuery({
    queryKey: ['timeline', id],
    queryFn: ({ signal }) => client.sessions.timeline(id ?? '', {}, { signal }),
    enabled: id !== null && isWanted,
  })

/** Messages for the session and for the task of its run, newest first. */
export const useSessionMessages = (
  id: SessionId,
  { address, worker }: Pick<SessionDetail, 'worker'> & { address: string },
) => {
  const task = worker?.taskId ?? null
  return useQuery({
    queryKey: ['messages', id, task],
    queryFn: async ({ signal }) => {
      const read = async (to: string) => (await client.messages.list({ to, limit: 20 }, { signal })).messages
      const found = (await Promise.all([address, ...(task === null ? [] : [task])].map(read))).flat()
      return [...new Map(found.map((message) => [message.id, message])).values()].toSorted((a, b) =>
        a.createdAt < b.createdAt ? 1 : -1,
      )
    },
  })
}
