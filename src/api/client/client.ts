import type { RequestInput } from '../contract/requests'
import type { ResponseOf } from '../contract/responses'
import type { FeedEntry, Progress } from '../contract/wire'
import { type CallerOptions, type CallOptions, createCaller, type FollowOptions, type Transport } from './call'
import { type ExportFile, readExport } from './export-files'
import { followFeed } from './feed-follow'
import { inboxMethods } from './inbox-methods'
import { issueMethods } from './issue-methods'
import { listAll } from './list-all'
import { messageMethods } from './message-methods'
import { type OverviewClient, overviewMethods, type SessionRowsClient, sessionRowsMethods } from './overview-methods'
import { planMethods } from './plan-methods'
import { callWithProgress } from './progress'
import { type ReadingClient, readingMethods } from './reading-methods'
import { type RecallClient, recallMethods } from './recall-methods'
import {
  type SessionRecoveryClient,
  type SubagentOutputClient,
  sessionRecoveryMethods,
  subagentOutputMethods,
} from './recovery-methods'
import { type RegistryClient, registryMethods } from './registry-methods'
import { epicMethods, taskMethods } from './task-methods'
import { linkMethods, todoMethods } from './todo-methods'
import type { WorkClient } from './work-client'
import { workerMethods } from './worker-methods'

/** The typed client: one method per route. The only way in for the CLI, the collector, the workers and the dashboard. */
export interface Client extends WorkClient, RecallClient, OverviewClient {
  health(options?: CallOptions): Promise<ResponseOf<'health'>>
  status(options?: CallOptions): Promise<ResponseOf<'status'>>
  doctor(options?: CallOptions): Promise<ResponseOf<'doctor'>>
  search(input: RequestInput<'search'>, options?: CallOptions): Promise<ResponseOf<'search'>>
  /** @param paths  absolute, on the server's host */
  import(
    input: RequestInput<'import'>,
    options?: CallOptions & { onProgress?: (progress: Progress) => void },
  ): Promise<ResponseOf<'import'>>
  rebuild(options?: CallOptions & { onProgress?: (progress: Progress) => void }): Promise<ResponseOf<'rebuild'>>
  openapi(options?: CallOptions): Promise<ResponseOf<'openapi'>>

  /** `id` may be a unique beginning of a session's id, of four characters or more. */
  readonly sessions: ReadingClient &
    SessionRowsClient &
    SessionRecoveryClient &
    RegistryClient & {
      list(input?: RequestInput<'sessions.list'>, options?: CallOptions): Promise<ResponseOf<'sessions.list'>>
      /** Every session that matches, page by page. */
      all(
        input?: Omit<RequestInput<'sessions.list'>, 'cursor'>,
        options?: CallOptions,
      ): AsyncIterable<ResponseOf<'sessions.list'>['sessions'][number]>
      tree(id: string, options?: CallOptions): Promise<ResponseOf<'sessions.tree'>>
      events(
        id: string,
        input?: Omit<RequestInput<'sessions.events'>, 'id'>,
        options?: CallOptions,
      ): Promise<ResponseOf<'sessions.events'>>
      /** One event with its line as it stands in the journal. */
      event(id: string, eventId: string, options?: CallOptions): Promise<ResponseOf<'sessions.event'>>
      journals(id: string, options?: CallOptions): Promise<ResponseOf<'sessions.journals'>>
      /**
       * The session's files, one after another; read each to its end before the next. Paths are checked to stay within the folder
       * that they are written to. @throws `unavailable` when the archive ends early.
       */
      export(
        id: string,
        input?: { incarnation?: number; partial?: boolean },
        options?: CallOptions,
      ): AsyncIterable<ExportFile>
      /** Removes it for good. The whole id only: a beginning is refused with `invalid`. */
      forget(id: string, options?: CallOptions): Promise<ResponseOf<'sessions.forget'>>
    }
  readonly events: {
    list(input?: RequestInput<'events.list'>, options?: CallOptions): Promise<ResponseOf<'events.list'>>
    all(
      input?: Omit<RequestInput<'events.list'>, 'cursor'>,
      options?: CallOptions,
    ): AsyncIterable<ResponseOf<'events.list'>['events'][number]>
  }
  /** What became of the background work of a project's sessions. */
  recover(input: RequestInput<'recover'>, options?: CallOptions): Promise<ResponseOf<'recover'>>
  readonly subagents: SubagentOutputClient & {
    list(input: RequestInput<'subagents.list'>, options?: CallOptions): Promise<ResponseOf<'subagents.list'>>
    /** @throws `conflict` when several sessions have this id; `details.candidates` lists them, `sessionId` decides. */
    get(
      id: string,
      input?: Omit<RequestInput<'subagents.get'>, 'id'>,
      options?: CallOptions,
    ): Promise<ResponseOf<'subagents.get'>>
  }
  readonly toolUses: {
    /** @throws `conflict` when several sessions have this id; `details.candidates` lists them, `sessionId` decides. */
    get(
      id: string,
      input?: Omit<RequestInput<'toolUses.get'>, 'id'>,
      options?: CallOptions,
    ): Promise<ResponseOf<'toolUses.get'>>
  }
  readonly feed: {
    page(input?: RequestInput<'feed.page'>, options?: CallOptions): Promise<ResponseOf<'feed.page'>>
    /**
     * Entries as they come, for ever; ends when `options.signal` aborts. After a lost connection it goes on where it stopped: nothing
     * is skipped or doubled. Errors that trying again can't mend are thrown.
     */
    follow(input?: RequestInput<'feed.follow'>, options?: FollowOptions): AsyncIterable<FeedEntry>
  }
}

