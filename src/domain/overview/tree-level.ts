import type { Cost } from '../cost/price'
import type { AgentName, FeedSeq, IssueId, SessionId, SubagentId, TaskId, ToolUseId } from '../ids'
import type { StatusSettings } from './shown-status'
import type { TreeKind, TreeStatus } from './tree-entry'
import type { TreePlace } from './tree-id'

/**
 * The sums of an entry and everything below it. What stands in several places below one entry counts once.
 *
 * - `running`  agents at work: running sessions, and their running sub-agents, shells and monitors; and attempts that are live while no
 *              session of theirs is running (yet). In a session that is over nothing runs; one that is stuck, or whose run asked a
 *              person, is not running.
 * - `blocked`  tasks that wait for something or are paused, and sessions that asked a person for something
 * - `needs`    what needs a person, as the overview has it
 * - `tokens`   of all four kinds; where entries are shown by a time, these and the cost are of the messages since
 */
export interface TreeRollup extends Cost {
  running: number
  blocked: number
  needs: number
  tokens: number
  /** Sub-agents of whose own lines none is recorded: what they used is in neither sum. */
  unknownAgents: number
  lastEventAt: string | null
}

/** One entry of the tree of all work, as the API gives it. */
export interface TreeEntry {
  id: string
  kind: TreeKind
  label: string
  detail: string | null
  status: TreeStatus | null
  statusEvidence: string | null
  startedAt: string | null
  endedAt: string | null
  childCount: number
  rollup: TreeRollup | null
  /** A session's own; for a task, that of its newest attempt. */
  agentCli: AgentName | null
  taskId: TaskId | null
  sessionId: SessionId | null
  subagentId: SubagentId | null
  toolUseId: ToolUseId | null
  issueId: IssueId | null
}

/** Which entries are shown, beside those on the way to them. */
export interface TreeFilter {
  /** To-dos are plans and fit no status. */
  statuses?: readonly TreeStatus[]
  /** Only what needs a person. */
  needed?: boolean
  /** Part of a title, without regard to case. */
  q?: string
  /** Only sessions of this agent CLI, and the tasks that have one. */
  agent?: AgentName
  /** Milliseconds. */
  since?: number
}

/** What needs a person, by the entry that it is about, with how often. */
export interface NeedPlaces {
  tasks: readonly { id: TaskId; count: number }[]
  sessions: readonly { id: SessionId; count: number }[]
  subagents: readonly { session: SessionId; subagent: SubagentId }[]
}

export interface TreeRequest extends TreeFilter {
  /** `null` = the projects. */
  under: TreePlace | null
  limit: number
  cursor?: string
  /** Milliseconds since the epoch: statuses are as of then. */
  now: number
  settings: StatusSettings
  needs: NeedPlaces
}

export interface TreeLevel {
  /** Outermost first, the entry that was asked for last. Without roll-ups; their `childCount` says only whether there is something below. */
  path: TreeEntry[]
  entries: TreeEntry[]
  total: number
  nextCursor: string | null
  feedSeq: FeedSeq
}

/** Reads of the tree of all work. */
export interface TreeReads {
  /**
   * What stands under one entry. `undefined` = there is no such entry.
   *
   * @throws `invalid` when the cursor is of another list
   */
  level(request: TreeRequest): Promise<TreeLevel | undefined>
}
