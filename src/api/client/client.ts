import { AppError } from '../../domain/errors'
import { feedSeq } from '../../domain/ids'
import type { Message } from '../../domain/message/message'
import type { TaskLogLine } from '../../domain/task/task'
import type { AnswerOf, InputOf } from '../contract/operation'
import { operations } from '../contract/operations'
import { COMMIT_HEADER, LAST_UUID_HEADER } from '../contract/protocol'
import type { FeedEntry } from '../contract/wire'
import {
  type Caller,
  type CallerOptions,
  type CallOptions,
  createCaller,
  type FollowOptions,
  type Transport,
} from './call'
import { type ExportFile, readExport } from './export-files'
import { followStream } from './follow-stream'
import { createMethods, type Methods } from './methods'
import { isRecord, parseJson } from './remote-error'

const { conversations, feed, messages, sessions, tasks } = operations

type Place = AnswerOf<typeof sessions.place>

/** An entry of an address's stream. `isNew` false: a message that the stream gave before moved on. */
export interface MessageEvent {
  isNew: boolean
  message: Message
}

/** What a client does beyond one request for one answer. */
interface Streams {
  readonly sessions: {
    /** A session that is recorded. @throws `not_found` also where it is registered alone: `place` reports that */
    get(id: string, options?: CallOptions): Promise<Place & { session: NonNullable<Place['session']> }>
    /**
     * The session's files, one after another; read each to its end before the next. Paths are checked to stay within the folder
     * that they are written to. @throws `unavailable` when the archive ends early.
     */
    export(id: string, input?: InputOf<typeof sessions.export>, options?: CallOptions): AsyncIterable<ExportFile>
  }
  readonly conversations: {
    /**
     * A session's main transcript, cut at its last finished turn. @param at  and no later than this event
     *
     * @throws `not_found` nothing recorded, or no finished turn
     */
    snapshot(
      session: string,
      input?: InputOf<typeof conversations.snapshot>,
      options?: CallOptions,
    ): Promise<{ bytes: Uint8Array; lastUuid: string }>
  }
  readonly tasks: {
    /** A part of the newest copy of its worktree, and the commit that the copy is of. @throws `not_found` */
    workCopyPart(
      id: string,
      input: { offset: number },
      options?: CallOptions,
    ): Promise<{ bytes: Uint8Array; commit: string | null }>
    /** Lines as they come; ends when the task is final (or `options.signal` aborts). Goes on over a lost connection. */
    followLog(id: string, input?: { after?: number | undefined }, options?: FollowOptions): AsyncIterable<TaskLogLine>
  }
  readonly messages: {
    /**
     * What comes to the address after this position (0 = the first), for ever; ends when `options.signal` aborts. Goes on over a lost
     * connection: no message is skipped or doubled.
     */
    follow(at: string, input?: { after?: number | undefined }, options?: FollowOptions): AsyncIterable<MessageEvent>
  }
  readonly feed: {
    /**
     * Entries as they come, for ever; ends when `options.signal` aborts. After a lost connection it goes on where it stopped: nothing
     * is skipped or doubled. Errors that trying again can't mend are thrown.
     */
    follow(input?: InputOf<typeof feed.follow>, options?: FollowOptions): AsyncIterable<FeedEntry>
  }
}

/**
 * The typed client: a method for each operation, and the streams. The only way in for the CLI, the collector, the workers and the
 * dashboard. Ids may be a unique beginning of four characters or more.
 */
export type Client = {
  readonly [Noun in keyof Methods]: Noun extends keyof Streams
    ? Omit<Methods[Noun], keyof Streams[Noun]> & Streams[Noun]
    : Methods[Noun]
}

/**
 * Makes a client over a transport: `httpTransport` (its own entry) or the fetch of an app in this process.
 *
 * Every method throws a `RemoteError` (an `AppError` that came over the wire) or an `AppError` of its own: `unavailable` when the
 * server can't be reached.
 */
export function createClient(transport: Transport, options: CallerOptions = {}): Client {
  const caller = createCaller(transport, options)
  const methods = createMethods(caller)
  return {
    ...methods,
    sessions: {
      ...methods.sessions,
      async get(id, o) {
        const { session, ...rest } = await methods.sessions.place(id, {}, o)
        if (session !== null) return { ...rest, session }
        throw new AppError('not_found', `No session of ${rest.address} is recorded.`, {
          hint: `It is registered. To see its messages, run \`lode session messages ${rest.address}\`.`,
        })
      },
      export: (id, input = {}, o) => readExport(() => caller.open(sessions.export, { ...input, id }, o)),
    },
    conversations: { snapshot: (id, input = {}, o) => snapshot(caller, id, input, o) },
    tasks: {
      ...methods.tasks,
      async workCopyPart(id, input, o) {
        const response = await caller.open(tasks.workCopyPart, { ...input, id }, o)
        return { bytes: await response.bytes(), commit: response.headers.get(COMMIT_HEADER) }
      },
      followLog: (id, input = {}, o) => followLog(caller, id, input.after, o),
    },
    messages: { ...methods.messages, follow: (at, input = {}, o) => followMessages(caller, at, input.after, o) },
    feed: { ...methods.feed, follow: (input = {}, o) => followFeed(caller, input, o) },
  }
}

async function snapshot(
  caller: Caller,
  id: string,
  input: InputOf<typeof conversations.snapshot>,
  options?: CallOptions,
) {
  const response = await caller.open(conversations.snapshot, { ...input, id }, options)
  const lastUuid = response.headers.get(LAST_UUID_HEADER)
  if (lastUuid === null) throw new AppError('internal', 'The server did not report where the snapshot ends.')
  return { bytes: await response.bytes(), lastUuid }
}

const afterOf = (after: number | undefined) => (after === undefined ? {} : { after })

function followLog(caller: Caller, id: string, after: number | undefined, options?: FollowOptions) {
  const fields = { id, ...afterOf(after) }
  const reader = { operation: tasks.log, fields, cursor: after, read: readLogLine, endEvent: 'end' }
  return followStream(caller, reader, options)
}

function readLogLine(data: string): TaskLogLine | undefined {
  const line = parseJson(data)
  return isRecord(line) && typeof line.id === 'number' ? (line as unknown as TaskLogLine) : undefined
}

function followMessages(caller: Caller, id: string, after: number | undefined, options?: FollowOptions) {
  const fields = { id, ...afterOf(after) }
  const reader = { operation: messages.at, fields, cursor: after, read: readMessage, besideEvent: 'update' }
  return followStream(caller, reader, options)
}

function readMessage(data: string, event: string): MessageEvent | undefined {
  const message = parseJson(data)
  if (!isRecord(message) || typeof message.id !== 'string') return undefined
  return { isNew: event !== 'update', message: message as unknown as Message }
}

function followFeed(caller: Caller, fields: InputOf<typeof feed.follow>, options?: FollowOptions) {
  return followStream(caller, { operation: feed.follow, fields, cursor: fields.after, read: readEntry }, options)
}

function readEntry(data: string): FeedEntry | undefined {
  const entry = parseJson(data)
  if (!isRecord(entry) || typeof entry.seq !== 'number') return undefined
  return { ...(entry as unknown as FeedEntry), seq: feedSeq(entry.seq) }
}
