import type { SessionId, SubagentId, ToolUseId } from '../ids'
import type { ConversationEvent, Subagent } from '../session/session'
import type { SessionMarkKind } from './session-mark'

/** Which rows of an agent are wanted: the last ones, those from a number on, or those around a line. */
export type RowPlace =
  /** @param until  lines up to this time alone, in milliseconds, as if it were the end */
  | { kind: 'end'; until?: number }
  | { kind: 'from'; number: number }
  /** The line stands in the middle, but for the first rows of all. */
  | { kind: 'around'; position: LinePosition }

/** Lines that follow one another, with their place among all of their agent. All of it was true at one moment. */
export interface LineWindow {
  /** Lines of the agent. */
  total: number
  /** Number of the first of `lines`; `total` where there are none so far on. 0 = the oldest line. */
  from: number
  lines: ConversationLine[]
  /** Where the line before the first one stands; `null` where that is the oldest. */
  before: LinePosition | null
}

/** The call of a line that is one, or that answers one. */
export interface RowCall {
  id: ToolUseId
  name: string | null
  isAnswered: boolean
  /** `null` = no answer yet. */
  isError: boolean | null
}

/** One line by its number among its agent's lines. */
export interface LineRow {
  number: number
  kind: ConversationItemKind | 'answer'
  event: ConversationEvent
  /** Counts the whole line. */
  bytes: number
  call: RowCall | null
  /** What the call set to work. */
  launched: Subagent[]
  continued: ContinuedRun[]
}

/** Another session that began here, or led to here. */
export interface RowMark {
  kind: SessionMarkKind
  sessionId: SessionId
  isOrigin: boolean
  at: string | null
  /** Number of the row that it stands before; `total` behind the last one. */
  before: number
}

/** Rows of one agent of a session. */
export interface RowPage {
  total: number
  from: number
  /** Number of the line that was asked for. */
  found: number | null
  rows: LineRow[]
  marks: RowMark[]
}

/** What a line of a conversation is to a reader. The last four are marks: they are about the session, and nobody said them. */
export const CONVERSATION_ITEM_KINDS = [
  'prompt', // begins a turn: a person's or a calling program's message
  'notice', // begins a turn: the CLI tells the model of something
  'text',
  'thinking',
  'tool', // a call with its result and what it launched
  'summary', // of what was compacted
  'error',
  'system',
  'attachment',
  'compaction',
  'fork', // `sessionId` was forked from here, or this session from it (`isOrigin`)
  'resume', // `sessionId` goes on from here, or this session went on from it (`isOrigin`)
  'translation', // the same, in another agent CLI
] as const

export type ConversationItemKind = (typeof CONVERSATION_ITEM_KINDS)[number]

export interface ContinuedRun {
  subagentId: SubagentId
  /** 2 or more. */
  run: number
}

/** Where a line stands in the order of a session: its time in milliseconds, then its key. */
export interface LinePosition {
  at: number
  key: number
}

/** A stored line with its place. */
export interface ConversationLine {
  position: LinePosition
  event: ConversationEvent
  bytes: number
}
