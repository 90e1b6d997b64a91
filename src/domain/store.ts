import type { ConversationReads, EventNode } from './conversation'
import type { CostReads } from './cost'
import type { FeedEntry, FeedKind } from './feed'
import type { FleetReads } from './fleet'
import type { IdReads } from './id-kind'
import type { AgentName, EventId, EventKey, FeedSeq, SessionId, SessionKey, SubagentId, ToolUseId } from './ids'
import type { InboxReads, InboxTx } from './inbox'
import type { IssueReads, IssueTx } from './issue-store'
import type { LaunchReads } from './launch'
import type { ManifestReads, ManifestTx } from './manifest'
import type { MessageReads, MessageTx } from './message-store'
import type { EventType } from './observation'
import type { OutputReads } from './output'
import type { NeedTx, OverviewReads } from './overview-store'
import type { RecallReads } from './recall'
import type { RecordTx } from './record-store'
import type { RegistryReads, RegistryTx } from './registry'
import type { ConversationEvent, Session, Subagent, TreeNode } from './session'
import type { ShellProcess, ShellReads } from './shell'
import type { RunReads } from './subagent-run'
import type { TaskReads, TaskTx } from './task-store'
import type { TodoFoldOptions } from './todo-step'
import type { LinkReads, TodoReads, TodoTx } from './todo-store'
import type { ToolUseReads } from './tool-use'
import type { TreeReads } from './tree-level'

/** What can be read, by noun. Reads run on connections of their own and never wait for a writer. */
export interface StoreReads {
  readonly ids: IdReads
  readonly sessions: SessionReads
  readonly events: EventReads
  readonly conversations: ConversationReads
  readonly subagents: SubagentReads
  readonly runs: RunReads
  readonly shells: ShellReads
  readonly toolUses: ToolUseReads
  readonly todos: TodoReads
  readonly links: LinkReads
  readonly feed: FeedReads
  readonly journals: JournalReads
  readonly diagnostics: DiagnosticReads
  readonly tasks: TaskReads
  readonly issues: IssueReads
  readonly recall: RecallReads
  readonly messages: MessageReads
  readonly inbox: InboxReads
  readonly registry: RegistryReads
  readonly manifests: ManifestReads
  readonly launches: LaunchReads
  readonly outputs: OutputReads
  readonly overview: OverviewReads
  readonly tree: TreeReads
  readonly costs: CostReads
  readonly fleet: FleetReads
}

/**
 * The port between the engine and a database. One contract, one test suite (`test/store-contract/`), two databases.
 *
 * Writes are units of work.
 */
export interface Store extends StoreReads {
  /**
   * Runs `unit` in a transaction of its own (a savepoint inside a group commit on SQLite) and resolves when it is durable.
   *
   * Units of one process run strictly one after another on SQLite; on PostgreSQL several run at once, each in a transaction
   * of its own, and one that met a deadlock is run again from its start. A unit may await its transaction and nothing else:
   * one that awaits a timer, the network or another store call is rolled back with `internal`. `tx.now` is its one time.
   *
   * @param weight  `bulk` units let waiting `interactive` ones go first (default).
   * @throws `unavailable`       the database stayed locked for longer than `busyTimeoutMs`
   * @throws `storage_full` `storage_readonly` `storage_corrupt`  nothing of this unit was kept; earlier ones are untouched
   */
  write<T>(unit: (tx: WriteTx) => T | Promise<T>, options?: { weight?: 'interactive' | 'bulk' }): Promise<T>

  /** Waits for running units, then closes every connection. Further calls throw `unavailable`. */
  close(): Promise<void>
}

/** A unit of work's view of the database: sees its own writes. */
export interface WriteTx {
  /** Milliseconds since the epoch, the same throughout the unit (the database's clock on PostgreSQL). */
  readonly now: number
  readonly record: RecordTx
  readonly sessions: SessionWrites
  readonly tasks: TaskTx
  readonly issues: IssueTx
  readonly messages: MessageTx
  readonly inbox: InboxTx
  readonly registry: RegistryTx
  readonly todos: TodoTx
  readonly manifests: ManifestTx
  readonly needs: NeedTx
  appendFeed(
    kind: FeedKind,
    session: { key: SessionKey; id: SessionId } | null,
    data?: Record<string, unknown>,
  ): void | Promise<void>
}

