import type { RequestInput } from '../contract/requests'
import type { ResponseOf } from '../contract/responses'
import type { Caller, CallOptions } from './call'

type Rest<Name extends Parameters<Caller['call']>[0], Keys extends string = 'id'> = Omit<RequestInput<Name>, Keys>

/** The methods for agents' to-dos. A session's or a to-do's `id` may be a unique beginning. */
export interface TodoClient {
  list(input?: RequestInput<'todos.list'>, options?: CallOptions): Promise<ResponseOf<'todos.list'>>
  /** By session, the newest change first. */
  lists(input?: RequestInput<'todos.lists'>, options?: CallOptions): Promise<ResponseOf<'todos.lists'>>
  history(id: string, options?: CallOptions): Promise<ResponseOf<'todos.history'>>
  promote(id: string, input?: Rest<'todos.promote'>, options?: CallOptions): Promise<ResponseOf<'todos.promote'>>
  ofSession(
    session: string,
    input?: Rest<'sessions.todoList'>,
    options?: CallOptions,
  ): Promise<ResponseOf<'sessions.todoList'>>
  /**
   * Takes in a hook payload of a to-do tool. @param payload  a JSON object, as bytes
   * @throws `too_large` more items than are kept: the first ones are (`details.syncedCount`, `details.leftOutCount`)
   */
  sync(session: string, payload: Uint8Array, options?: CallOptions): Promise<ResponseOf<'sessions.syncTodos'>>
  finalize(session: string, options?: CallOptions): Promise<ResponseOf<'sessions.finalizeTodos'>>
  take(session: string, todoIds: string[], options?: CallOptions): Promise<ResponseOf<'sessions.takeTodos'>>
}

/** The methods for what links sessions and issues. */
export interface LinkClient {
  ofSession(
    session: string,
    input?: Rest<'sessions.issues'>,
    options?: CallOptions,
  ): Promise<ResponseOf<'sessions.issues'>>
  ofIssue(issue: string, input?: Rest<'issues.sessions'>, options?: CallOptions): Promise<ResponseOf<'issues.sessions'>>
  link(
    session: string,
    issue: string,
    input?: Rest<'sessions.linkIssue', 'id' | 'issue'>,
    options?: CallOptions,
  ): Promise<ResponseOf<'sessions.linkIssue'>>
  /** @param issue  `null` = every issue that it is linked to */
  unlink(
    session: string,
    issue: string | null,
    input?: Rest<'sessions.unlinkIssues'>,
    options?: CallOptions,
  ): Promise<ResponseOf<'sessions.unlinkIssue'>>
  /** Notes that the session looked at the issue. */
  saw(
    session: string,
    issue: string,
    input?: Rest<'sessions.sawIssue', 'id' | 'issue'>,
    options?: CallOptions,
  ): Promise<ResponseOf<'sessions.sawIssue'>>
}

export function todoMethods({ call, open }: Caller): TodoClient {
  return {
    list: (input = {}, o) => call('todos.list', input, o),
    lists: (input = {}, o) => call('todos.lists', input, o),
    history: (id, o) => call('todos.history', { id }, o),
    promote: (id, input = {}, o) => call('todos.promote', { ...input, id }, o),
    ofSession: (id, input = {}, o) => call('sessions.todoList', { ...input, id }, o),
    sync: async (id, bytes, o) => {
      const headers = { 'content-type': 'application/json' }
      return (await (
        await open('sessions.syncTodos', { id }, { ...o, bytes, headers })
      ).json()) as ResponseOf<'sessions.syncTodos'>
    },
    finalize: (id, o) => call('sessions.finalizeTodos', { id }, o),
    take: (id, todoIds, o) => call('sessions.takeTodos', { id, todoIds }, o),
  }
}

export function linkMethods({ call }: Caller): LinkClient {
  return {
    ofSession: (id, input = {}, o) => call('sessions.issues', { ...input, id }, o),
    ofIssue: (id, input = {}, o) => call('issues.sessions', { ...input, id }, o),
    link: (id, issue, input = {}, o) => call('sessions.linkIssue', { ...input, id, issue }, o),
    unlink: (id, issue, input = {}, o) =>
      issue === null
        ? call('sessions.unlinkIssues', { ...input, id }, o)
        : call('sessions.unlinkIssue', { ...input, id, issue }, o),
    saw: (id, issue, input = {}, o) => call('sessions.sawIssue', { ...input, id, issue }, o),
  }
}
