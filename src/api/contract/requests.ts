import * as z from 'zod/mini'
import { FEED_KINDS } from '../../domain/feed'
import { SESSION_STATUSES } from '../../domain/session'
import { MAX_PAGE_LIMIT, MAX_SEARCH_LIMIT, type RouteName } from './routes'

type ObjectSchema = z.ZodMiniObject

/**
 * What may go into a request. Query fields are described by what they mean (a whole number, true or false, a list): `query-codec.ts`
 * turns them into text and back by these very schemas. Each part is made when it is first asked for: to make all of them costs a
 * command that runs in process 3 ms, the one that it needs 0.1.
 */
export interface RequestSchemas {
  params?: () => ObjectSchema
  /** Unknown fields are refused. Lists are written with commas, `null` as the word. */
  query?: () => ObjectSchema
  /** JSON. */
  body?: () => ObjectSchema
}

/** An id as a person or a program may send it: no blanks, control characters or separators, and no dot segment. */
const ID_PATTERN = /^(?!\.{1,2}$)[^\s/\\\p{Cc}\p{Cf}]{1,200}$/u
const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const isFreeOfNul = (value: string) => !value.includes('\0')

/** A session's id may be a unique beginning of it. */
const id = () => z.string().check(z.regex(ID_PATTERN, 'is not an id'))
const text = (max: number) => z.string().check(z.minLength(1), z.maxLength(max), z.refine(isFreeOfNul, 'holds NUL'))
const cursor = () => z.string().check(z.regex(/^[\x21-\x7e]{1,1000}$/, 'is not a cursor of this list'))
const limit = (max: number) => z.int().check(z.minimum(1), z.maximum(max))
const seq = () => z.int().check(z.minimum(0))

const byId = () => z.strictObject({ id: id() })

const paging = () => ({ limit: z.optional(limit(MAX_PAGE_LIMIT)), cursor: z.optional(cursor()) })

const eventFilter = () => ({
  /** Events of the sub-agent that this tool call launched; `null` = the main thread. */
  parentToolUseId: z.optional(z.nullable(id())),
  subagentId: z.optional(id()),
  /** Events of sub-agents whose launch was not seen. */
  orphans: z.optional(z.boolean()),
  /** An event's type, or the line's own. */
  type: z.optional(text(100)),
  toolUseId: z.optional(id()),
  /** Without inherited events of forks. */
  ownOnly: z.optional(z.boolean()),
})

const feedFilter = () => ({
  /** The cursor of the last entry that the reader has. `feed.follow` without it starts now, and `Last-Event-ID` goes before it. */
  after: z.optional(seq()),
  sessionId: z.optional(id()),
  kinds: z.optional(z.array(z.enum(FEED_KINDS))),
})

export const REQUESTS = {
  health: {},
  status: {},
  'sessions.list': {
    query: () =>
      z.strictObject({
        project: z.optional(text(4_096)),
        agent: z.optional(z.enum(['claude-code'])),
        status: z.optional(z.array(z.enum(SESSION_STATUSES))),
        /** Working directory equal to or below this. */
        under: z.optional(text(4_096)),
        forkedFrom: z.optional(id()),
        ...paging(),
      }),
  },
  'sessions.get': { params: byId },
  'sessions.forget': { params: byId },
  'sessions.tree': { params: byId },
  'sessions.events': { params: byId, query: () => z.strictObject({ ...eventFilter(), ...paging() }) },
  'sessions.event': {
    params: () => z.strictObject({ id: id(), eventId: z.string().check(z.regex(UUID_PATTERN, 'is not a uuid')) }),
  },
  'sessions.journals': { params: byId },
  'sessions.export': {
    params: byId,
    query: () => z.strictObject({ incarnation: z.optional(limit(1_000_000)) }),
  },
  'events.list': {
    query: () => z.strictObject({ sessionId: z.optional(id()), ...eventFilter(), ...paging() }),
  },
  'subagents.list': {
    query: () =>
      z.strictObject({
        sessionId: id(),
        /** Without it: agents alone. */
        kinds: z.optional(z.array(z.enum(['agent', 'shell', 'monitor']))),
        ...paging(),
      }),
  },
  'subagents.get': { params: byId, query: () => z.strictObject({ sessionId: z.optional(id()) }) },
  'todos.list': {
    query: () =>
      z.strictObject({
        sessionId: z.optional(id()),
        /** Whose list it is or who made the item; `null` = the main thread. */
        subagentId: z.optional(z.nullable(id())),
        includeRemoved: z.optional(z.boolean()),
        ...paging(),
      }),
  },
  search: {
    query: () =>
      z.strictObject({ q: text(1_000), sessionId: z.optional(id()), limit: z.optional(limit(MAX_SEARCH_LIMIT)) }),
  },
  'feed.follow': { query: () => z.strictObject(feedFilter()) },
  'feed.page': { query: () => z.strictObject({ ...feedFilter(), limit: z.optional(limit(MAX_PAGE_LIMIT)) }) },
  doctor: {},
  import: {
    body: () =>
      z.strictObject({
        /** Absolute paths of files or folders on the server's host. */
        paths: z.array(text(4_096)).check(z.minLength(1), z.maxLength(1_000)),
      }),
  },
  rebuild: { body: () => z.strictObject({}) },
  'hooks.claudeCode': {},
  openapi: {},
} satisfies Record<RouteName, RequestSchemas>

type Part<Name extends RouteName, Key extends keyof RequestSchemas> = (typeof REQUESTS)[Name] extends {
  [K in Key]: () => infer S
}
  ? S extends z.core.$ZodType
    ? z.output<S>
    : unknown
  : unknown

/** What a handler gets, by part; `unknown` where a route takes none. */
export type RequestParams<Name extends RouteName> = Part<Name, 'params'>
export type RequestQuery<Name extends RouteName> = Part<Name, 'query'>
export type RequestBody<Name extends RouteName> = Part<Name, 'body'>
/** What a client gives: the fields of path, query and body in one object. */
export type RequestInput<Name extends RouteName> = RequestParams<Name> & RequestQuery<Name> & RequestBody<Name>
