import type { RequestInput } from '../contract/requests'
import type { ResponseOf } from '../contract/responses'
import type { Caller, CallOptions } from './call'

type Call<Name extends Parameters<Caller['call']>[0]> = (
  input: RequestInput<Name>,
  options?: CallOptions,
) => Promise<ResponseOf<Name>>

/** For a person who looks after many agents. */
export interface OverviewClient {
  /** What needs a person, what runs and what finished. */
  overview(input?: RequestInput<'overview'>, options?: CallOptions): Promise<ResponseOf<'overview'>>
  readonly needs: {
    /** Off the list until it happens again. Said twice it is the same. */
    dismiss: Call<'needs.dismiss'>
  }
  readonly tree: {
    /** What stands under one entry of the tree of all work. */
    level(input?: RequestInput<'tree.level'>, options?: CallOptions): Promise<ResponseOf<'tree.level'>>
  }
  costs: Call<'costs'>
  fleet(input?: RequestInput<'fleet'>, options?: CallOptions): Promise<ResponseOf<'fleet'>>
  readonly login: {
    /** A code with which one browser may log in. */
    code(options?: CallOptions): Promise<ResponseOf<'login.code'>>
    /** Exchanges it for the browser's cookie. @throws `unauthorized` for a code that is wrong, used or too old */
    enter: Call<'login'>
    leave(options?: CallOptions): Promise<void>
    me(options?: CallOptions): Promise<ResponseOf<'me'>>
  }
}

/** Lines of a session by their number, and what one of them holds. */
export interface SessionRowsClient {
  rows(
    id: string,
    input?: Omit<RequestInput<'sessions.rows'>, 'id'>,
    options?: CallOptions,
  ): Promise<ResponseOf<'sessions.rows'>>
  content(id: string, eventId: string, options?: CallOptions): Promise<ResponseOf<'sessions.content'>>
}

export const overviewMethods = ({ call, open }: Caller): OverviewClient => ({
  overview: (input = {}, o) => call('overview', input, o),
  needs: { dismiss: (input, o) => call('needs.dismiss', input, o) },
  tree: { level: (input = {}, o) => call('tree.level', input, o) },
  costs: (input, o) => call('costs', input, o),
  fleet: (input = {}, o) => call('fleet', input, o),
  login: {
    code: (o) => call('login.code', {}, o),
    enter: (input, o) => call('login', input, o),
    leave: async (o) => void (await open('logout', {}, o)),
    me: (o) => call('me', {}, o),
  },
})

export const sessionRowsMethods = ({ call }: Caller): SessionRowsClient => ({
  rows: (id, input = {}, o) => call('sessions.rows', { ...input, id }, o),
  content: (id, eventId, o) => call('sessions.content', { id, eventId }, o),
})
