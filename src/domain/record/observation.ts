import type { BilledUsage } from '../cost/usage'

/**
 * What a harness parser says about the bytes it read, in one vocabulary for all agents.
 *
 * Observations are facts with their place; they hold no database key and depend on no earlier line. The engine
 * turns them into rows, in any order and as often as they come: every merge is commutative and idempotent.
 *
 * Times (`at`) are milliseconds since the epoch; `null` when the source line carries none.
 * `subagentId` names the node: the CLI's sub-agent id, or `null` for the main thread.
 * `offset` and `length` are bytes within the incarnation of the journal (without the newline).
 */
export type Observation =
  | EventObservation
  | UsageObservation
  | ToolCallObservation
  | ToolResultObservation
  | SubagentObservation
  | BackgroundObservation
  | TodoObservation
  | SessionObservation
  | ActivityObservation
  | OriginObservation
  | MentionObservation
  | TaskListObservation
  | KindObservation

/** What one entry of a conversation is, for a reader. */
export const EVENT_TYPES = [
  'prompt', // a person's (or the calling program's) message that starts or steers a turn
  'text', // the model's text
  'thinking', // the model's thinking, nothing else in the line
  'tool_call', // the model calls a tool (the line may hold text too)
  'tool_result', // what the tool answered
  'notice', // a notification that the CLI gave the model (a background task ended …)
  'compaction', // the conversation was compacted here
  'summary', // the summary that follows a compaction
  'error', // an API error shown as a message
  'system', // a line of the CLI about itself
  'attachment', // context that the CLI adds beside a message
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** One line of a transcript or stream that carries the CLI's own uuid: a row of `conversation_events`. */
export interface EventObservation {
  kind: 'event'
  uuid: string
  parentUuid: string | null
  type: EventType
  /** The line's own `type` (`user`, `assistant`, `system`, `attachment` …). */
  role: string
  at: number | null
  subagentId: string | null
  /** Line of a sub-agent in a file that does not say which (transcripts of 1.0.x): found through `parentUuid`. */
  isSidechain: boolean
  /** `parent_tool_use_id` of a stream line: the tool call that launched this line's sub-agent. */
  parentToolUseId: string | null
  /** The first tool call or tool result in the line. */
  toolUseId: string | null
  toolName: string | null
  /** What a person would read, at most `TEXT_LIMIT` characters, NUL removed. */
  text: string | null
  /** `text` leaves something out that stands in the journal; absent = it does not. */
  isCut?: boolean
  /** The model's last words of a turn, by its own sign; absent = they are not, or the source does not say. */
  isFinal?: boolean
  /**
   * What full-text search finds: messages, tool inputs, and of a `tool_result` its output; at most `SEARCH_LIMIT` characters; `null` = not
   * indexed. Whether outputs are indexed is a setting (`search.toolOutput`), which the recorder applies.
   */
  searchText: string | null
  /** The session that the line itself names when that is not the file's (old forks name the parent). */
  foreignSessionId: string | null
  /** Ids of messages that the line carries beside its own uuid: by a marker, or as the source that the CLI names. */
  carries?: string[]
  /** The line says itself that it was copied (`forkedFrom`) or translated (`translatedFrom`). */
  isCopied: boolean
  offset: number
  length: number
}

/** Characters of an event kept in the row; the whole is in the journal. */
export const TEXT_LIMIT = 2_000
/**
 * Characters of a tool's call or answer kept in the row. They are most of a transcript's bytes and rarely read in a list:
 * with 2,000 the database was half as large again as now, and an import took a third longer.
 */
export const TOOL_TEXT_LIMIT = 400
/** Characters of an event given to full-text search. */
export const SEARCH_LIMIT = 16_000

/** Usage of one model message so far. The same message comes on several lines: the maximum of each field counts, once. */
export interface UsageObservation extends BilledUsage {
  kind: 'usage'
  /** uuid of the line, so that an inherited line counts nothing. */
  uuid: string
  messageId: string
  model: string
  subagentId: string | null
  at: number | null
}

export interface ToolCallObservation {
  kind: 'tool_call'
  /** uuid of the line, or `null` when a hook told of it. */
  uuid: string | null
  toolUseId: string
  name: string
  subagentId: string | null
  at: number | null
  /** What the call asks for, where it may launch a sub-agent or background task: answers of old versions don't repeat it. */
  launch?: Launch
  /** Paths of the files that it is to write, as the call names them: at least one. Absent = it writes none, or doesn't say which. */
  files?: string[]
}

/** What a launching tool call says about what it launches. */
export interface Launch {
  type?: string
  description?: string
  /** An agent's prompt, a shell's command. */
  prompt?: string
}

export interface ToolResultObservation {
  kind: 'tool_result'
  uuid: string | null
  toolUseId: string
  isError: boolean
  /** The CLI answers in place of the tool: the session had ended before the call was answered. With `isError`. */
  isInterrupted?: boolean
  subagentId: string | null
  at: number | null
}

/** How the link from a sub-agent to its launching tool call is known, strongest first. */
export const LINK_EVIDENCE = [
  'meta',
  'tool_result',
  'stream_parent',
  'task_started',
  'notification',
  'mcp_meta',
  'mod',
] as const
export type LinkEvidence = (typeof LINK_EVIDENCE)[number]

/** How a sub-agent or background task ended. */
export const END_STATUSES = ['completed', 'failed', 'killed'] as const
export type EndStatus = (typeof END_STATUSES)[number]

/** Something about a sub-agent. Every field but `subagentId` may be unknown (`undefined`) to this source. */
export interface SubagentObservation {
  kind: 'subagent'
  /** uuid of the line that says so, so that an inherited line says nothing; `null` for lines without one, hooks and documents. */
  uuid: string | null
  /** The CLI's id of the sub-agent that this is about. */
  subagentId: string
  /** It is the CLI's own (a warm-up, the fork that writes a compaction's summary): no sub-agent, whatever else says so without a link. */
  isInternal?: boolean
  /** The launching tool call, and what makes us say so. */
  toolUseId?: string
  evidence?: LinkEvidence
  /** The sub-agent that launched it, where the source names it. */
  parentAgentId?: string
  /** 1 = launched by the main thread. */
  depth?: number
  type?: string
  description?: string
  prompt?: string
  model?: string
  /** Decided by the tool's answer or task events, never by the input flag. */
  isBackground?: boolean
  outputFile?: string
  /** Tokens of its last request, all four kinds, as its launcher heard: it used at least this many. Above 0. */
  reportedTokens?: number
  /** It was (again) set to work at this time. */
  startedAt?: number
  /** It ended (one of its runs) in this way. */
  end?: RunEnd
  run?: RunSeen
  look?: OutputRead
}

/** Somebody read the output of a sub-agent or background task to its end. */
export interface OutputRead {
  /** Milliseconds. */
  at: number
  /** What was read holds the result; without, it does once the run had ended by then. */
  isWhole: boolean
}

/** How one run of a sub-agent or background task ended. */
export interface RunEnd {
  status: EndStatus
  /** `null` = the source does not say when. */
  at: number | null
  evidence: string
  result?: string
  /** Without `at`: it was over by then. */
  seenAt?: number
  /** The line at `uuid` shows the end to its reader: as the CLI's notice, or with the result itself. */
  isShown?: boolean
}

/** Which run of a sub-agent an observation is about. */
export interface RunSeen {
  /** The call that began it. Notices of a continued agent name the call whose message continued it. */
  toolUseId?: string
  /** `message`: that call continued an agent that had ended, and launched nothing. */
  trigger: RunTrigger
  /** It began, though the source has no time of it. */
  isStart?: boolean
  /** What reports its start. */
  evidence?: string
}

/** A background shell or monitor. */
export interface BackgroundObservation {
  kind: 'background'
  /** uuid of the line that says so, so that an inherited line says nothing; `null` for lines without one, hooks and documents. */
  uuid: string | null
  /** The CLI's id of the task. */
  taskId: string
  taskKind: 'shell' | 'monitor'
  toolUseId?: string
  /** The node that launched it. */
  subagentId: string | null
  description?: string
  outputFile?: string
  startedAt?: number
  end?: RunEnd
  run?: RunSeen
  look?: OutputRead
}

export const TODO_STATUSES = ['pending', 'in_progress', 'completed', 'removed'] as const
export type TodoStatus = (typeof TODO_STATUSES)[number]

/** One change of a to-do list by the agent. Keyed by its tool call, so that hook, stream and transcript give one change. */
export interface TodoObservation {
  kind: 'todo'
  toolUseId: string
  /** uuid of the line, or `null` when a hook told of it. */
  uuid: string | null
  subagentId: string | null
  at: number | null
  /** Where its line begins in its stream, in bytes, when the line has no time: the order of such changes. */
  offset?: number
  /** The CLI's own id of the list, where the source names it and no session: of a list that sessions share. */
  nativeList?: string
  change: TodoChange
}

export type TodoChange =
  /** TodoWrite: the whole list of this agent. `leftOut` = items beyond those, that the parser's limits left out. */
  | {
      op: 'snapshot'
      items: { content: string; activeForm?: string; status: Exclude<TodoStatus, 'removed'> }[]
      leftOut?: number
    }
  /** TaskCreate as answered: the item got a native id. Parts of one tool call merge under its id, in any order. */
  | { op: 'create'; nativeId: string; subject: string; description?: string; activeForm?: string }
  /** TaskCreate as called: what the answer leaves out. Means nothing until `create` of the same tool call is there. */
  | { op: 'create_input'; subject?: string; description?: string; activeForm?: string }
  /** TaskUpdate as called: only the fields given change; `add…` adds. Applies once its `update_result` says success. */
  | {
      op: 'update'
      nativeId: string
      status?: TodoStatus
      subject?: string
      description?: string
      activeForm?: string
      owner?: string
      addBlocks?: string[]
      addBlockedBy?: string[]
    }
  | { op: 'update_result'; nativeId: string; isSuccess: boolean }
  /** One item as the CLI's own task file holds it. It has no time, so it only fills what the calls leave unknown. */
  | {
      op: 'item'
      nativeId: string
      subject: string
      status: Exclude<TodoStatus, 'removed'>
      owner?: string
      blockedBy?: string[]
      description?: string
      activeForm?: string
    }
  /** TaskList: everything that the list holds. `blockedBy` lists open blockers only when `isPartial`. */
  | {
      op: 'list'
      items: {
        nativeId: string
        subject: string
        status: Exclude<TodoStatus, 'removed'>
        owner?: string
        blockedBy?: string[]
        description?: string
        activeForm?: string
      }[]
    }

/** Facts about the session as a whole; each field is kept by its own rule (`engine/record/merge-session.ts`). */
export interface SessionObservation {
  kind: 'session'
  /** uuid of the line that says so, so that an inherited line says nothing; `null` for lines without one, hooks and documents. */
  uuid: string | null
  at: number | null
  cwd?: string
  gitBranch?: string
  agentVersion?: string
  /** The model of the main thread. */
  model?: string
  /** A title and how good it is: a person's name for it beats the CLI's own, which beats the first prompt. */
  title?: { text: string; source: 'person' | 'agent' | 'prompt' }
  /** The session that this one was forked or resumed from, as the CLI names it. */
  forkedFrom?: string
  resumedFrom?: string
  /** The session of another agent CLI whose conversation was translated for this one. */
  translatedFrom?: string
}

/** The conversation that this one goes on from under a new id; only a hook's own process can see it. */
export interface OriginObservation {
  kind: 'origin'
  uuid: null
  at: number
  /** `cleared`: the same process of the CLI held it before. `resumed`: the CLI had to resume it, and gave it another id. */
  how: 'cleared' | 'resumed'
  sessionId: string
}

/** Something that tells whether the session is at work. Transcript, stream and hooks all give it. */
export interface ActivityObservation {
  kind: 'activity'
  /** uuid of the line that says so, so that an inherited line says nothing; `null` for lines without one, hooks and documents. */
  uuid: string | null
  at: number | null
  /** `waiting` = the agent asks a person for something. */
  state: 'working' | 'idle' | 'waiting' | 'ended'
  /** What told it, e.g. `hook:Stop`, `transcript:end_turn`. */
  evidence: string
  /** For `ended`: why. */
  reason?: string
}

/** Words that may be an issue's id, where they say what a session works on. */
export interface MentionObservation {
  kind: 'mention'
  /** uuid of the line that says so, so that an inherited line says nothing; `null` for hooks. */
  uuid: string | null
  at: number | null
  source: 'prompt' | 'branch' | 'environment'
  /** What was said at once: the prompt's uuid, the branch's name; '' = the environment. */
  place: string
  /** As `domain/issue/issue-mention.ts` finds them; at least one. */
  words: string[]
}

/** The session's task tools work on this list of the CLI's, which other sessions may share. */
export interface TaskListObservation {
  kind: 'task_list'
  /** Only hooks tell it. */
  uuid: null
  at: number
  /** As the CLI names the list's folder. */
  name: string
}

/** One record of this kind was seen; unknown ones are shown by `lode doctor`. */
export interface KindObservation {
  kind: 'kind'
  /** e.g. `assistant`, `system/compact_boundary`, `attachment/queued_command`. */
  name: string
  isKnown: boolean
  /** CLI version that wrote it, when the line says so. */
  version?: string
}

/** What a parser gives back for a run of whole lines. */
export interface ParsedLines {
  observations: Observation[]
  /** Lines that were no valid record, with nothing to rescue; kept raw in the journal. */
  malformed: { offset: number; length: number; reason: string }[]
  /**
   * The first record in these lines that has a time. `isOwn` = it has no uuid, so it is of a kind that a fork never copies:
   * where a file begins with one, lines with an older time were copied from the conversation that it was forked from.
   */
  head: { at: number; isOwn: boolean } | null
  /** Bytes consumed: up to and including the last newline. */
  consumed: number
  /** The session that the lines of a `stream` name; `null` for other journals, whose place says it. */
  sessionId: string | null
  /**
   * What the parser needs of these lines to read the next ones: kept with the file's cursor, and given back by `ParseContext.carry`.
   * At most `CARRY_LIMIT` characters. Absent = nothing.
   */
  carry?: string | null
}

/** Characters of `ParsedLines.carry`: it is written again with every block. */
export const CARRY_LIMIT = 1_000

/** What set a sub-agent or background task to work. `message`: it had ended, and was continued under the same id. */
export const RUN_TRIGGERS = ['launch', 'message', 'unknown'] as const

export type RunTrigger = (typeof RUN_TRIGGERS)[number]
