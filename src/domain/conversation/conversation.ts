import type { Cost } from '../cost/price'
import type { Usage } from '../cost/usage'
import type { EventId, SessionId, SessionKey, SubagentId, SubagentKey, ToolUseId } from '../ids'
import type { MapKind, Minimap } from '../session/minimap'
import type { Subagent } from '../session/session'
import type { StoredSession } from '../session/session-store'
import type {
  ContinuedRun,
  ConversationItemKind,
  ConversationLine,
  LinePosition,
  LineWindow,
  RowPlace,
} from './line-row'
import type { SessionMarkKind } from './session-mark'

/** The agent that an event belongs to, in a few words. */
export interface EventNode {
  /** `null` = the main thread. */
  subagentId: SubagentId | null
  kind: 'main' | 'agent' | 'shell' | 'monitor'
  type: string | null
  description: string | null
  /** 0 = the main thread; `null` = not known. */
  depth: number | null
  /** A sub-agent whose launch was not seen. */
  isOrphan: boolean
}

/** A text of a line, as much of it as was asked for. */
export interface LineText {
  /** The line that it stands in; `null` for a mark without one. */
  eventId: EventId | null
  at: string | null
  text: string | null
  /** There is more: `lode event show` has the line, `full` the text. */
  isCut: boolean
  /** Bytes of the whole line; 0 for a mark without one. */
  bytes: number
}

/** An entry of a turn. */
export interface ConversationItem extends LineText {
  kind: ConversationItemKind
  /** The sub-agent that wrote the line; `null` = the main thread. */
  subagentId: SubagentId | null
  /** The call that launched its agent; `null` on the main thread, and for an orphan. */
  parentToolUseId: ToolUseId | null
  /** Copied from the session that this one was forked from. */
  inherited: boolean
  /** Lines that this entry stands for: attachments and lines of the CLI that follow each other are one. */
  count: number
  tool: ConversationTool | null
  /** Forks and resumes only: the other session. */
  sessionId: SessionId | null
  /** Forks and resumes only: the other session came first. */
  isOrigin: boolean
  /** What the call launched, at the place where it did. */
  branches: ConversationBranch[]
  /** Sub-agents that the call set to work again. */
  continued: ContinuedRun[]
}

export interface ConversationTool {
  id: ToolUseId
  name: string | null
  /** `null` = no answer is recorded. */
  isError: boolean | null
  result: LineText | null
}

/** A sub-agent or background task below the call that launched it. Usage and cost are its own, without those below it. */
export interface ConversationBranch {
  subagent: Subagent
  /** `null` = not asked for (`depth`), or more than one answer holds: ask for this sub-agent alone. */
  turns: Turn[] | null
  /** It has more than `turns`. */
  isCut: boolean
}

/** What happened from one prompt or notice to the next. */
export interface Turn {
  /** 1, 2, …; 0 = before the first prompt. */
  number: number
  /** What began it; `null` before the first prompt, and where it began on an earlier page. */
  start: ConversationItem | null
  startedAt: string | null
  /** Time of its last line shown. */
  lastAt: string | null
  /** It began on an earlier page. */
  isContinued: boolean
  /** It goes on on the next page. */
  isCut: boolean
  items: ConversationItem[]
}

/** A page of one node's turns. */
export interface ConversationPage {
  turns: Turn[]
  /** Counts the whole conversation of this node. */
  turnCount: number
  nextCursor: string | null
}

/** One agent of a session. `null` = its main thread, `all` = every one. */
export type NodeScope = SubagentKey | null | 'all'

/** From `from` on (included) and before `to`. */
export interface LineRange {
  from?: LinePosition
  to?: LinePosition
}

/** Another session that began at, or led to, a place of this one. */
export interface SessionMark {
  kind: SessionMarkKind
  sessionId: SessionId
  isOrigin: boolean
  /** It stands behind this line; `null` = before all. */
  after: LinePosition | null
}

/** How a call of a tool went. */
export interface ToolOutcome {
  name: string | null
  /** `null` = no answer yet. */
  isError: boolean | null
}

/** What two sessions share, line for line. */
export interface SharedLines {
  count: number
  /** The last of them. */
  lastId: EventId
  lastAt: string
}

/** Times of one agent of a session, in milliseconds. */
export interface LaneTimes {
  key: SubagentKey
  startedAt: number
  endedAt: number
}

/** A call of a tool, with times in milliseconds. */
export interface ToolSpan {
  node: SubagentKey | null
  calledAt: number
  /** `null` = no answer yet. */
  endedAt: number | null
  name: string | null
}

