/** Who may call, as tokens tell: the operator, an agent by what it is, or one attempt, which can touch only its own task. */
export const CALLER_KINDS = ['operator', 'lead', 'worker', 'attempt'] as const
export type CallerKind = (typeof CALLER_KINDS)[number]

/** A request that the server answers. Plain data, so that a client loads no schema library. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `:name` stands for one path segment. */
  path: string
  /** `public` asks for no token; else whose tokens it takes. What a caller may do to which task is decided behind it. */
  access: 'public' | readonly CallerKind[]
  /**
   * What the body is where it is not small JSON: `large` is JSON that may hold an agent's output, `bytes` are raw bytes, and then
   * all fields stand in the query, `handler` is read by the handler alone.
   */
  takes?: 'large' | 'bytes' | 'handler'
  /** A create: an `Idempotency-Key` makes that it is done once, however often it is sent. */
  isCreate?: true
  /**
   * What a good answer is: a JSON document, nothing, plain text, raw bytes, server-sent events, a tar archive, or JSON. `progress` is
   * JSON too, or lines of JSON (progress, then the result) for a client that accepts `application/x-ndjson`; `lines` is JSON, or
   * server-sent events for one that accepts `text/event-stream`; `handler` is the handler's own.
   */
  answer: 'json' | 'empty' | 'text' | 'bytes' | 'events' | 'tar' | 'progress' | 'lines' | 'handler'
  /** One line for OpenAPI and for people. */
  summary: string
}

export const OPERATOR = ['operator'] as const
export const LEADS = ['operator', 'lead'] as const
export const WORKERS = ['operator', 'worker'] as const
/** Every agent, but no run of one. */
export const AGENTS = ['operator', 'lead', 'worker'] as const
export const EVERYONE = CALLER_KINDS
