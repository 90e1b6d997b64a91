/** The client's methods, one for each operation that is declared: `client.tasks.pause(id, { reason })`. */
import {
  type AnswerOf,
  type Declaration,
  type InputOf,
  namesIn,
  type Operation,
  type ParamListOf,
} from '../contract/operation'
import { isOperation, type Operations, operations } from '../contract/operations'
import type { Progress } from '../contract/wire'
import type { Caller, CallOptions, CreateOptions, SendOptions } from './call'
import { callCreate } from './create'
import { callWithProgress } from './progress'

/** Fields of query and body in one object; left out where an operation has none, optional where each field is. */
type InputArg<Op extends Declaration> =
  unknown extends InputOf<Op>
    ? []
    : Record<never, never> extends InputOf<Op>
      ? [input?: InputOf<Op>]
      : [input: InputOf<Op>]

/** Raw bytes of a body; JSON where the handler reads it itself. */
type BytesArg<Op extends Declaration> = Op extends { takes: 'bytes' | 'handler' } ? [bytes: Uint8Array] : []

type OptionsOf<Op extends Declaration> = Op extends { isCreate: true }
  ? CreateOptions
  : Op extends { answer: { is: 'progress' } }
    ? CallOptions & { onProgress?: (progress: Progress) => void }
    : CallOptions

/** The path's parameters in order, then the input, then bytes. */
export type Method<Op extends Declaration> = (
  ...args: [...ParamListOf<Op>, ...InputArg<Op>, ...BytesArg<Op>, options?: OptionsOf<Op>]
) => Promise<AnswerOf<Op>>

/** Each member leads to its declaration: the type keeps the keys of `Operations`. */
export type Methods = {
  readonly [Noun in keyof Operations]: Operations[Noun] extends Declaration
    ? Method<Operations[Noun]>
    : { readonly [Key in keyof Operations[Noun]]: MethodOf<Operations[Noun][Key]> }
}
type MethodOf<Op> = Op extends Declaration ? Method<Op> : never

export function createMethods(caller: Caller): Methods {
  const made = Object.entries(operations).map(([name, one]) => [
    name,
    isOperation(one)
      ? methodOf(caller, one)
      : Object.fromEntries(
          Object.entries(one as Readonly<Record<string, Operation>>).map(([key, each]) => [
            key,
            methodOf(caller, each),
          ]),
        ),
  ])
  // The types above say the same of each declaration as `methodOf` does.
  return Object.fromEntries(made) as Methods
}

function methodOf(caller: Caller, operation: Operation) {
  const hasInput = operation.query !== undefined || operation.body !== undefined
  const hasBytes = operation.takes === 'bytes' || operation.takes === 'handler'
  return (...given: unknown[]): Promise<unknown> => {
    // Not before the first call: a command makes a client of all operations, and calls one.
    const names = namesIn(operation.path)
    const rest = given.slice(names.length)
    const input = hasInput ? (rest.shift() as object | undefined) : undefined
    const bytes = hasBytes ? { bytes: rest.shift() as Uint8Array } : {}
    const options = { ...(rest[0] as SendOptions | undefined), ...bytes }
    const fields = { ...input, ...Object.fromEntries(names.map((name, at) => [name, given[at]])) }
    return send(caller, operation, fields, options)
  }
}

async function send(caller: Caller, operation: Operation, fields: object, options: SendOptions): Promise<unknown> {
  const { answer } = operation
  if (operation.isCreate) return await callCreate(caller, operation, fields, options)
  if (typeof answer === 'object')
    return answer.is === 'progress'
      ? await callWithProgress(caller, operation, fields, options)
      : await caller.call(operation, fields, options)
  const response = await caller.open(operation, fields, options)
  if (answer === 'text') return await response.text()
  return answer === 'empty' || answer === 'refused' ? undefined : response
}