/** Reads that make conversations, differences and timelines: each along an index, and none of a whole session's texts. */
export interface ConversationReads {
  /** In order of time. Flat in the size of the session, but for lines of other agents in between. */
  lines(session: SessionKey, scope: NodeScope, range: LineRange, limit: number): Promise<ConversationLine[]>
  /** At most `limit` lines of one agent by their number, from any place. */
  window(session: SessionKey, node: SubagentKey | null, place: RowPlace, limit: number): Promise<LineWindow>
  /** What stands out among the lines of one agent, and where. Goes along all of them, and reads no text. */
  minimap(session: SessionKey, node: SubagentKey | null): Promise<Minimap>
  /** Numbers of the agent's lines of one kind, in order; at most `MAX_ONLY`, the first. */
  linesOfKind(session: SessionKey, node: SubagentKey | null, kind: MapKind): Promise<number[]>
  /** Where turns begin, oldest first; `newest`: the last ones of the range. The main thread's are read along an index of turns alone. */
  turnStarts(
    session: SessionKey,
    node: SubagentKey | null,
    range: LineRange,
    page: { limit: number; skip?: number; newest?: boolean },
  ): Promise<LinePosition[]>
  /** How many turns begin before `before`, or in all. */
  countTurns(session: SessionKey, node: SubagentKey | null, before?: LinePosition): Promise<number>
  /** Where a line stands, and whose it is. */
  findLine(session: SessionKey, id: EventId): Promise<{ position: LinePosition; node: SubagentKey | null } | undefined>
  /** Calls and answers with these ids. */
  toolLines(session: SessionKey, ids: readonly ToolUseId[]): Promise<ConversationLine[]>
  toolOutcomes(session: SessionKey, ids: readonly ToolUseId[]): Promise<Map<ToolUseId, ToolOutcome>>
  /** What these calls launched. @param depth  of what they launched; `null` = not known */
  launchedBy(
    session: StoredSession,
    ids: readonly ToolUseId[],
    parent: { id: SubagentId; toolUseId: ToolUseId | null } | null,
    depth: number | null,
  ): Promise<{ key: SubagentKey; subagent: Subagent }[]>
  /** What these calls set to work again. */
  continuedBy(session: SessionKey, ids: readonly ToolUseId[]): Promise<(ContinuedRun & { toolUseId: ToolUseId })[]>
  /** Sub-agents whose launching call is not recorded, oldest first, and how many there are. */
  orphans(session: StoredSession, limit: number): Promise<{ subagents: Subagent[]; count: number }>
  /** One agent of a session. */
  findAgent(session: StoredSession, id: SubagentId): Promise<{ key: SubagentKey; subagent: Subagent } | undefined>
  /** The sub-agents with these keys. Keys that are not recorded are left out. */
  nodes(keys: readonly SubagentKey[]): Promise<Map<SubagentKey, EventNode>>
  marks(session: StoredSession): Promise<SessionMark[]>
  /** Lines of the main thread that both have; `undefined` = none. */
  sharedLines(a: SessionKey, b: SessionKey): Promise<SharedLines | undefined>
  /** Lines of the main thread. */
  countLines(session: SessionKey, range: LineRange): Promise<number>

  /** For each turn of the main thread, newest `limit`, oldest first: when it began and the last line before the next. Milliseconds. */
  turnSpans(session: SessionKey, limit: number): Promise<{ from: number; to: number; isCompaction: boolean }[]>
  laneTimes(session: SessionKey): Promise<LaneTimes[]>
  toolSpans(session: SessionKey, nodes: readonly SubagentKey[]): Promise<ToolSpan[]>
  /** Runs of these, oldest first. Milliseconds; `null` = not known. */
  runSpans(keys: readonly SubagentKey[]): Promise<{ key: SubagentKey; from: number | null; to: number | null }[]>
  /** When its runs waited for a person's answer to a call, oldest first. Milliseconds; `null` = they still do. */
  waits(session: SessionKey): Promise<{ from: number; to: number | null }[]>
  /** The main thread only. */
  mainCost(session: SessionKey): Promise<Cost>
  agents(session: StoredSession, keys: readonly SubagentKey[]): Promise<{ key: SubagentKey; subagent: Subagent }[]>
}

/** `working`: the model is at work, or nothing tells what else; `waiting`: a person was asked; `idle`: between two turns or runs. */
export const SEGMENT_KINDS = ['working', 'waiting', 'idle', 'tool'] as const
export type SegmentKind = (typeof SEGMENT_KINDS)[number]

/** A stretch of a lane. Times are ISO 8601. */
export interface TimelineSegment {
  from: string
  to: string
  kind: SegmentKind
}

/** What one agent of a session did when. */
export interface TimelineLane extends Cost {
  /** `null` = the main thread. */
  subagent: Subagent | null
  startedAt: string
  endedAt: string
  /** In order, without gaps. Where there would be more than 500, those too short to be seen go into the one before. */
  segments: TimelineSegment[]
  /** Milliseconds by kind, from before anything was left out. */
  spentMs: { working: number; waiting: number; idle: number; tool: number }
  /** `null` = not known, as the sub-agent's. */
  usage: Usage | null
}

export interface Timeline {
  from: string | null
  to: string | null
  /** The main thread, then sub-agents and background tasks by their start. */
  lanes: TimelineLane[]
  /** Sub-agents without a lane: the longest and the latest have one. */
  leftOutCount: number
  /** When the main thread was compacted. */
  compactions: string[]
  /** The main thread's older turns are not in it. */
  isCut: boolean
}

/** How two sessions belong together, said of the second: it came from the first, the first from it, both from `origin`, or none. */
export const DIFF_RELATIONS = ['from_first', 'to_first', 'same_origin', 'unrelated'] as const
export type DiffRelation = (typeof DIFF_RELATIONS)[number]
