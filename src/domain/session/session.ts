import type { Cost } from '../cost/price'
import type { Usage } from '../cost/usage'
import type { AgentName, EventId, SessionId, SubagentId, ToolUseId } from '../ids'
import type { EndStatus, EventType, LinkEvidence } from '../record/observation'

/**
 * Where a session is. Derived from signals (`domain/session/session-status.ts`), never stored as a truth of its own.
 *
 * - `running`  a turn is under way
 * - `waiting`  the agent asked a person for something
 * - `idle`     the turn is over, the process may live
 * - `ended`    the CLI said so, or its process is gone after a finished turn
 * - `lost`     its process is gone in the middle of a turn, or nothing was heard for long
 */
export const SESSION_STATUSES = ['running', 'waiting', 'idle', 'ended', 'lost'] as const
export type SessionStatus = (typeof SESSION_STATUSES)[number]
/** As told to the outside: a session that works and is silent for long shows as `stuck`. */
export const SHOWN_SESSION_STATUSES = [...SESSION_STATUSES, 'stuck'] as const
export type ShownSessionStatus = (typeof SHOWN_SESSION_STATUSES)[number]

export interface SessionCounts {
  /** Distinct events of the main thread and all sub-agents, inherited ones of a fork not included. */
  events: number
  /** Distinct tool uses of the main thread and all sub-agents. */
  toolCalls: number
  /** How many of them failed. */
  errors: number
  /** Distinct paths that calls which did not fail wrote. */
  filesChanged: number
  subagents: number
  /** How many of them have no recorded line of their own: their usage is in no sum. */
  unknownAgents: number
  compactions: number
  malformedLines: number
}

/** One continuing conversation, as the API and `--json` give it. Times are ISO 8601 in UTC. */
export interface Session extends Cost {
  id: SessionId
  agent: AgentName
  /** The project's folder or name; `null` while unknown. */
  project: string | null
  cwd: string | null
  status: ShownSessionStatus
  /** What the status was derived from, e.g. `hook:Stop 12 s ago`. */
  statusEvidence: string
  resumedFrom: SessionId | null
  forkedFrom: SessionId | null
  /** The session of another agent CLI whose conversation this one goes on with. */
  translatedFrom: SessionId | null
  /** What the same process of the CLI held before it was cleared: this one goes on at that one's address. */
  clearedFrom: SessionId | null
  startedAt: string | null
  endedAt: string | null
  lastEventAt: string | null
  model: string | null
  title: string | null
  gitBranch: string | null
  /** The model's newest words on the main thread, at most some hundred characters. */
  lastWords: string | null
  agentVersion: string | null
  host: string | null
  counts: SessionCounts
  /** Main thread and all sub-agents. */
  usage: Usage
  /** Main thread alone. */
  usageMain: Usage
}

/** Where a sub-agent is. `lost`: its process is gone and no end was seen. */
export const SUBAGENT_STATUSES = ['running', 'completed', 'failed', 'killed', 'ended', 'lost', 'unknown'] as const
export type SubagentStatus = (typeof SUBAGENT_STATUSES)[number]

/** Its cost is unknown as well where its usage is. */
export interface Subagent extends Cost {
  id: SubagentId
  sessionId: SessionId
  /** `agent`, or `shell` / `monitor` for background work that is no agent. */
  kind: 'agent' | 'shell' | 'monitor'
  /** The tool call that launched it; `null` for an orphan. */
  toolUseId: ToolUseId | null
  /** The tool call that launched the sub-agent in which `toolUseId` was made; `null` when the main thread made it. */
  parentToolUseId: ToolUseId | null
  /** The sub-agent that launched it; `null` when the main thread did, or for an orphan. */
  parentId: SubagentId | null
  /** 1 = launched by the main thread; `null` while unknown. */
  depth: number | null
  type: string | null
  description: string | null
  model: string | null
  background: boolean
  status: SubagentStatus
  statusEvidence: string
  /** What made the link to `toolUseId`; every source that said one is kept. */
  evidence: { source: LinkEvidence; toolUseId: ToolUseId }[]
  /** Two of them name different calls: they can't all be right. */
  isContradicted: boolean
  outputFile: string | null
  startedAt: string | null
  endedAt: string | null
  lastEventAt: string | null
  resultPreview: string | null
  counts: { events: number; toolCalls: number }
  /** `null` = not known: it is an agent of whose own lines none is recorded. */
  usage: Usage | null
  /**
   * Where `usage` is not known: tokens of its last request, as the CLI told its launcher. It used at least this many. `null` = the CLI said
   * nothing, or `usage` is known.
   */
  reportedTokens: number | null
}

export interface ConversationEvent {
  id: EventId
  sessionId: SessionId
  type: EventType
  /** The line's own type, e.g. `user`. */
  role: string
  at: string | null
  subagentId: SubagentId | null
  /** `null` on the main thread, and for an orphan whose launch was not seen. */
  parentToolUseId: ToolUseId | null
  toolUseId: ToolUseId | null
  toolName: string | null
  /** At most `TEXT_LIMIT` characters; `isCut` says when there is more in the journal. */
  text: string | null
  isCut: boolean
  inherited: boolean
}

/** A signal's last word about a run: how and when it ended. */
export interface EndSignal {
  status: EndStatus
  at: number | null
  evidence: string
}

/** A node of `session tree`: the main thread or a sub-agent, with what it is doing. */
export interface TreeNode {
  /** `null` = the main thread. */
  subagent: Subagent | null
  /** Tool calls without a result yet, newest first, at most 5. */
  runningTools: { toolUseId: ToolUseId; name: string; since: string | null }[]
  todos: { completed: number; total: number; current: string | null }
  /** This node alone; `null` = not known, as for a sub-agent. */
  usage: Usage | null
  lastEventAt: string | null
  children: TreeNode[]
}