/** One page of a list. `nextCursor` is opaque; `null` = no more. */
export interface Page<T> {
  rows: T[]
  nextCursor: string | null
}

export interface PageRequest {
  /** 1 to 1,000. */
  limit: number
  /** From an earlier page of the same list with the same filters. @throws `invalid` when it is not. */
  cursor?: string
}

/** A session as stored, before its status is derived (`domain/session-status.ts`). */
export interface StoredSession extends Omit<Session, 'status' | 'statusEvidence'> {
  key: SessionKey
  /** The machine that recorded it first, by its random name; `host` is what people call it. */
  hostName: string | null
  /** The machine on which the CLI's process was seen, which alone can judge it; `null` = no process was. */
  processHost: string | null
  signals: SessionSignals
}

/** What is known of whether a session is alive; times in milliseconds. */
export interface SessionSignals {
  activity: 'working' | 'idle' | 'waiting' | 'ended' | null
  activityAt: number | null
  activityEvidence: string | null
  endedAt: number | null
  endReason: string | null
  processId: number | null
  processState: 'alive' | 'gone' | null
  processAt: number | null
  fileGrewAt: number | null
  lastEventAt: number | null
}

export interface SessionFilter {
  project?: string
  agent?: AgentName
  /** Sessions forked or resumed from this one. */
  forkedFrom?: SessionId
  /** Working directory equal to or below this. */
  under?: string
  /** Title or id holds this, without regard to case. */
  text?: string
}

export interface SessionReads {
  /** Newest `lastEventAt` first. Two queries for a page of any size, usage included. */
  list(filter: SessionFilter, page: PageRequest): Promise<Page<StoredSession>>
  find(id: SessionId): Promise<StoredSession | undefined>
  /** Ids that begin with `prefix` (at least 4 characters), at most 20. */
  matchPrefix(prefix: string): Promise<SessionId[]>
  count(): Promise<number>
  /** Those whose process was alive on this machine when it was last looked at. */
  aliveOn(hostName: string): Promise<{ sessionId: SessionId; pid: number; started: string | null }[]>
  isTombstoned(kind: 'session' | 'path', value: string): Promise<boolean>
}

export interface SessionWrites {
  /**
   * Sets what a machine saw of the CLI's process. That a process is gone is not taken from a machine other than the one that
   * saw it alive.
   *
   * @param hostKey  of that machine
   * @returns whether it was taken
   */
  setProcess(
    key: SessionKey,
    hostKey: number,
    process: { id: number; started: string | null; state: 'alive' | 'gone'; at: number },
  ): Promise<boolean>
  /**
   * Notes that a run's result was read, as somebody says; it stays through a rebuild.
   *
   * @returns whether that is new; `null` = there is no such run
   */
  markRead(key: SessionKey, subagent: SubagentId, run: number, by: string): Promise<boolean | null>
  /** Sets what a look at a background shell's own process gave, or that a person stopped it; it stays through a rebuild. */
  setShell(key: SessionKey, shell: Omit<ShellProcess, 'sessionId'>): void | Promise<void>
  /**
   * Removes the session with its journals, events, text index, to-dos and usage, and tombstones its id and paths.
   * On SQLite its bytes are gone from the database files after `KeptStore.maintain('scrub')`; PostgreSQL overwrites them in its own time.
   *
   * @param todos  how lists that others share with it are folded again
   */
  forget(key: SessionKey, todos?: TodoFoldOptions): void | Promise<void>
}

export interface EventFilter {
  sessionId?: SessionId
  /** Events of the sub-agent that this tool call launched; `null` = the main thread. */
  parentToolUseId?: ToolUseId | null
  subagentId?: SubagentId
  /** Events of sub-agents whose launch was not seen. */
  orphans?: boolean
  /** Matches an event's type or the line's own type. */
  type?: EventType | string
  toolUseId?: ToolUseId
  /** Without inherited events of forks (default: with). */
  ownOnly?: boolean
}

export interface SearchHit {
  event: ConversationEvent
  /** Whose event it is. */
  node: EventNode
  sessionTitle: string | null
  /** The text around the match, at most 200 characters; matches are between `\u0002` and `\u0003`. */
  snippet: string
}

