import type { SubagentId, ToolUseId } from '../ids'
import type { EndStatus, RunTrigger } from '../record/observation'
import type { Subagent, SubagentStatus } from '../session/session'

/**
 * One source's word about a start or an end of a sub-agent, as it is stored. Several sources report the same one, at slightly
 * different times, in any order; `foldRuns` makes runs of them.
 */
export interface SubagentMark {
  kind: 'start' | 'end'
  /** Milliseconds; `null` = the source has no time. */
  at: number | null
  /** For an end without a time: it was over when it was checked at this time. */
  seenAt: number | null
  /** Ends only. */
  status: EndStatus | null
  /** e.g. `transcript:notification`, `hook:SubagentStop`. */
  evidence: string
  /**
   * The call that began the run: the launching one, or the one whose message continued the agent. Notices name it too, so it
   * tells runs apart; `null` = the source does not say.
   */
  toolUseId: string | null
  trigger: RunTrigger
  /** What it answered, at most `MARK_RESULT_LIMIT` characters. */
  result: string | null
  /** uuid of the line that shows the end to its reader, as a notice or with its content; `null` = none. */
  line: string | null
}

/** Evidence of an end by the CLI's word at a resume: it was at work when the former process was gone. What it did may stand in its lines. */
export const GONE = 'transcript:gone'

/** Evidence of a mark without a status: its output was read, the result in it. */
export const WHOLE_LOOK = 'transcript:read'
/** The same, of an output that holds the result only if the run had ended by then. */
export const OUTPUT_LOOK = 'transcript:look'

/** Characters of a run's result that its marks keep. */
export const MARK_RESULT_LIMIT = 500
/** Marks of one sub-agent that are kept: a hostile file may report any number. */
export const MARK_LIMIT = 2_000

/** One run of a sub-agent, folded from marks. Times in milliseconds. */
export interface FoldedRun {
  /** 1, 2, … in order of time. */
  number: number
  trigger: RunTrigger
  toolUseId: string | null
  startedAt: number | null
  endedAt: number | null
  /** `null` = no end seen: whether it runs or was lost follows from its session. */
  status: EndStatus | null
  /** What says so. */
  evidence: string
  result: string | null
  /** Lines in which its end stands, earliest first; see `SubagentMark.line`. */
  notices: RunNotice[]
}

/** A line that shows the end of a run to its reader. */
export interface RunNotice {
  /** uuid. */
  line: string
  /** Milliseconds; `null` = the line has no time. */
  at: number | null
  /** `notice`: the CLI's notice; `content`: the answer of a tool that holds the result. */
  kind: 'notice' | 'content'
}

/** A run as the API gives it. Times are ISO 8601. */
export interface SubagentRun {
  number: number
  trigger: RunTrigger
  toolUseId: ToolUseId | null
  startedAt: string | null
  endedAt: string | null
  status: SubagentStatus
  statusEvidence: string
  resultPreview: string | null
  /** When its notice or its content was written into the parent's transcript; `null` = not seen there. */
  noticedAt: string | null
  /** The sub-agent in whose transcript that is; `null` = the main thread, or not seen. */
  noticedIn: SubagentId | null
  /** When the parent had consumed it (`domain/session/consumed.ts`), or somebody marked it as read; `null` = unread. */
  readAt: string | null
  /** `notice`, `content`, `marked by …`; `null` = unread. */
  readEvidence: string | null
}

/** The result of a sub-agent or background task, for a reader who continues without having seen it. */
export interface RecoveredWork {
  subagent: Subagent
  /** Its newest run. */
  run: SubagentRun
  /** First 200 characters of what it was asked. */
  prompt: string | null
  /** `unread`: it ended, and its parent has not consumed what it answered. `ended`: a shell that outlived its CLI; how it ended nobody heard. */
  state: 'running' | 'unread' | 'read' | 'failed' | 'killed' | 'ended' | 'lost' | 'unknown'
}

/** Reads of runs. `recover` and the guard of launches are made of these. */
export interface RunReads {
  ofSubagent(session: string, subagent: SubagentId): Promise<SubagentRun[]>
  /**
   * Work of a session that was launched in the background, or is unread: newest start first, with what is running or unread before
   * the rest. Flat in the size of the rest of the database.
   */
  recover(session: string, limit: number): Promise<{ work: RecoveredWork[]; total: number }>
}
