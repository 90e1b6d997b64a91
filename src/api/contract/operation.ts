/**
 * The form in which an operation of the API is declared, once. The typed client, the handler's types, the router, the check of what comes in
 * and OpenAPI derive from the declaration.
 *
 * A declaration holds no schema, only functions that make one: a client loads no schema library, and a server makes the schemas of an
 * operation when it is first called (all of them cost a command that runs in process 3 ms, one costs 0.1).
 */
import type * as z from 'zod/mini'
import type { Access } from '../../domain/access/access'
import type { IdKind } from '../../domain/id-kind'

export type ObjectSchema = z.ZodMiniObject
/** Makers of fields: our own, and those of `zod/mini` that are used. */
export type Fields = typeof import('./fields')
type Schemas = typeof import('./schemas')
/** Schemas of these values, each of which may be left out. */
export type OptionalFields<Values> = {
  [Name in keyof Values]-?: z.ZodMiniOptional<z.ZodMiniType<Exclude<Values[Name], undefined>>>
}
type MakeFields = (f: Fields) => ObjectSchema

/** What a good answer is. `refused`: there is none. */
export type Answer = JsonAnswer | 'empty' | 'text' | 'bytes' | 'events' | 'tar' | 'refused'

/**
 * A JSON document. `progress`: or lines of JSON (progress, then the result) for a client that accepts `application/x-ndjson`. `lines` and
 * `mcp`: or server-sent events for a client that accepts `text/event-stream`.
 */
export interface JsonAnswer<Schema extends z.ZodMiniType = z.ZodMiniType, Form extends JsonForm = JsonForm> {
  is: Form
  schema: (schemas: Schemas) => Schema
}

type JsonForm = 'json' | 'progress' | 'lines' | 'mcp'

const answerOf =
  <Form extends JsonForm>(is: Form) =>
  <Schema extends z.ZodMiniType>(schema: (schemas: Schemas) => Schema): JsonAnswer<Schema, Form> => ({ is, schema })

export const json = answerOf('json')
export const progress = answerOf('progress')
export const lines = answerOf('lines')
export const mcpAnswer = answerOf('mcp')

/** What an id in a request is of. Issues are looked up within their tracker, addresses among all receivers. */
export type IdFieldKind = IdKind | 'issue' | 'address'

interface Common {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `:name` stands for one path segment. */
  path: string
  /**
   * `public` needs no token; otherwise the row of the table: whose tokens it accepts, and how a caller must stand to what it names. The
   * server checks the row before the handler; what a list shows, and what only the engine can find, is checked there by the same row.
   * What people read is derived (`withReaders`).
   */
  access: 'public' | Access
  /**
   * What it gives outlives a token: a secret, a login, another token. A token that was given out to a program does not open it, so that it
   * ends whole when it is revoked. `tracked`: what an admin gives ends with the admin, so that admins may; `untracked`: only the operator
   * may, with the installation's own token or its browser.
   */
  givesAccess?: 'tracked' | 'untracked'
  /** Another site's page may lead a browser there: a provider sends people back. It reads and changes nothing by a cookie of ours. */
  isLinked?: true
  /** It takes the token that an enrolled worker's machine keeps, which is for joining. */
  isJoining?: true
  /**
   * Its answer holds secrets as they are: `kept` for all callers, `for workers` for those who do the work. Every other answer has masks in
   * their place.
   */
  secrets?: 'kept' | 'for workers'
  /** A create: sent again with the same `Idempotency-Key`, it makes nothing twice. */
  isCreate?: true
  /** One line for OpenAPI and for people. */
  summary: string
  /** Path parameters. Default: each is an id. */
  params?: MakeFields
  /** Unknown fields are refused. Lists are written with commas, `null` as the word. */
  query?: MakeFields
  /** JSON. Default: an object without fields, where the method has a body. Unknown fields are refused. */
  body?: MakeFields
  /**
   * Unknown fields of the body are left out instead: it reports facts, and a worker of a newer version loses no result because it reports
   * more. Never for what asks for something: a limit that is left out would not be kept.
   */
  ignoresUnknown?: true
  /**
   * Which fields hold the beginning of an id, beside those whose name says it everywhere (`find/resolve-ids.ts`). `as given`: no id is
   * looked up, because programs give whole ids, some of which nobody knows yet.
   */
  ids?: Readonly<Record<string, IdFieldKind>> | 'as given'
  /** `sessionId` may name a client's conversation that is not known yet. */
  mayNameNewSession?: true
  answer: Answer
}