export interface SearchResult {
  hits: SearchHit[]
  /** Only the newest 2,000 matches are ranked; `true` when there were more. */
  isTruncated: boolean
}

export interface EventReads {
  /** In order of time, then of recording; over all sessions (no `sessionId`) in order of recording alone. */
  list(filter: EventFilter, page: PageRequest): Promise<Page<ConversationEvent>>
  find(session: SessionId, id: EventId): Promise<ConversationEvent | undefined>
  /** Words are ANDed, `"a phrase"` stays together, `word*` is a prefix; nothing in `text` is an operator otherwise. */
  search(text: string, options: { sessionId?: SessionId; limit: number }): Promise<SearchResult>
  /** Where the event's line is in the journals. */
  locate(session: SessionId, id: EventId): Promise<{ incarnation: number; offset: number; length: number } | undefined>
}

export interface SubagentReads {
  list(session: SessionId, options?: { kinds?: Subagent['kind'][] }): Promise<Subagent[]>
  /** By the CLI's id, over all sessions: ids are unique within a session only. */
  find(id: SubagentId): Promise<Subagent[]>
  /** The whole session in at most four queries, whatever the number of sub-agents. */
  tree(session: SessionId): Promise<TreeNode | undefined>
}

export interface FeedReads {
  /** Entries after `cursor`, oldest first, at most `limit`. */
  after(cursor: FeedSeq, limit: number): Promise<FeedEntry[]>
  /** The newest cursor; 0 when the feed is empty. */
  head(): Promise<FeedSeq>
  /** Calls `wake` soon after something was committed by this or another process. Returns the unsubscribe function. */
  onChange(wake: () => void): () => void
}

/** A journal of a session with its incarnations, newest incarnation first. */
export interface StoredJournal {
  id: number
  kind: string
  path: string
  /** `hosts.name` of the machine that the file is on. */
  hostName: string
  subagentId: SubagentId | null
  incarnations: {
    id: number
    number: number
    size: number
    openedAt: string
    closedAt: string | null
    closeReason: string | null
  }[]
}

/** A journal's open incarnation, by the file's path. */
export interface OpenJournal {
  path: string
  /** The open incarnation's id, as `read` takes it. */
  incarnation: number
  kind: string
  /** Bytes stored, and how many of them were parsed. */
  size: number
  parsed: number
  inode: number | null
  /** When bytes were last stored. */
  grewAt: number | null
}

/** All of them, when nothing is given. */
export interface OpenJournalFilter {
  /** Only these files. */
  paths?: readonly string[]
  /** Only of the 200 sessions heard of last, and of those since this time in milliseconds. */
  heardSince?: number
}

export interface JournalReads {
  listBySession(session: SessionId): Promise<StoredJournal[]>
  /** The bytes of an incarnation in order, decompressed, chunk by chunk. */
  read(incarnation: number, from?: number, length?: number): AsyncIterable<Uint8Array>
  /** Journals of a host as they stand: what the collector compares with the files. Times in milliseconds. */
  listOpen(hostName: string, filter?: OpenJournalFilter): Promise<OpenJournal[]>
  /** Every incarnation in the order in which it was recorded, for `rebuild`. */
  listAll(): AsyncIterable<{
    journal: StoredJournal
    agent: AgentName
    sessionId: SessionId | null
    /** Where the file is: `hosts.name`, and what the machine calls itself. */
    host: { name: string; hostname: string }
  }>
}

export interface DiagnosticReads {
  recordKinds(): Promise<
    {
      agent: AgentName
      journalKind: string
      name: string
      isKnown: boolean
      count: number
      version: string | null
      lastSeenAt: string
    }[]
  >
  malformedLines(limit: number): Promise<{ path: string; offset: number; length: number; reason: string }[]>
  /** Rows by table, bytes of the database, schema version, database kind and its settings. */
  storage(): Promise<{
    kind: 'sqlite' | 'postgres'
    schemaVersion: number
    bytes: number | null
    rows: Record<string, number>
    settings: Record<string, string>
  }>
}

/** Narrow helper types that the record path returns. */
export type NewEvent = { key: EventKey; index: number }
