import type { IssueId, SessionId, TaskId, TrackerKey } from '../../domain/ids'
import type { IssueFieldChanges, NewIssueFields } from '../../domain/issue/issue-fields'

/** Which tracker is meant, and what an operator's command says of itself. */
export interface IssueScope {
  /** Absolute: a folder of the project. Without: a run's own folder, else every tracker there is. */
  dir?: string | undefined
  /** The author, as files have it; agents and runs go by their names. */
  actor?: string | undefined
  /** The calling session; of a run its own counts. */
  sessionId?: SessionId | undefined
}

/** The tracker that was entered, in step with its file. `null` = all of them. */
export interface ResolvedScope {
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
  agentClis?: string[] | undefined
  /** For the tasks, 0 to 100; default by the issue's: 90, 70, 50, 30, 10. */
  priority?: number | undefined
  /** Says what would be made. */
  dryRun?: boolean | undefined
  /** Makes a new task though one is not over. */
  again?: boolean | undefined
  /** In spite of what `dispatch` refuses. */
  force?: boolean | undefined
}

/** The result of a write; the caller reads what it shows. */
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

export interface CreateIssue extends NewIssueFields {
  title: string
  /** Default `open`. */
  status?: string | undefined
  /** Default 2. */
  priority?: number | undefined
  /** Default `task`. */
  issueType?: string | undefined
  labels?: string[] | undefined
  /** Gets the next child id of it, and an edge. */
  parentId?: string | undefined
  dependencies?: NewDependency[] | undefined
  /** Issues that need the new one, by `blocks`. */
  blocks?: string[] | undefined
  /** Instead of one that is made. */
  id?: string | undefined
  /** For the new id, without the hyphen; default the tracker's. */
  prefix?: string | undefined
  /** Keys of the file with no field here, e.g. `metadata`. */
  extra?: Record<string, unknown> | undefined
}

/** Changes; `null` clears. */
export interface UpdateIssue extends IssueFieldChanges {
  title?: string | undefined
  /** Goes below the notes, on a line of its own. */
  appendNotes?: string | undefined
  status?: string | undefined
  priority?: number | undefined
  issueType?: string | undefined
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
