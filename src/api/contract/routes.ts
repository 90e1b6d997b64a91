/**
 * Every request that the server answers: name, method, path, who may ask. Plain data, so that a client loads no schema library.
 * `requests.ts` and `responses.ts` say what goes in and comes out under the same names; handlers, client methods and OpenAPI follow both.
 */
export interface Route {
  method: 'GET' | 'POST' | 'DELETE'
  /** `:name` stands for one path segment. */
  path: string
  /** `public` asks for no token; `operator` for the installation's. */
  access: 'public' | 'operator'
  /**
   * What a good answer is: a JSON document, nothing, server-sent events, a tar archive, or JSON. `progress` is JSON too, or lines of
   * JSON (progress, then the result) for a client that accepts `application/x-ndjson`.
   */
  answer: 'json' | 'empty' | 'events' | 'tar' | 'progress'
  /** One line for OpenAPI and for people. */
  summary: string
}

export const ROUTES = {
  health: {
    method: 'GET',
    path: '/api/health',
    access: 'public',
    answer: 'json',
    summary: 'Says that the server lives, its version and uptime',
  },
  status: {
    method: 'GET',
    path: '/api/status',
    access: 'operator',
    answer: 'json',
    summary: 'Sessions by status, newest activity, collector and storage',
  },
  'sessions.list': {
    method: 'GET',
    path: '/api/sessions',
    access: 'operator',
    answer: 'json',
    summary: 'Lists sessions, newest activity first',
  },
  'sessions.get': {
    method: 'GET',
    path: '/api/sessions/:id',
    access: 'operator',
    answer: 'json',
    summary: 'A session with its sub-agents, background tasks and to-dos',
  },
  'sessions.forget': {
    method: 'DELETE',
    path: '/api/sessions/:id',
    access: 'operator',
    answer: 'json',
    summary: 'Removes a session and its journals for good',
  },
  'sessions.tree': {
    method: 'GET',
    path: '/api/sessions/:id/tree',
    access: 'operator',
    answer: 'json',
    summary: 'A session as a tree of agents with what each is doing',
  },
  'sessions.events': {
    method: 'GET',
    path: '/api/sessions/:id/events',
    access: 'operator',
    answer: 'json',
    summary: "Lists a session's events in order of time",
  },
  'sessions.event': {
    method: 'GET',
    path: '/api/sessions/:id/events/:eventId',
    access: 'operator',
    answer: 'json',
    summary: 'One event with its line as it stands in the journal',
  },
  'sessions.journals': {
    method: 'GET',
    path: '/api/sessions/:id/journals',
    access: 'operator',
    answer: 'json',
    summary: "A session's files with their incarnations",
  },
  'sessions.export': {
    method: 'GET',
    path: '/api/sessions/:id/export',
    access: 'operator',
    answer: 'tar',
    summary: "A session's transcript and its sub-agents' files, byte for byte, as a tar archive",
  },
  'events.list': {
    method: 'GET',
    path: '/api/events',
    access: 'operator',
    answer: 'json',
    summary: 'Lists events of all sessions, or of one',
  },
  'subagents.list': {
    method: 'GET',
    path: '/api/subagents',
    access: 'operator',
    answer: 'json',
    summary: "Lists a session's sub-agents and background tasks",
  },
  'subagents.get': {
    method: 'GET',
    path: '/api/subagents/:id',
    access: 'operator',
    answer: 'json',
    summary: 'One sub-agent; its session decides where several have the id',
  },
  'todos.list': {
    method: 'GET',
    path: '/api/todos',
    access: 'operator',
    answer: 'json',
    summary: "Lists the agents' own to-dos",
  },
  search: {
    method: 'GET',
    path: '/api/search',
    access: 'operator',
    answer: 'json',
    summary: 'Full-text search over messages and tool inputs, ranked',
  },
  'feed.follow': {
    method: 'GET',
    path: '/api/feed',
    access: 'operator',
    answer: 'events',
    summary: 'The feed as server-sent events, resumable with Last-Event-ID',
  },
  'feed.page': {
    method: 'GET',
    path: '/api/feed/page',
    access: 'operator',
    answer: 'json',
    summary: 'Entries of the feed after a cursor',
  },
  doctor: {
    method: 'GET',
    path: '/api/doctor',
    access: 'operator',
    answer: 'json',
    summary: 'What is unknown, malformed, missing or odd',
  },
  import: {
    method: 'POST',
    path: '/api/import',
    access: 'operator',
    answer: 'progress',
    summary: "Records files and folders of the server's host, once",
  },
  rebuild: {
    method: 'POST',
    path: '/api/rebuild',
    access: 'operator',
    answer: 'progress',
    summary: 'Derives every projection again from the journals',
  },
  'hooks.claudeCode': {
    method: 'POST',
    path: '/hooks/claude-code',
    access: 'operator',
    answer: 'empty',
    summary: 'Takes a hook payload of Claude Code',
  },
  openapi: {
    method: 'GET',
    path: '/api/openapi.json',
    access: 'operator',
    answer: 'json',
    summary: 'This description',
  },
} as const satisfies Record<string, Route>

export type RouteName = keyof typeof ROUTES

/** Carried by every answer: the server's version. A client tells its user when it differs from its own. */
export const VERSION_HEADER = 'Lodeline-Version'
/** The error's code where an error has no body (`/hooks/…`: any text there could enter an agent's prompt). */
export const ERROR_HEADER = 'Lodeline-Error'
/** What a client accepts in order to hear of progress while `import` or `rebuild` runs. */
export const PROGRESS_TYPE = 'application/x-ndjson'

/** Rows of a page when the request doesn't say, and the most that it may ask for. */
export const DEFAULT_PAGE_LIMIT = 50
export const MAX_PAGE_LIMIT = 1_000
/** Hits of a search. */
export const DEFAULT_SEARCH_LIMIT = 20
export const MAX_SEARCH_LIMIT = 200
/** The shortest beginning of a session id that may stand for the whole. */
export const MIN_ID_PREFIX = 4
