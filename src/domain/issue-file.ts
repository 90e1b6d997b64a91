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

/** A line that is kept and says nothing to us: other `_type`s, headers, tombstones, blank lines. */
export interface KeptLine {
  raw: string
  line: number
  kind: 'tombstone' | 'other' | 'header' | 'blank'
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
}

/** What a merge of three versions came to. Never has conflict markers, never loses a field. */
export interface MergedIssueFile {
  text: string
  /** Where both sides changed the same field: which value was taken and why; for a person. */
  decisions: { id: string; field: string; taken: 'ours' | 'theirs'; reason: string }[]
}
