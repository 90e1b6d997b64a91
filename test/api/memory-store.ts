import { AppError } from '../../src/domain/errors'
import type { FeedEntry } from '../../src/domain/feed'
import { eventId, feedSeq, type SessionId, sessionId, sessionKey, subagentId, todoId } from '../../src/domain/ids'
import type { ConversationEvent, Subagent } from '../../src/domain/session'
import type { Page, PageRequest, Store, StoredJournal, StoredSession } from '../../src/domain/store'
import type { Todo } from '../../src/domain/todo-item'
import { NO_USAGE } from '../../src/domain/usage'
import { MemoryTasks } from './memory-tasks'

/** A store in memory with what the HTTP side needs; what a database does with rows is tested on databases. */
export class MemoryStore implements Store {
  readonly rows: StoredSession[] = []
  readonly eventRows: ConversationEvent[] = []
  readonly subagentRows: Subagent[] = []
  readonly todoRows: Todo[] = []
  readonly feedRows: FeedEntry[] = []
  readonly journalRows = new Map<string, StoredJournal[]>()
  readonly contents = new Map<number, Uint8Array>()
  readonly places = new Map<string, { incarnation: number; offset: number; length: number }>()
  readonly tombstones = new Set<string>()
  /** Calls of `feed.after`, to see what a follower costs. */
  feedReadCount = 0
  /** Thrown by every read of sessions while it is set. */
  failure: Error | null = null
  private readonly wakes = new Set<() => void>()

  addFeed(count: number, kind: FeedEntry['kind'] = 'session.updated', session: SessionId | null = null): void {
    for (let i = 0; i < count; i++) {
      const seq = feedSeq(this.feedRows.length + 1)
      this.feedRows.push({ seq, at: '2026-01-01T00:00:00.000Z', kind, sessionId: session, data: { n: seq } })
    }
    for (const wake of [...this.wakes]) wake()
  }

  listenerCount(): number {
    return this.wakes.size
  }

  readonly tasks = new MemoryTasks()

  /** Issues are tried over real stores alone. */
  readonly issues: Store['issues'] = new Proxy({} as Store['issues'], {
    get: (_, name) => () =>
      name === 'match'
        ? Promise.resolve([])
        : Promise.reject(new AppError('not_found', `${String(name)} of issues was asked of memory`)),
  })

  readonly recall: Store['recall'] = {
    session: async () => undefined,
    issue: async () => undefined,
    company: async () => ({ earlier: [], live: [] }),
    left: async () => undefined,
    changes: async () => ({ changes: [], total: 0, upTo: 0 }),
    ready: async () => ({ issues: [], total: 0 }),
  }

  /** Messages are tried over real stores alone. */
  readonly messages: Store['messages'] = new Proxy({} as Store['messages'], {
    get: (_, name) => async (given: unknown) => {
      // Nobody has a second id here.
      if (name === 'addressOf') return given
      throw new AppError('not_found', `${String(name)} of messages was asked of memory`)
    },
  })

  /** So is what came from outside: nothing did. */
  readonly inbox: Store['inbox'] = {
    list: async () => ({ rows: [], nextCursor: null }),
    find: async () => undefined,
    count: async () => 0,
    sources: async () => [],
    source: async () => undefined,
    work: async () => ({ isUntold: false, isDue: false }),
  }

  /** So is the registry: nobody is in this one. */
  readonly registry: Store['registry'] = {
    registration: async () => undefined,
    attachments: async () => [],
    aliases: async () => [],
    newestSession: async () => undefined,
    workerOf: async () => undefined,
    sessionsOf: async () => [],
  }

  readonly shells: Store['shells'] = { open: async () => [] }
  readonly ids: Store['ids'] = {
    beginning: async (kind, text, within) => {
      if (this.failure !== null) throw this.failure
      const all: Partial<Record<typeof kind, readonly { id: string; sessionId?: string }[]>> = {
        session: this.rows,
        subagent: this.subagentRows,
        todo: this.todoRows,
        event: this.eventRows,
        toolUse: this.eventRows.flatMap(({ toolUseId: own, parentToolUseId: parent }) =>
          [own, parent].flatMap((id) => (id === null ? [] : [{ id }])),
        ),
        task: this.tasks.rows.map(({ id }) => ({ id })),
      }
      const ids = (all[kind] ?? []).flatMap(({ id, sessionId: of }) =>
        within !== null && of !== undefined && of !== within ? [] : [id],
      )
      if (ids.includes(text)) return [text]
      return [...new Set(ids.filter((id) => id.startsWith(text)))].sort()
    },
  }
  readonly manifests: Store['manifests'] = { untold: async () => [] }
  readonly outputs: Store['outputs'] = { matchPrefix: async () => [], lastLines: async () => [] }
  readonly toolUses: Store['toolUses'] = { find: async () => [] }
  readonly runs: Store['runs'] = { ofSubagent: async () => [], recover: async () => ({ work: [], total: 0 }) }
  readonly launches: Store['launches'] = { unread: async () => [] }

