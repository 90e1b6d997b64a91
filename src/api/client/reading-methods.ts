import type { RequestInput } from '../contract/requests'
import type { ResponseOf } from '../contract/responses'
import type { Caller, CallOptions } from './call'

/** The client's methods that read a session as people read it. */
export interface ReadingClient {
  /** A page of a session's conversation, or of one of its sub-agents' (`subagentId`). */
  conversation(
    id: string,
    input?: Omit<RequestInput<'sessions.conversation'>, 'id'>,
    options?: CallOptions,
  ): Promise<ResponseOf<'sessions.conversation'>>
  timeline(
    id: string,
    input?: Omit<RequestInput<'sessions.timeline'>, 'id'>,
    options?: CallOptions,
  ): Promise<ResponseOf<'sessions.timeline'>>
  diff(
    id: string,
    other: string,
    input?: Omit<RequestInput<'sessions.diff'>, 'id' | 'other'>,
    options?: CallOptions,
  ): Promise<ResponseOf<'sessions.diff'>>
}

export function readingMethods({ call }: Caller): ReadingClient {
  return {
    conversation: (id, input = {}, o) => call('sessions.conversation', { ...input, id }, o),
    timeline: (id, input = {}, o) => call('sessions.timeline', { ...input, id }, o),
    diff: (id, other, input = {}, o) => call('sessions.diff', { ...input, id, other }, o),
  }
}
