import { useQuery } from '@tanstack/react-query'
import type { ResponseOf } from '../../../../src/api/contract/responses'
import type { SessionId } from '../../../../src/domain/ids'
import { client } from '../../lib/api'
import { ROW_TEXT } from '../../lib/task-words'

export type SessionDetail = ResponseOf<'sessions.get'>
export type KnownSession = NonNullable<SessionDetail['session']>

/** A session with its agents and to-dos. @param id  any id of it, or a unique beginning */
export const useSessionDetail = (id: string) =>
  useQuery({
    queryKey: ['session', id, 'detail'],
    queryFn: ({ signal }) => client.sessions.place(id, { signal }),
    // What the beginning of its id found, until the whole id is answered.
    placeholderData: (previous) => (previous?.session?.id === id ? previous : undefined),
  })

/** Tasks that were made in it. */
export const useSessionTasks = (id: SessionId) =>
  useQuery({
    queryKey: ['session', id, 'tasks'],
    queryFn: ({ signal }) => client.sessions.tasks(id, { textLimit: ROW_TEXT }, { signal }),
  })

/** Issues that it works on. */
export const useSessionIssues = (id: SessionId) =>
  useQuery({
    queryKey: ['session', id, 'issues'],
    queryFn: ({ signal }) => client.links.ofSession(id, {}, { signal }),
  })

/** What became of its background work: what runs, and what its agent has not read. */
export const useSessionWork = (id: SessionId) =>
  useQuery({
    queryKey: ['session', id, 'work'],
    queryFn: ({ signal }) => client.sessions.recover(id, {}, { signal }),
  })

export const useTimeline = (id: SessionId) =>
  useQuery({
    queryKey: ['timeline', id],
    queryFn: ({ signal }) => client.sessions.timeline(id, {}, { signal }),
  })

/** Messages for the session, newest first. */
export const useSessionMessages = (id: SessionId, address: string) =>
  useQuery({
    queryKey: ['messages', id],
    queryFn: ({ signal }) => client.messages.list({ to: address, limit: 20 }, { signal }),
  })
