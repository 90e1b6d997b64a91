import type { IssueId, SessionId, TaskId, TrackerKey } from '../../domain/ids'
import type { StatusChange } from '../../domain/issue-status'
import type { ReadyFilter } from '../../domain/issue-store'
import type { Caller } from '../../domain/worker-protocol'

/** Which tracker is meant, and what an operator's command says of itself. */
export interface IssueScope {
  /** Absolute: a folder of the project. Without: a run's own folder, else every tracker there is. */
  dir?: string | undefined
  /** Who acts, as files have it; of agents and runs their name counts. */
  actor?: string | undefined
  /** The calling session; of a run its own counts. */
  sessionId?: SessionId | undefined
}

/** The tracker that was entered, in step with its file. `null` = all of them. */
export interface Entered {
  tracker: TrackerKey | null
  /** The file. */
  path: string | null
  /** What was noticed on reading it; for a person. */
  notices: string[]
}

/** The tasks of issues; of the issue that was named first. */
export interface Dispatched {
  tracker: TrackerKey
  tasks: {
    issueId: IssueId
    title: string
    /** `null` = it would be made (`dryRun`). */
    taskId: TaskId | null
    dependsOn: TaskId[]
    /** Open issues that it waits for, whether they have a task or not. */
    waitsFor: IssueId[]
    /** It was made now, or would be. */
    isNew: boolean
  }[]
  isDryRun: boolean
  notices: string[]
}

export interface DispatchIssue {
  /** Also what waits for it by `blocks`, and what waits for that. */
  withDependents?: boolean | undefined
  /** Id or name of the agent that gets the tasks; default the pool. */
  agentId?: string | undefined
  /** Of the tasks, 0 to 100; default by the issue's: 90, 70, 50, 30, 10. */
  priority?: number | undefined
  /** Says what would be made. */
  dryRun?: boolean | undefined
  /** Makes a new task though one is not over. */
  again?: boolean | undefined
  /** In spite of what `dispatch` refuses. */
  force?: boolean | undefined
}

/** What a write came to; the caller reads what it shows. */
export interface Changed {
  tracker: TrackerKey
  ids: IssueId[]
  notices: string[]
}

export interface NewDependency {
  dependsOnId: string
  /** Default `blocks`. */
  type?: string | undefined
  /** JSON as text. */
  metadata?: string | undefined
}

export interface CreateIssue {
  title: string
  description?: string | undefined
  design?: string | undefined
  acceptanceCriteria?: string | undefined
  notes?: string | undefined
  specId?: string | undefined
  /** Default `open`. */
  status?: string | undefined
  /** Default 2. */
  priority?: number | undefined
  /** Default `task`. */
  issueType?: string | undefined
  assignee?: string | undefined
  owner?: string | undefined
  estimatedMinutes?: number | undefined
  dueAt?: string | undefined
  deferUntil?: string | undefined
  externalRef?: string | undefined
  labels?: string[] | undefined
  /** Gets the next child id of it, and an edge. */
  parentId?: string | undefined
  dependencies?: NewDependency[] | undefined
  /** Issues that need the new one, by `blocks`. */
  blocks?: string[] | undefined
  /** Instead of one that is made. */
  id?: string | undefined
  /** Of the new id, without the hyphen; default the tracker's. */
  prefix?: string | undefined
  /** Keys of the file with no field here, e.g. `metadata`. */
  extra?: Record<string, unknown> | undefined
}

/** Changes; `null` clears. */
export interface UpdateIssue {
  title?: string | undefined
  description?: string | undefined
  design?: string | undefined
  acceptanceCriteria?: string | undefined
  notes?: string | undefined
  /** Goes below the notes, on a line of its own. */
  appendNotes?: string | undefined
  specId?: string | null | undefined
  status?: string | undefined
  priority?: number | undefined
  issueType?: string | undefined
  assignee?: string | null | undefined
  owner?: string | null | undefined
  estimatedMinutes?: number | null | undefined
  dueAt?: string | null | undefined
  deferUntil?: string | null | undefined
  externalRef?: string | null | undefined
  labels?: string[] | undefined
  addLabels?: string[] | undefined
  removeLabels?: string[] | undefined
  /** Moves it below another, or (`null`) below none. Its id stays. */
  parentId?: string | null | undefined
  activeTaskSession?: SessionId | null | undefined
  /** Merged into the keys that have no field; `null` takes one out. */
  extra?: Record<string, unknown> | undefined
  /** Merged into the key `metadata`; `null` takes one out. @throws `conflict` it is no object */
  metadata?: Record<string, unknown> | undefined
  /** Claims it as well. */
  claim?: boolean | undefined
  /** Closes in spite of what `close` refuses. */
  force?: boolean | undefined
  /** `updatedAt` of what the caller saw. @throws `conflict` somebody changed it since (`details.updatedAt`) */
  ifUpdatedAt?: string | undefined
}