/**
 * What the body is where it is not small JSON. `large`: JSON that may hold an agent's output. `bytes`: raw bytes; all fields stand in the
 * query. `handler`: JSON that the handler reads and checks itself; `ownBody` describes it.
 */
type Body = { takes?: 'large' | 'bytes'; ownBody?: never } | { takes: 'handler'; ownBody: MakeFields }

export type Declaration = Common & Body

/** A declaration with its name, e.g. `tasks.pause`. */
export type Operation<D extends Declaration = Declaration, Name extends string = string> = D & { readonly name: Name }

/** Declares the operations of a noun. Each gets its name: `<noun>.<key>`. `common` holds for each of them. */
export function noun<Noun extends string, const Declarations extends Readonly<Record<string, Declaration>>>(
  name: Noun,
  declarations: Declarations,
  common: Partial<Declaration> = {},
): { readonly [Key in keyof Declarations]: Operation<Declarations[Key], `${Noun}.${Key & string}`> } {
  const named = Object.entries(declarations).map(([key, one]) => [
    key,
    { ...withReaders({ ...common, ...one }), name: `${name}.${key}` },
  ])
  return Object.fromEntries(named)
}

/** Declares an operation without a noun. */
export const alone = <Name extends string, const D extends Declaration>(
  name: Name,
  declaration: D,
): Operation<D, Name> => withReaders<Operation<D, Name>>({ ...declaration, name })

/** People may look at all that an operator may: what an operator's GET shows holds no secret. */
function withReaders<Op extends Pick<Operation, 'access' | 'method' | 'answer'>>(operation: Op): Op {
  const { access, method, answer } = operation
  if (access === 'public' || method !== 'GET' || answer === 'refused') return operation
  return { ...operation, access: { ...access, approver: 'any', viewer: 'any' } }
}

/** Names in a path, in order: `/a/:id/b/:other` has `['id', 'other']`. */
type NamesIn<Path extends string> = Path extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? [Name, ...NamesIn<`/${More}`>]
    : [Rest]
  : []

/** A part without fields must not forbid those of the others. */
type WithFields<T> = T extends Record<string, never> ? unknown : T

type PartOf<Op extends Declaration, Part extends 'query' | 'body'> = Op extends {
  [Key in Part]: (f: never) => infer Schema
}
  ? Schema extends z.ZodMiniType
    ? WithFields<z.output<Schema>>
    : unknown
  : unknown

/** What a handler gets, by part; `unknown` where an operation takes none. */
export type ParamsOf<Op extends Declaration> = Op extends { params: (f: never) => infer Schema extends ObjectSchema }
  ? z.output<Schema>
  : { [Name in NamesIn<Op['path']>[number]]: string }
export type QueryOf<Op extends Declaration> = PartOf<Op, 'query'>
export type BodyOf<Op extends Declaration> = PartOf<Op, 'body'>

/** What a client gives beside the path's parameters: the fields of query and body. */
export type InputOf<Op extends Declaration> = QueryOf<Op> & BodyOf<Op>

/** The path's parameters, in order. */
export type ParamListOf<Op extends Declaration> = ValuesOf<NamesIn<Op['path']>, ParamsOf<Op>>
type ValuesOf<Names extends string[], Values> = {
  [At in keyof Names]: Names[At] extends keyof Values ? Values[Names[At]] : never
}

/** The document that an operation answers with; a text; `undefined` where it answers with nothing. */
export type AnswerOf<Op extends Declaration> =
  Op['answer'] extends JsonAnswer<infer Schema>
    ? z.output<Schema>
    : Op['answer'] extends 'text'
      ? string
      : Op['answer'] extends 'empty' | 'refused'
        ? undefined
        : Response

/** The names of a path's parameters, in order. */
export const namesIn = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)

/** Whether a request of this method has a body. */
export const hasBody = (method: Declaration['method']): boolean => method !== 'GET' && method !== 'DELETE'
