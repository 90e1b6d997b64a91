import type { AgentId, IssueId, IssueKey, SessionId, TrackerKey } from '../ids'
import type { Awaitable, Page, PageRequest } from '../port'
import type { Task } from '../task/task'
import type { TaskAtWork } from '../task/task-issue'
import type { FullIssue, IssueClaim, IssueDependency, ListedIssue } from './issue'
import type { IssueFacts } from './issue-facts'
import type { FileStyle, KeptLine } from './issue-file'
import type { CustomStatus } from './issue-status'

/** How a file was when it was last read or written: what tells without reading it that it is another one now. */
export interface FileStamp {
  /** Bytes. */
  size: number
  /** Nanoseconds since the epoch, as text. */
  modified: string
  inode: string
}

/** The issues of one file. Key 0 is the one without a file: epics and issues that belong to no folder. */
export interface Tracker {
  key: TrackerKey
  /** `hosts.name` of the machine that has the file. */
  hostName: string | null
  /** Absolute, links resolved. */
  path: string | null
  /** The prefix of new ids, without the hyphen. */
  prefix: string
  style: FileStyle | null
  /** The file as it was when all that it holds was last known to be here; `null` = never, or it has to be read again. */
  stamp: FileStamp | null
  /** The file before our own last write. If it is found again, that write was interrupted and is repeated. */
  formerStamp: FileStamp | null
  /** The digest of its bytes. */
  hash: string | null
  statuses: CustomStatus[]
}
export type NewTracker = Omit<Tracker, 'key'>

/** An issue with what is known of its line. */
export interface StoredIssue extends FullIssue {
  key: IssueKey
  trackerKey: TrackerKey
  isBlocked: boolean
  /** A tombstone: it is gone for all but the file, which says so. */
  isDeleted: boolean
  /** The file had it and has it no longer. It is kept, and out of sight until somebody changes it or the file has it again. */
  isAbsent: boolean
  /** The file does not say yet what this says. */
  isDirty: boolean
  /** Its line as the file has it; `null` = it has none. */
  raw: string | null
}

export interface IssueState {
  isDeleted: boolean
  isAbsent: boolean
  isDirty: boolean
  raw: string | null
}

export interface SavedIssue {
  /** `null` = a new one. */
  key: IssueKey | null
  issue: FullIssue
  facts: IssueFacts
  state: IssueState
  /** The comments are as they were. */
  keepsComments?: boolean
}

export interface ClaimRow {
  issueKey: IssueKey
  issueId: IssueId
  trackerKey: TrackerKey
  /** The author's name, for people. */
  holder: string
  sessionId: SessionId | null
  agentId: AgentId | null
  since: number
  /** When its holder was seen to be gone. */
  goneAt: number | null
}

export interface IssueHistoryRow {
  issueKey: IssueKey
  at: number
  by: string
  /** `created`, `updated`, `closed`, `reopened`, `claimed`, `released`, `lapsed`, `commented`, `dependency_added`, … */
  event: string
  /** The changed fields before and after. */
  old: Record<string, unknown> | null
  new: Record<string, unknown> | null
  /** The session that made the change; `null` = none is known, so a person. */
  sessionId: SessionId | null
}

/** A line that is known, for comparing with a file's. */
export interface KnownLine {
  key: IssueKey
  id: IssueId
  raw: string | null
  isDirty: boolean
  isAbsent: boolean
  isDeleted: boolean
}

/** The write port of issues, inside a unit of work. It stores and finds; every rule is the engine's. */
export interface IssueTx {
  tracker(key: TrackerKey): Awaitable<Tracker | undefined>
  trackerAt(hostName: string, path: string): Awaitable<Tracker | undefined>
  /** @throws `conflict` there is one for the path */
  insertTracker(tracker: NewTracker): Awaitable<TrackerKey>
  updateTracker(key: TrackerKey, patch: Partial<NewTracker>): Awaitable<void>
  /** Until the unit's end no other unit changes issues of this tracker. */
  lock(key: TrackerKey): Awaitable<void>