/**
 * Makes a client over a transport: `httpTransport` (its own entry) or the fetch of an app in this process.
 *
 * Every method throws a `RemoteError` (an `AppError` that came over the wire) or an `AppError` of its own: `unavailable` when the
 * server can't be reached.
 */
export function createClient(transport: Transport, options: CallerOptions = {}): Client {
  const caller = createCaller(transport, options)
  const { call } = caller
  return {
    health: (o) => call('health', {}, o),
    status: (o) => call('status', {}, o),
    doctor: (o) => call('doctor', {}, o),
    search: (input, o) => call('search', input, o),
    import: (input, o) => callWithProgress(caller, 'import', input, o),
    rebuild: (o) => callWithProgress(caller, 'rebuild', {}, o),
    openapi: (o) => call('openapi', {}, o),
    sessions: {
      ...readingMethods(caller),
      ...sessionRowsMethods(caller),
      ...sessionRecoveryMethods(caller),
      ...registryMethods(caller),
      list: (input = {}, o) => call('sessions.list', input, o),
      all: (input = {}, o) =>
        listAll(
          (cursor) => call('sessions.list', { ...input, cursor }, o),
          (page) => page.sessions,
        ),
      tree: (id, o) => call('sessions.tree', { id }, o),
      events: (id, input = {}, o) => call('sessions.events', { ...input, id }, o),
      event: (id, eventId, o) => call('sessions.event', { id, eventId }, o),
      journals: (id, o) => call('sessions.journals', { id }, o),
      export: (id, input = {}, o) => readExport(() => caller.open('sessions.export', { ...input, id }, o)),
      forget: (id, o) => call('sessions.forget', { id }, o),
    },
    events: {
      list: (input = {}, o) => call('events.list', input, o),
      all: (input = {}, o) =>
        listAll(
          (cursor) => call('events.list', { ...input, cursor }, o),
          (page) => page.events,
        ),
    },
    recover: (input, o) => call('recover', input, o),
    subagents: {
      ...subagentOutputMethods(caller),
      list: (input, o) => call('subagents.list', input, o),
      get: (id, input = {}, o) => call('subagents.get', { ...input, id }, o),
    },
    toolUses: { get: (id, input = {}, o) => call('toolUses.get', { ...input, id }, o) },
    todos: todoMethods(caller),
    links: linkMethods(caller),
    feed: {
      page: (input = {}, o) => call('feed.page', input, o),
      follow: (input = {}, o) => followFeed(caller, input, o),
    },
    tasks: taskMethods(caller),
    epics: epicMethods(caller),
    issues: issueMethods(caller),
    messages: messageMethods(caller),
    inbox: inboxMethods(caller),
    plans: planMethods(caller),
    ...workerMethods(caller),
    ...recallMethods(caller),
    ...overviewMethods(caller),
  }
}
