import type { FullIssue } from './issue'

/**
 * The git-tracked file: one JSON object a line. Lines that nobody changed are written back byte for byte; what is no issue is
 * kept where it was.
 */

/** One line of the file that is an issue, with the bytes that said so. */
export interface IssueLine {
  issue: FullIssue
  /** Without the newline. */
  raw: string
  /** From 1. */
  line: number
}

/** A line that is kept and says nothing to us: other `_type`s, headers, tombstones, blank lines, older copies of an issue. */
export interface KeptLine {
  raw: string
  line: number
  kind: 'tombstone' | 'other' | 'header' | 'blank' | 'duplicate'
  id: string | null
}

/** A line that can't be read: a broken one, or one of a conflict. */
export interface BadLine {
  raw: string
  line: number
  reason: string
}

export interface ParsedIssueFile {
  issues: IssueLine[]
  kept: KeptLine[]
  bad: BadLine[]
  /** What a person should know, one sentence each, with line numbers: duplicates (the newest won), dangling edges, cycles, … */
  notices: string[]
  /** Go's escapes of `<>&` and line separators, spaces after `:` and `,`, and the last newline: how changed lines are to be written. */
  style: FileStyle
}

export interface FileStyle {
  escapesHtml: boolean
  isSpaced: boolean
  endsWithNewline: boolean
  /** A `.beads` file: `active_task_session` and to-dos are left out. */
  isBeads: boolean
  /** Lines end with a carriage return before the newline. */
  hasCarriageReturn: boolean
  /** Issues begin with `"_type":"issue"`. */
  isTyped: boolean
  /** Issues end with `dependency_count`, `dependent_count` and `comment_count`. */
  hasCounts: boolean
  /** How the file's issues are sorted: by id; by priority, newest first, id; or in no order that we know (new ones go to the end). */
  order: IssueOrder
}

export type IssueOrder = 'id' | 'priority' | 'none'

/** What writing `after` in place of `before` would lose. */
export interface IssueLoss {
  /** Ids of issues that are gone. */
  issues: string[]
  /** Only issues that still exist. */
  edgeCount: number
  commentCount: number
}

/** The result of a merge of three versions. Never has conflict markers, never loses a field. */
export interface MergedIssueFile {
  text: string
  /** Where both sides changed the same field: which value was taken and why; for a person. */
  decisions: MergeDecision[]
}

export interface MergeDecision {
  id: string
  /** A key of the file; `''` = the whole issue. */
  field: string
  taken: 'ours' | 'theirs' | 'both'
  reason: string
}