  find(tracker: TrackerKey, id: IssueId): Awaitable<StoredIssue | undefined>
  /**
   * Inserts or replaces, with labels, edges and comments. `is_blocked` is left to `refreshBlocked`.
   * @returns former parents of these issues: `refreshBlocked` needs them too, for issues that wait for children
   */
  save(tracker: TrackerKey, issues: readonly SavedIssue[]): Awaitable<IssueId[]>
  /** Recomputes what is blocked because of these issues (by id: one may be gone or new), or of all. */
  refreshBlocked(tracker: TrackerKey, ids: readonly IssueId[] | 'all'): Awaitable<void>
  /** Whether `from` needs `to` over any number of blocking edges. */
  needs(tracker: TrackerKey, from: IssueId, to: IssueId): Awaitable<boolean>
  /** Which of these ids are in use, deleted ones included. */
  taken(tracker: TrackerKey, ids: readonly IssueId[]): Awaitable<IssueId[]>
  /** Ids that begin with `prefix`, deleted ones included. */
  idsUnder(tracker: TrackerKey, prefix: string): Awaitable<IssueId[]>
  count(tracker: TrackerKey): Awaitable<number>
  /** Open blockers by edges of its own, as `blocked` lists them. */
  blockers(key: IssueKey): Awaitable<IssueId[]>
  /** Whether an edge or a child names this id. */
  isAwaited(tracker: TrackerKey, id: IssueId): Awaitable<boolean>
  /** Direct children that are not over. */
  openChildren(tracker: TrackerKey, id: IssueId): Awaitable<IssueId[]>
  /** Issues with an edge to this one, whatever its type. */
  dependents(tracker: TrackerKey, id: IssueId): Awaitable<IssueId[]>
  /** The first that is ready, in the order of `ready`. */
  nextReady(tracker: TrackerKey, filter: ReadyFilter, now: number): Awaitable<IssueId | undefined>

  knownLines(tracker: TrackerKey): Awaitable<KnownLine[]>
  dirty(tracker: TrackerKey): Awaitable<StoredIssue[]>
  /** The file has these lines now. */
  settle(lines: readonly { key: IssueKey; raw: string | null }[]): Awaitable<void>
  /** The file has `raw` of it (`null` = nothing) and still lacks the rest. */
  markUnwritten(key: IssueKey, raw: string | null): Awaitable<void>
  setAbsent(keys: readonly IssueKey[], isAbsent: boolean): Awaitable<void>
  /** All that the file is to have has to be written again. */
  setAllDirty(tracker: TrackerKey): Awaitable<void>
  keptLines(tracker: TrackerKey): Awaitable<KeptLine[]>
  replaceKeptLines(tracker: TrackerKey, lines: readonly KeptLine[]): Awaitable<void>

  claim(key: IssueKey): Awaitable<ClaimRow | undefined>
  claims(): Awaitable<ClaimRow[]>
  putClaim(row: Omit<ClaimRow, 'issueId' | 'trackerKey'>): Awaitable<void>
  removeClaim(key: IssueKey): Awaitable<void>
  addHistory(rows: readonly IssueHistoryRow[]): Awaitable<void>
}

export const ISSUE_ORDERS = ['priority', 'created', 'updated', 'id'] as const
export type IssueOrder = (typeof ISSUE_ORDERS)[number]

export interface IssueFilter {
  statuses?: string[]
  /** Without: what is done is left out, unless `statuses` or `all` say otherwise. */
  all?: boolean
  types?: string[]
  priorities?: number[]
  priorityMin?: number
  priorityMax?: number
  assignee?: string
  noAssignee?: boolean
  /** Has all of them. */
  labels?: string[]
  /** Has one of them. */
  anyLabels?: string[]
  noLabels?: boolean
  parentId?: IssueId
  noParent?: boolean
  /** Words that id or title hold, without regard to case. */
  text?: string
  /** Looked for in description, notes, design and acceptance criteria as well. */
  isDeep?: boolean
  createdAfter?: number
  createdBefore?: number
  updatedAfter?: number
  updatedBefore?: number
  closedAfter?: number
  closedBefore?: number
  dueBefore?: number
  isDeferred?: boolean
  isBlocked?: boolean
  /** Issues that the file has no longer instead. */
  isAbsent?: boolean
  sessionId?: SessionId
}

export interface ReadyFilter {
  types?: string[]
  priorities?: number[]
  assignee?: string
  noAssignee?: boolean
  labels?: string[]
  anyLabels?: string[]
  parentId?: IssueId
}

