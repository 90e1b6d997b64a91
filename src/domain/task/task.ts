import type { Usage } from '../cost/usage'
import type {
  Address,
  AgentId,
  AgentName,
  AttemptId,
  EventId,
  IssueId,
  PlanId,
  QuestionId,
  SessionId,
  TaskId,
  ToolUseId,
} from '../ids'
import type { Danger } from '../policy/danger'
import { MINUTE_MS } from '../time-units'
import type { PlacementLimits } from './placement/placement'
import type { RunSettings } from './task-fields'

/**
 * Where a task is. `domain/task/task-machine.ts` has every move between them.
 *
 * - `backlog`      noted; nobody is to start it yet
 * - `unassigned`   in the pool: any capable worker may take it now
 * - `pending`      assigned to one agent, or waiting for `notBefore` or `waitingFor`
 * - `in_progress`  one attempt is live
 * - `paused`       stopped so that it can go on; `pausedBy` names the one who paused it
 */
export const TASK_STATUSES = [
  'backlog',
  'unassigned',
  'pending',
  'in_progress',
  'paused',
  'completed',
  'failed',
  'cancelled',
] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

/** As told to the outside: a task with a standing offer shows as `offered`, one whose run asked a person and has no answer yet as `waiting`. */
export const SHOWN_TASK_STATUSES = [...TASK_STATUSES, 'offered', 'waiting'] as const
export type ShownTaskStatus = (typeof SHOWN_TASK_STATUSES)[number]

/** Those of tasks of which an attempt is live. */
export const LIVE_TASK_STATUSES = ['in_progress', 'waiting'] as const satisfies ShownTaskStatus[]
export const isLiveTask = (status: ShownTaskStatus): boolean => status === 'in_progress' || status === 'waiting'

/**
 * What becomes of a task when one that reports to it ends and it is not at work: `resume` goes on in its conversation with the
 * result, `hold` leaves the result at its address until somebody asks.
 */
export const ON_CHILD_DONE = ['resume', 'hold'] as const
export type OnChildDone = (typeof ON_CHILD_DONE)[number]

/** The type of a task whose runs lead: they direct all tasks, and answer the inbox. Given by operators alone. */
export const LEAD_TASK_TYPE = 'lead'

export const FINAL_TASK_STATUSES = ['completed', 'failed', 'cancelled'] as const
/** Whether a task of this status has ended. */
export const isFinal = (status: string): status is FinalTaskStatus =>
  (FINAL_TASK_STATUSES as readonly string[]).includes(status)
export type FinalTaskStatus = (typeof FINAL_TASK_STATUSES)[number]

/** `person`: until `resume`. `shutdown`: until its worker, or another, is there again. `limit`: until `notBefore`. */
export const PAUSERS = ['person', 'shutdown', 'limit'] as const
export type Pauser = (typeof PAUSERS)[number]

/**
 * What a `pending` task waits for. `parent`: the parent task is at work and its conversation is not to be forked mid-turn.
 * `children`: its last run ended well while tasks that report to it were open, or something for it was unread.
 * `time`: the `notBefore` that its creator gave.
 */
export const WAITS = ['dependency', 'parent', 'children', 'retry', 'limit', 'time'] as const
export type Wait = (typeof WAITS)[number]

/**
 * Why an attempt failed. `harness/<agent>/` tells them from exit code, result and stderr.
 *
 * - `usage_limit`     parked until the reset time, does not count as a try
 * - `overloaded`      529, 5xx, no connection: retried with backoff
 * - `login`           not retried
 * - `prompt_too_long` the conversation is saturated: retried one rung further down
 * - `bad_flag`        a wrong option, model or working directory: not retried
 * - `turn_limit` `cost_limit` `timeout`  a bound of the task was met: not retried
 * - `resume_refused`  the CLI could not continue the conversation: retried one rung further down, does not count as a try
 * - `agent`           the agent itself said that it failed: not retried
 * - `crash`           ended with no result, or in a way nobody knows: retried
 * - `lease_lost`      the worker vanished: retried, does not count as a try
 * - `dependency_failed` no attempt was made
 */
export const FAILURE_CLASSES = [
  'usage_limit',
  'overloaded',
  'login',
  'prompt_too_long',
  'bad_flag',
  'turn_limit',
  'cost_limit',
  'timeout',
  'resume_refused',
  'agent',
  'crash',
  'lease_lost',
  'dependency_failed',
] as const
export type FailureClass = (typeof FAILURE_CLASSES)[number]

/** The way in which an attempt got its conversation, best first (docs/architecture/resume.md). `snapshot`: a child's copy of its parent's. `translated`: rewritten for another agent CLI. */
export const RUNGS = ['native', 'restored', 'snapshot', 'translated', 'preamble', 'fresh'] as const
export type Rung = (typeof RUNGS)[number]