  /** What is summed up is tried over real stores alone. */
  readonly tree: Store['tree'] = { level: async () => undefined }
  readonly costs: Store['costs'] = {
    sum: () => Promise.reject(new AppError('internal', 'costs were asked of memory')),
    ofTasks: async () => new Map(),
  }
  readonly fleet: Store['fleet'] = {
    show: async () => ({
      hosts: [],
      agents: [],
      leases: [],
      queue: { byStatus: {}, waitingFor: {}, oldestAt: null, next: [] },
    }),
  }

  /** Nothing needs anybody here. */
  readonly overview: Store['overview'] = {
    sessions: async () => [],
    openTasks: async () => [],
    finishedTasks: async () => [],
    untaken: async () => [],
    tasksOf: async () => new Map(),
    unreadRuns: async () => [],
    endedRuns: async () => [],
    questions: async () => [],
    requests: async () => [],
    messages: async () => [],
    continued: async () => new Set(),
    dismissed: async () => new Map(),
    hasDismissedBefore: async () => false,
    sessionFaces: async () => new Map(),
    sessionWork: async () => new Map(),
    lastWords: async () => new Map(),
    costs: async () => new Map(),
    taskCosts: async () => new Map(),
    taskFaces: async () => new Map(),
    runFaces: async () => new Map(),
  }

  /** Adds an entry of a task, as its commit would. */
  addTaskEntry(kind: FeedEntry['kind'], data: Record<string, unknown>): void {
    const seq = feedSeq(this.feedRows.length + 1)
    this.feedRows.push({ seq, at: '2026-01-01T00:00:00.000Z', kind, sessionId: null, data })
    for (const wake of [...this.wakes]) wake()
  }

  readonly sessions: Store['sessions'] = {
    list: async (filter, request) => {
      if (this.failure !== null) throw this.failure
      const rows = this.rows.filter(
        (row) =>
          (filter.project === undefined || row.project === filter.project) &&
          (filter.forkedFrom === undefined || row.forkedFrom === filter.forkedFrom),
      )
      return slice(rows, request)
    },
    find: async (id) => this.rows.find((row) => row.id === id),
    matchPrefix: async (prefix) => this.rows.filter((row) => row.id.startsWith(prefix)).map((row) => row.id),
    count: async () => this.rows.length,
    aliveOn: async () => [],
    isTombstoned: async (_kind, value) => this.tombstones.has(value),
  }

  readonly events: Store['events'] = {
    list: async (filter, request) => {
      const rows = this.eventRows.filter(
        (row) =>
          (filter.sessionId === undefined || row.sessionId === filter.sessionId) &&
          (filter.parentToolUseId === undefined || row.parentToolUseId === filter.parentToolUseId) &&
          (filter.subagentId === undefined || row.subagentId === filter.subagentId) &&
          (filter.type === undefined || row.type === filter.type || row.role === filter.type) &&
          (filter.ownOnly !== true || !row.inherited),
      )
      return slice(rows, request)
    },
    find: async (session, id) => this.eventRows.find((row) => row.sessionId === session && row.id === id),
    search: async (text, { limit }) => {
      const matches = this.eventRows.filter((row) => row.text?.includes(text))
      return {
        hits: matches.slice(0, limit).map((event) => {
          const node = {
            subagentId: null,
            kind: 'main',
            type: null,
            description: null,
            depth: 0,
            isOrphan: false,
          } as const
          return { event, node, sessionTitle: null, snippet: `\u0002${text}\u0003` }
        }),
        isTruncated: false,
      }
    },
    locate: async (_session, id) => this.places.get(id),
  }

  /** Conversations are read from real stores alone. */
  readonly conversations: Store['conversations'] = new Proxy({} as Store['conversations'], {
    get: (_, name) => () =>
      Promise.reject(new AppError('not_found', `${String(name)} of conversations was asked of memory`)),
  })

  readonly subagents: Store['subagents'] = {
    list: async (session, options) =>
      this.subagentRows.filter((row) => row.sessionId === session && (options?.kinds?.includes(row.kind) ?? true)),
    find: async (id) => this.subagentRows.filter((row) => row.id === id),
    tree: async (session) => {
      if (!this.rows.some((row) => row.id === session)) return undefined
      return {
        subagent: null,
        runningTools: [],
        todos: { completed: 0, total: 0, current: null },
        usage: NO_USAGE,
        lastEventAt: null,
        children: [],
      }
    },
  }

  readonly links: Store['links'] = {
    ofSession: async () => [],
    ofIssue: async () => ({ sessions: [], isTruncated: false }),
  }