export interface DeletePreview {
  tracker: TrackerKey
  /** What would go, or went: the issue, and with `cascade` everything below it. */
  ids: IssueId[]
  /** Issues whose edges to them would go. */
  dependents: IssueId[]
  isDone: boolean
  notices: string[]
}

export interface ImportOutcome {
  tracker: TrackerKey
  created: IssueId[]
  updated: IssueId[]
  /** As they were already. */
  unchangedCount: number
  /** Older than what is here: passed over. */
  skipped: IssueId[]
  notices: string[]
  isDryRun: boolean
}

export interface SyncOutcome extends ImportOutcome {
  path: string | null
  /** Issues whose lines were written. */
  written: IssueId[]
  /** Issues that the file had once and has no longer. */
  absent: IssueId[]
}

/**
 * Every use case that writes issues. Each takes in what the file says first, is one unit of work, and leaves the file in step before
 * it answers. Arguments and answers are JSON values.
 *
 * Ids may be a unique beginning, or the part after the prefix (`IssueRef`).
 *
 * Errors all methods may throw: `not_found` (with the nearest ids), `conflict`, `invalid`, `too_large`, `forbidden`, `unavailable`
 * (another process holds the file), `storage_readonly`.
 */
export interface IssueService {
  /** Takes in what the file says, so that reads tell of it. Writes nothing when nothing changed. */
  enter(caller: Caller, scope: IssueScope): Promise<Entered>
  create(caller: Caller, scope: IssueScope, input: CreateIssue, idempotencyKey: string | null): Promise<Changed>
  update(caller: Caller, scope: IssueScope, id: string, input: UpdateIssue): Promise<Changed>
  /** @throws `conflict` open blockers, open children of an epic, pinned; unless `force` */
  close(
    caller: Caller,
    scope: IssueScope,
    id: string,
    input: { reason?: string | undefined; force?: boolean | undefined },
  ): Promise<Changed>
  reopen(caller: Caller, scope: IssueScope, id: string, input: { reason?: string | undefined }): Promise<Changed>
  /** Without `confirm` it only says what would go. */
  delete(
    caller: Caller,
    scope: IssueScope,
    id: string,
    input: { confirm?: boolean | undefined; cascade?: boolean | undefined; reason?: string | undefined },
  ): Promise<DeletePreview>
  /** @throws `conflict` somebody who may be alive holds it (`details.claim`), or it is not to be worked on */
  claim(caller: Caller, scope: IssueScope, id: string, input: { force?: boolean | undefined }): Promise<Changed>
  /** Claims the first that is ready; no ids when there is none. */
  claimNext(caller: Caller, scope: IssueScope, filter: ReadyFilter): Promise<Changed>
  /** Gives a claim up: back to open. */
  release(caller: Caller, scope: IssueScope, id: string, input: { force?: boolean | undefined }): Promise<Changed>
  /** @throws `conflict` it would close a circle over edges that block; there is an edge between the two already */
  addDependency(caller: Caller, scope: IssueScope, id: string, input: NewDependency): Promise<Changed>
  removeDependency(caller: Caller, scope: IssueScope, id: string, dependsOnId: string): Promise<Changed>
  /**
   * Makes a task of the issue, whose text is the issue's; an issue whose task is not over is answered with that one.
   *
   * @throws `conflict` it is over, held up, put off or another's, unless `force` · `not_found` no such agent · `too_large`
   */
  dispatch(
    caller: Caller,
    scope: IssueScope,
    id: string,
    input: DispatchIssue,
    idempotencyKey: string | null,
  ): Promise<Dispatched>
  comment(
    caller: Caller,
    scope: IssueScope,
    id: string,
    input: { text: string; author?: string | undefined },
  ): Promise<Changed & { commentId: string }>
  /** Upserts by id; never deletes. `text`: lines of issues, of any era; or `path`: a file of them, absolute, for operators. */
  import(
    caller: Caller,
    scope: IssueScope,
    input: { text?: string | undefined; path?: string | undefined; dryRun?: boolean | undefined },
  ): Promise<ImportOutcome>
  /** The tracker's file as it is or would be. */
  export(caller: Caller, scope: IssueScope): Promise<{ tracker: TrackerKey; text: string; notices: string[] }>
  /**
   * Reads the whole file again and writes what it lacks.
   * @param restore  writes issues back that the file had once and has no longer
   */
  sync(caller: Caller, scope: IssueScope, input: { restore?: boolean | undefined }): Promise<SyncOutcome>
  /** Errors as `changedStatuses`. */
  setStatuses(caller: Caller, scope: IssueScope, change: StatusChange): Promise<Changed>
  /** Claims of holders that are gone lapse after a grace time; called every now and then by a server, before `ready` without one. */
  sweep(): Promise<{ lapsed: number }>
}
