import type { AgentId, IssueId, SessionId } from '../ids'
import { MINUTE_MS } from '../time-units'
import type { IssueFields } from './issue-fields'

/**
 * The tracker's nouns, in the words of beads (`bd`): an issue of ours and a line of its file are the same thing. Times are ISO 8601
 * strings as they were written, of any precision and offset; code that orders by them parses them beside.
 */

/** Built in; custom ones are any `[a-z][a-z0-9_-]*` with a category. */
export const ISSUE_STATUSES = ['open', 'in_progress', 'blocked', 'deferred', 'closed', 'pinned', 'hooked'] as const
/** `active` may be ready, `wip` is being worked on, `done` blocks nobody, `frozen` is out of sight of `ready`. */
export const STATUS_CATEGORIES = ['active', 'wip', 'done', 'frozen'] as const
export type StatusCategory = (typeof STATUS_CATEGORIES)[number]
export const ISSUE_TYPES = [
  'task',
  'bug',
  'feature',
  'epic',
  'chore',
  'decision',
  'message',
  'molecule',
  'gate',
  'spike',
  'story',
  'milestone',
] as const

/** Edges that keep an issue from being ready. */
export const BLOCKING_TYPES = ['blocks', 'parent-child', 'conditional-blocks', 'waits-for'] as const

/** `issueId` needs `dependsOnId`; of `parent-child` the child is `issueId`. One edge for an ordered pair. The target need not exist. */
export interface IssueDependency {
  issueId: IssueId
  dependsOnId: IssueId
  /** Any text of at most 50 characters; see `BLOCKING_TYPES`. */
  type: string
  createdAt: string
  createdBy: string | null
  /** JSON as text; `{}` when there is nothing. */
  metadata: string
  threadId: string | null
}

export interface IssueComment {
  /** A uuid; a whole number as text in files of before 1.0. */
  id: string
  author: string
  text: string
  createdAt: string
}

/** A claim outlives its holder by this long: a holder that comes back in time finds it as it was. */
export const CLAIM_GRACE_MS = 10 * MINUTE_MS

/** The session or agent that works on it now, and the evidence that it still does. */
export interface IssueClaim {
  /** A session or an agent. */
  holder: string
  sessionId: SessionId | null
  agentId: AgentId | null
  since: string
  /** Last sign of life of the holder; `null` = unknown, which counts as alive. */
  aliveAt: string | null
  /** `gone`: its end was seen; the claim lapses at `lapsesAt`. */
  state: 'alive' | 'unknown' | 'gone'
  lapsesAt: string | null
}

/** An issue, whole. `null` and empty lists are what the file leaves out. */
export interface FullIssue extends IssueFields {
  id: IssueId
  title: string
  status: string
  /** 0 (highest) to 4. */
  priority: number
  issueType: string
  createdAt: string
  createdBy: string | null
  updatedAt: string
  startedAt: string | null
  closedAt: string | null
  closeReason: string | null
  closedBySession: string | null
  sourceSystem: string | null
  labels: string[]
  dependencies: IssueDependency[]
  comments: IssueComment[]
  /** The session whose task or to-dos serve it now; never written to a `.beads` file. */
  activeTaskSession: SessionId | null
  /** Keys of the file that this program gives no meaning to, with their values, in the file's order. */
  extra: Record<string, unknown>
}

/** How much of an issue a list shows: without comments' texts, with counts. */
export interface ListedIssue extends FullIssue {
  /** Over `blocks` edges alone, whatever the other end's status, as bd counts them. */
  dependencyCount: number
  dependentCount: number
  commentCount: number
  /** By a `parent-child` edge, else by the id (`x.1` belongs to `x`). */
  parentId: IssueId | null
}

/** Bounds; the message of `too_large` names them. */
export const ISSUE_LIMITS = Object.freeze({
  /** Characters. */
  title: 500,
  text: 1_000_000,
  label: 200,
  dependencyType: 50,
  type: 50,
  /** A person, an agent, a reference: one line. */
  name: 500,
  /** Why it was closed, opened again or deleted. */
  reason: 100_000,
  /** Dependencies only: JSON as text. */
  metadata: 100_000,
  /** Items. */
  labels: 500,
  /** Levels of children below a root: `x.1.2.3`. */
  depth: 3,
})

/** The largest file of issues that is read, in bytes: some 50,000 issues. It is read whole, and may come with a repository. */
export const ISSUE_FILE_BYTES = 64 * 1_024 * 1_024

/** 0 is the highest. */
export const ISSUE_PRIORITY = Object.freeze({ least: 0, most: 4 })
/** What is estimated of an issue, in minutes. */
export const ISSUE_MINUTES = Object.freeze({ least: 0, most: 1_000_000_000 })
