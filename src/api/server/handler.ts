import type { AgentRow } from '../../domain/task-store'
import type { Caller } from '../../domain/worker-protocol'
import type { RequestBody, RequestParams, RequestQuery } from '../contract/requests'
import type { ResponseOf } from '../contract/responses'
import type { RouteName } from '../contract/routes'
import type { Context } from './context'

/** A request whose parts were checked against the route's schemas. */
export interface Call<Name extends RouteName> {
  params: RequestParams<Name>
  query: RequestQuery<Name>
  body: RequestBody<Name>
  /** Who asks, as the token says. */
  caller: Caller
  /** The agent behind a lead's or a worker's token. */
  agent: AgentRow | null
  request: Request
  /** Headers that every answer carries; for handlers that build theirs. */
  headers: Record<string, string>
}

/** Answers a route: the JSON document, or a response of its own where the route's answer is of another form. */
export type Handler<Name extends RouteName> = (
  call: Call<Name>,
  context: Context,
) => Promise<ResponseOf<Name> | Response> | ResponseOf<Name> | Response

export type Handlers = { [Name in RouteName]: Handler<Name> }