/** Times in milliseconds. A try after try n waits `initialIntervalMs × backoffCoefficient^(n−1)`, at most `maximumIntervalMs`. */
export interface RetryPolicy {
  /** Tries in all, the first included. 1 = never again. */
  maximumAttempts: number
  initialIntervalMs: number
  backoffCoefficient: number
  maximumIntervalMs: number
}

export const DEFAULT_RETRY_POLICY: Readonly<RetryPolicy> = Object.freeze({
  maximumAttempts: 3,
  initialIntervalMs: 1_000,
  backoffCoefficient: 2,
  maximumIntervalMs: MINUTE_MS,
})

/** How far runs may spawn tasks: what an agent does by mistake stays small. Messages of `too_large` name the limit and its setting. */
export interface SpawnLimits {
  /** Levels of tasks that runs made, one below the other. */
  depth: number
  /** Tasks that one task made and that are not over. */
  children: number
  /** The same, of all below the task at the top. */
  tree: number
  /** Tasks that run at once, whoever made them. Left out: no limits. */
  running?: Readonly<PlacementLimits> | undefined
}
export const SPAWN_LIMITS: Readonly<SpawnLimits> = Object.freeze({ depth: 5, children: 50, tree: 500 })

/** One unit of agent work, as the API and `--json` give it. Times are ISO 8601 in UTC. */
export interface Task extends RunSettings {
  id: TaskId
  /** What to do, as it was given. */
  task: string
  /** Given, or the text's first line. */
  title: string
  status: ShownTaskStatus
  /** Why it is there, for a person: the reason of its last move. */
  reason: string
  /** 0–100; higher goes first. */
  priority: number
  tags: string[]
  /** The program that made it: `cli`, `api`, `mcp`, `dashboard`, …. */
  source: string
  taskType: string | null
  /** The project's folder or name; `null` while unknown. */
  project: string | null
  /** The working directory asked for, absolute; `null` = the worker's own, or the parent's. */
  dir: string | null
  /** The repository that it works in, by its remote: the worker makes a worktree of it; `null` = a folder. */
  repository: string | null
  /** The agent that it is assigned to; only that one may take it. */
  agentId: AgentId | null
  agentName: string | null
  /** `affinity`: we chose the agent, since it has the parent's working directory; freed when that agent is gone. */
  assignedBy: 'caller' | 'affinity' | 'offer' | 'claim' | null
  creatorAgentId: AgentId | null
  offeredTo: AgentId | null
  offerExpiresAt: string | null
  requiredCapabilities: string[]
  /** The agent CLI of its newest attempt; `null` = none has begun, or it is not known. */
  agentCli: AgentName | null
  /** The agent CLIs that the caller asked for, the best first; none = the worker's own, or that of the conversation. */
  agentClis: AgentName[]
  /** The agent CLIs that may run it next: that of its conversation, or those that the caller asked for. None = any. */
  neededClis: AgentName[]
  /** May name a task that does not exist (any more). */
  parentTaskId: TaskId | null
  continuity: 'continue' | 'fresh'
  /** Fork the parent's last finished turn even while the parent is in progress. */
  continueNow: boolean
  dependsOn: TaskId[]
  onDependencyFailure: 'fail' | 'wait'
  epicId: IssueId | null
  issueId: IssueId | null
  /** The plan that it was made with, and its name there. */
  planId: PlanId | null
  planKey: string | null
  /** Name of the agent whose instructions its runs get, whichever worker runs it. */
  specialist: string | null
  /** The tool call that created it. */
  spawnedBy: { sessionId: SessionId; toolUseId: ToolUseId | null } | null
  /** The session that owns the task: whose person or agent asked for it. */
  sessionId: SessionId | null
  /** The conversation of the newest attempt, or the one that the next attempt has to resume. */
  claudeSessionId: SessionId | null
  /** Its first attempt goes on in a copy of that session, cut at the last finished turn up to this event. */
  forkAt: EventId | null
  progress: string | null
  progressAt: string | null
  output: string | null
  failureReason: string | null
  failureClass: FailureClass | null
  /** `agent`: it said so with `finish`. `runner`: its last result carried no error and the process ended well. */
  finishedBy: 'agent' | 'runner' | 'person' | 'system' | null
  pausedBy: Pauser | null
  waitingFor: Wait | null
  notBefore: string | null
  retryPolicy: RetryPolicy
  /** A git worktree of its own, made from `base` (a revision; `null` = HEAD). */
  worktree: { base: string | null } | null
  attemptCount: number
  /** Why the newest attempt went to its agent. */
  dispatchReason: string | null
  /** US dollars over all attempts as the runs' CLI reported them: a killed run reports nothing. `RecordedCost` has what is recorded. */
  costUsd: number | null
  createdAt: string
  updatedAt: string
  /** First attempt. */
  startedAt: string | null
  finishedAt: string | null
}