/** A listed issue with what a list shows beside. */
export interface ShownIssue extends ListedIssue {
  isBlocked: boolean
  claim: IssueClaim | null
  /** The newest task that is at work on it. */
  taskAtWork: TaskAtWork | null
}

export interface BlockedIssue extends ShownIssue {
  blockedBy: IssueId[]
}

/** An issue as graphs need it. */
export interface GraphIssue {
  id: IssueId
  title: string
  status: string
  priority: number
  issueType: string
  createdAt: string
  closeReason: string | null
  deferUntil: string | null
  dependencies: IssueDependency[]
  extra: Record<string, unknown>
}

export interface IssueCounts {
  total: number
  byStatus: Record<string, number>
  byType: Record<string, number>
  byPriority: Record<string, number>
  blocked: number
  ready: number
  deferred: number
  claimed: number
  /** Over the issues closed: mean time from creation, milliseconds. */
  leadTimeMs: number | null
}

/** A node of `dep tree`. */
export interface IssueTreeNode {
  id: IssueId
  title: string
  status: string
  priority: number
  issueType: string
  depth: number
  /** The node that led here; `null` at the root. */
  parentId: IssueId | null
  /** Type of the edge that led here. */
  edge: string | null
  /** Its own edges are shown at another place, or were cut by the depth. */
  isCut: boolean
  /** There is no such issue. */
  isMissing: boolean
}

export interface IssueHistory {
  at: string
  by: string
  event: string
  old: Record<string, unknown> | null
  new: Record<string, unknown> | null
}

/** Reads of issues. `tracker` `null` = over all trackers. */
export interface IssueReads {
  trackers(): Promise<Tracker[]>
  trackerAt(hostName: string, path: string): Promise<Tracker | undefined>
  /** Whether the file still lacks something. */
  hasDirty(tracker: TrackerKey): Promise<boolean>
  list(
    tracker: TrackerKey | null,
    filter: IssueFilter,
    page: PageRequest,
    order?: IssueOrder,
    isReversed?: boolean,
  ): Promise<Page<ShownIssue> & { total: number | null }>
  ready(tracker: TrackerKey | null, filter: ReadyFilter, limit: number, now: number): Promise<ShownIssue[]>
  /** How many are ready in all. */
  countReady(tracker: TrackerKey | null, filter: ReadyFilter, now: number): Promise<number>
  blocked(tracker: TrackerKey | null, limit: number): Promise<BlockedIssue[]>
  /** With comments. More than one only over all trackers. */
  find(tracker: TrackerKey | null, id: IssueId): Promise<StoredIssue[]>
  /** What a list shows of these ids, in the order given. */
  shown(tracker: TrackerKey | null, ids: readonly IssueId[]): Promise<ShownIssue[]>
  children(tracker: TrackerKey, id: IssueId): Promise<ShownIssue[]>
  dependents(tracker: TrackerKey, id: IssueId): Promise<{ issue: ShownIssue; type: string }[]>
  /** Ids that `text` may mean: the id, the part after the prefix, or a beginning of either; at most 20. */
  match(tracker: TrackerKey | null, text: string): Promise<IssueId[]>
  graph(tracker: TrackerKey | null): Promise<GraphIssue[]>
  /** What the issue needs (`down`) or what needs it (`up`), breadth first. One query for each direction. */
  tree(tracker: TrackerKey, id: IssueId, direction: 'down' | 'up', maxDepth: number): Promise<IssueTreeNode[]>
  counts(tracker: TrackerKey | null, now: number): Promise<IssueCounts>
  labels(tracker: TrackerKey | null): Promise<{ label: string; count: number }[]>
  history(tracker: TrackerKey, id: IssueId, limit: number): Promise<IssueHistory[]>
  claims(): Promise<ClaimRow[]>
  /** The newest tasks that serve the issue, at most `limit`. */
  tasks(tracker: TrackerKey, id: IssueId, limit: number): Promise<Pick<Task, 'id' | 'title' | 'status'>[]>
  /** Every line that a file of this tracker is to have, in a stable order. */
  lines(tracker: TrackerKey | null): Promise<{ issues: StoredIssue[]; kept: KeptLine[] }>
}
