import type { AgentRow } from '../../domain/task/task-store'
import type { Caller } from '../../domain/task/worker-protocol'
import type { GivenToken } from '../../domain/token/token-store'
import type { AnswerOf, BodyOf, Declaration, Operation, ParamsOf, QueryOf } from '../contract/operation'
import type { Context } from './context'

/** A request whose parts were checked against the operation's schemas. */
export interface Call<Op extends Declaration = Declaration> {
  params: ParamsOf<Op>
  query: QueryOf<Op>
  body: BodyOf<Op>
  /** The caller, by its token. */
  caller: Caller
  /** The agent behind a lead's or a worker's token. */
  agent: AgentRow | null
  /** The token of a person or a program that was given out. */
  given: GivenToken | null
  request: Request
  /** The peer's address; `null` = this process's own. */
  remote: string | null
  /** Headers that every answer carries; for handlers that build theirs. */
  headers: Record<string, string>
}

/** Answers an operation: with its document, or with a response of its own where the answer is of another form. */
export type Handler<Op extends Declaration> = (
  call: Call<Op>,
  context: Context,
) => Promise<AnswerOf<Op> | Response> | AnswerOf<Op> | Response

/** An operation with its handler. */
export interface Handled<Op extends Operation> {
  operation: Op
  answer: Handler<Op>
}

/** Declares what handles an operation; a file of `handlers/` exports it, and `handlers/index.ts` finds it there. */
export const handle = <Op extends Operation>(operation: Op, answer: Handler<Op>): Handled<Op> => ({ operation, answer })