export const ATTEMPT_OUTCOMES = ['completed', 'failed', 'paused', 'released', 'cancelled', 'lost'] as const
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number]

/** How an attempt got its conversation; reported once, before the first prompt is sent. */
export interface AttemptConversation {
  rung: Rung
  /** The conversation that it runs in. */
  sessionId: SessionId
  /** The conversation that it continues; `null` for `fresh`. */
  resumedSessionId: SessionId | null
  /** A copy under a new id: a child's snapshot. */
  forked: boolean
  /** uuid of the last line taken over. */
  forkPoint: string | null
  /** Why each better rung did not run, in order. `reason` is a word such as `parent_not_found`, `detail` is for a person. */
  whyNot: { rung: Rung; reason: string; detail: string | null }[]
  /** Translated conversations only: what was carried over and what was not, in one sentence for a person. */
  carried?: string | undefined
  /**
   * Bytes of its transcript on the machine of the run when its worker spoke of it last: as the run began (`native` only), then at its end.
   * Before the record has this many, it can't say what the conversation does not hold. Left out: the worker does not say.
   */
  transcriptBytes?: number | undefined
}

/** One execution of a task by a worker. */
export interface Attempt {
  id: AttemptId
  taskId: TaskId
  /** 1, 2, … and the fencing token: a write with a lower one than the task's newest is `lease_lost`. */
  number: number
  isLive: boolean
  agentId: AgentId
  agentName: string
  host: string | null
  /** The machine's random name; its processes mean nothing on another one. `null` = claimed by hand. */
  hostName: string | null
  conversation: AttemptConversation | null
  dispatchReason: string
  /** The agent CLI that runs it; `null` = its agent does not say. */
  agentCli: AgentName | null
  cwd: string | null
  branch: string | null
  /** The commit that the branch began at. */
  base: string | null
  cliVersion: string | null
  process: { pid: number; startedAt: string | null } | null
  leaseExpiresAt: string | null
  startedAt: string
  endedAt: string | null
  outcome: AttemptOutcome | null
  failureClass: FailureClass | null
  failureReason: string | null
  exitCode: number | null
  signal: string | null
  numTurns: number | null
  /** US dollars as the agent's CLI reported them at its end. */
  costUsd: number | null
  usage: Usage | null
}

/** A question of a run: a tool call that needs approval. */
export interface Question {
  id: QuestionId
  taskId: TaskId
  attemptId: AttemptId
  toolUseId: ToolUseId | null
  toolName: string
  /** The tool's input, cut to 20,000 characters of JSON; `isCut` says so. */
  input: unknown
  isCut: boolean
  description: string | null
  /** What of it is dangerous, the worst first; empty = no rule says so. */
  dangers: Danger[]
  /** Rules of `worker.allow` by which such a call is let through from now on, the narrowest first: in this project, then everywhere. */
  alwaysRules: string[]
  status: 'open' | 'answered' | 'expired' | 'withdrawn'
  /** What happens at the deadline. */
  default: 'allow' | 'deny'
  deadline: string
  answer: { behavior: 'allow' | 'deny'; message: string | null } | null
  answeredBy: string | null
  askedAt: string
  answeredAt: string | null
}

/** One line of a task's log, in the order in which the server took it. */
export interface TaskLogLine {
  /** Grows; the cursor of `after`. */
  id: number
  at: string
  attempt: number | null
  /** `move`: the task's own. `run`: the worker's (which conversation was resumed, …). The rest is the agent's. */
  kind: TaskLogKind
  /** At most 4,000 characters. */
  text: string
}
export const TASK_LOG_KINDS = ['move', 'run', 'text', 'tool', 'tool_result', 'result', 'stderr'] as const
export type TaskLogKind = (typeof TASK_LOG_KINDS)[number]

/** How a task stands, for a caller that waits for it. */
export interface TaskStanding {
  taskId: TaskId
  title: string
  status: TaskStatus
  parentTaskId: TaskId | null
  planKey: string | null
  progress: string | null
  /** Its first 4,000 characters; `isCut` says that there are more. */
  output: string | null
  isCut: boolean
  failureReason: string | null
  replyTo: Address | null
}

/** A node of `task tree`. */
export interface TaskNode {
  task: Task
  children: TaskNode[]
}

/** The minimal tracker that tasks hang on; more comes with the tracker itself. */
export interface Issue {
  id: IssueId
  type: string
  title: string
  description: string
  status: string
  /** 0 (highest) to 4. */
  priority: number
  parentId: IssueId | null
  createdAt: string
  updatedAt: string
}