  readonly todos: Store['todos'] = {
    list: async ({ sessionId: session, includeRemoved }) =>
      this.todoRows.filter(
        (row) =>
          (session === undefined || row.sessionId === session) && (includeRemoved === true || row.status !== 'removed'),
      ),
    find: async (id) => this.todoRows.find((todo) => todo.id === id),
    match: async (prefix) => this.todoRows.map(({ id }) => id).filter((id) => id.startsWith(prefix)),
    history: async () => undefined,
    lists: async () => ({ rows: [], nextCursor: null }),
    ofSession: () => Promise.reject(new AppError('not_found', 'lists of a session were asked of memory')),
    promotionsToClose: async () => [],
  }

  readonly feed: Store['feed'] = {
    after: async (cursor, limit) => {
      this.feedReadCount += 1
      return this.feedRows.slice(cursor, cursor + limit)
    },
    head: async () => feedSeq(this.feedRows.length),
    onChange: (wake) => {
      this.wakes.add(wake)
      return () => this.wakes.delete(wake)
    },
  }

  readonly journals: Store['journals'] = {
    listBySession: async (session) => this.journalRows.get(session) ?? [],
    read: (incarnation, from = 0, length) =>
      chunksOf(this.contents.get(incarnation) ?? new Uint8Array(0), from, length),
    listAll: async function* () {},
    listOpen: async () => [],
  }

  readonly diagnostics: Store['diagnostics'] = {
    recordKinds: async () => [],
    malformedLines: async () => [],
    storage: async () => ({ kind: 'sqlite', schemaVersion: 1, bytes: 0, rows: {}, settings: {} }),
  }

  async write<T>(): Promise<T> {
    throw new AppError('internal', 'the API writes nothing by itself')
  }

  async close(): Promise<void> {}
}

async function* chunksOf(whole: Uint8Array, from: number, length = whole.length - from): AsyncGenerator<Uint8Array> {
  for (let at = from; at < from + length; at += 4_000) yield whole.subarray(at, Math.min(at + 4_000, from + length))
}

function slice<T>(rows: T[], { limit, cursor }: PageRequest): Page<T> {
  const from = cursor === undefined ? 0 : Number(cursor)
  if (!Number.isSafeInteger(from)) throw new AppError('invalid', 'no cursor of this list')
  const next = from + limit
  return { rows: rows.slice(from, next), nextCursor: next < rows.length ? String(next) : null }
}

export const idNumber = (n: number) => `${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`

export function someSession(id: string, given: Partial<StoredSession> = {}): StoredSession {
  return {
    key: sessionKey(1),
    id: sessionId(id),
    agent: 'claude-code',
    project: '/p',
    cwd: '/p',
    resumedFrom: null,
    forkedFrom: null,
    clearedFrom: null,
    startedAt: '2026-01-01T00:00:00.000Z',
    endedAt: null,
    lastEventAt: '2026-01-01T00:01:00.000Z',
    model: 'm',
    title: 'a title',
    gitBranch: null,
    agentVersion: null,
    host: null,
    hostName: null,
    processHost: null,
    counts: { events: 1, toolCalls: 0, subagents: 0, compactions: 0, malformedLines: 0 },
    usage: NO_USAGE,
    usageMain: NO_USAGE,
    costUsd: null,
    signals: {
      activity: null,
      activityAt: null,
      activityEvidence: null,
      endedAt: null,
      endReason: null,
      processId: null,
      processState: null,
      processAt: null,
      fileGrewAt: null,
      lastEventAt: null,
    },
    ...given,
  }
}

export function someEvent(session: string, n: number, given: Partial<ConversationEvent> = {}): ConversationEvent {
  return {
    id: eventId(idNumber(n)),
    sessionId: sessionId(session),
    type: 'text',
    role: 'assistant',
    at: null,
    subagentId: null,
    parentToolUseId: null,
    toolUseId: null,
    toolName: null,
    text: `event ${n}`,
    isCut: false,
    inherited: false,
    ...given,
  }
}

export function someSubagent(session: string, id: string, given: Partial<Subagent> = {}): Subagent {
  return {
    id: subagentId(id),
    sessionId: sessionId(session),
    kind: 'agent',
    toolUseId: null,
    parentToolUseId: null,
    parentId: null,
    depth: null,
    type: null,
    description: null,
    model: null,
    background: false,
    status: 'unknown',
    statusEvidence: '',
    evidence: [],
    isContradicted: false,
    outputFile: null,
    startedAt: null,
    endedAt: null,
    lastEventAt: null,
    resultPreview: null,
    counts: { events: 0, toolCalls: 0 },
    usage: NO_USAGE,
    costUsd: null,
    ...given,
  }
}

export function someTodo(session: string, id: string, given: Partial<Todo> = {}): Todo {
  return {
    id: todoId(id),
    listId: 'l',
    sessionId: sessionId(session),
    subagentId: null,
    nativeId: null,
    ordinal: 0,
    content: 'c',
    activeForm: null,
    description: null,
    owner: null,
    blockedBy: [],
    status: 'pending',
    createdAt: null,
    updatedAt: null,
    completedAt: null,
    completedBy: null,
    changedBy: null,
    leftOpen: false,
    promotedTo: null,
    takenBy: null,
    ...given,
  }
}
