import type { Agent, AgentKind } from '../agent'
import type { Usage } from '../cost/usage'
import type { AgentId, AgentName, AttemptId, EventId, QuestionId, SessionId, TaskId, TokenId } from '../ids'
import type { MachineFacts } from '../machine/machine'
import { MINUTE_MS } from '../time-units'
import type { RememberedToken } from '../token/remembered-token'
import type { UserRef } from '../user/user'
import type { InstalledCli } from './agent-choice'
import type { AttemptConversation, AttemptOutcome, FailureClass, Task, TaskLogKind } from './task'

/**
 * What a worker and the server say to one another. Everything a worker must know comes with a poll, and everything that it tells
 * about an attempt goes through one report, which carries the attempt's token and so its generation.
 */

/**
 * Renewed by each poll; a live attempt that is not renewed for this long is lost. With the embedded database, where one server speaks for
 * it; see `tasks.leaseSeconds`.
 */
export const DEFAULT_LEASE_MS = 15_000
/** On PostgreSQL: a standby that takes over, or a server that does, needs its time. */
export const FLEET_LEASE_MS = MINUTE_MS

/** Characters of what a worker says of itself and of its machine. */
export const JOIN_LIMITS = Object.freeze({
  hostname: 300,
  hostName: 300,
  bootId: 200,
  hostKey: 200,
  account: 100,
  maxPermissionMode: 100,
  version: 100,
})

/** Folders that a worker says it runs tasks in. */
export const MOST_JOIN_DIRS = 300

export interface JoinInput {
  name: string
  /** Nobody chose the name: it is the machine's. Where another installation works under it, the server gives this one another name. */
  isNameOfHost?: boolean | undefined
  kind: AgentKind
  capabilities: string[]
  concurrency: number
  hostname: string
  /** The installation's random id of the machine. */
  hostName: string
  /** A secret of that installation, by which the machine proves that it is `hostName`. Left out: it proves nothing. */
  hostKey?: string | undefined
  /** The permission mode that no task exceeds there (`worker.maxPermissionMode`). Left out: it does not say. */
  maxPermissionMode?: string | undefined
  /** Folders, absolute: tasks elsewhere are left to others (`worker.dirs`). Left out or empty: it runs tasks anywhere. */
  dirs?: string[] | undefined
  /** ISO 8601: it was asked to restart then, and does once nothing runs here. Left out: it was not. */
  restartAskedAt?: string | undefined
  /** The agent CLIs on its machine; the first begins the tasks that name none. Left out: it does not say. */
  clis?: InstalledCli[] | undefined
  /** `worker.account`. Left out: its own. */
  account?: string | undefined
  /** What was found out about the machine. Left out: it does not say. */
  machine?: MachineFacts | undefined
  /** `worker.fallback`. Left out: no. */
  fallsOver?: boolean | undefined
  /** New with each start of the process. */
  bootId: string
  /**
   * The process that spoke for this name before is proven gone (the name's lock was free): its attempts are over now, not when
   * their leases end.
   */
  isFormerGone: boolean
  version: string
}

export interface JoinAnswer {
  agent: Agent
  /** Shown once; a new one with each join. */
  token: string
  leaseMs: number
  /**
   * Folders of agent CLIs that the server's own collector follows on this very machine: what is written there needs no sending.
   */
  followedRoots: string[]
  /** See `PollAnswer.epoch`. */
  epoch: string | null
}

export interface PollInput {
  bootId: string
  /** Attempts that it could begin now. 0 = it only renews and listens. */
  capacity: number
  /** Only what is assigned or offered to it, nothing of the pool: for a worker that was started for one task. */
  isAssignedOnly?: boolean | undefined
  /** Its process ends now: it counts as offline at once, and what was sent to it for its folder alone is anybody's. */
  isLeaving?: boolean | undefined
  /** Its live attempts: their leases are renewed. */
  attempts: { id: AttemptId; generation: number }[]
  /** Milliseconds to wait for something to do; 0 = answer at once. At most 30,000. */
  waitMs: number
}

export interface PollAnswer {
  assignments: Assignment[]
  commands: Command[]
  /** Attempts of the request that are no longer the caller's: it must end their processes now and report nothing more. */
  lost: AttemptId[]
  /** Attempts of the request whose leases were renewed by it. One that is cancelled is neither here nor in `lost`. */
  renewed: AttemptId[]
  /** Milliseconds for which each of `renewed` is leased now, at the least. */
  leaseMs: number
  /**
   * The process that answers, if leases stand still whenever it is gone (embedded database: nobody else ends them, and its next start
   * gives each its full length). `null`: another server may end them (PostgreSQL).
   */
  serverInstance: string | null
  /**
   * Names the life of the database: each restore of a backup begins another one. If an attempt began in another epoch and is `lost`, the
   * database may never have known it: its files are kept. `null` = the server does not say.
   */
  epoch: string | null
  /** ISO 8601: the server's clock. */
  now: string
}

export interface Assignment {
  attemptId: AttemptId
  generation: number
  /** For this attempt alone; given to the run's environment. */
  token: string
  leaseMs: number
  task: Task
  conversation: ConversationSource
  /** The agent CLI that is to run it; `null` = the worker did not say which it has. */
  agentCli: AgentName | null
}

/** What the attempt should continue, before the worker has looked at its disk. */
export type ConversationSource =
  | {
      /** The task's own conversation (or the one an operator set): same id. */
      kind: 'own'
      sessionId: SessionId
      /** Where it ran last. */
      cwd: string | null
      hostName: string | null
      /** Begin no higher than this: better rungs failed already. */
      startRung: 'preamble' | 'fresh' | null
      whyNot: AttemptConversation['whyNot']
    }
  | {
      /** The parent's conversation, forked at its last finished turn. */
      kind: 'parent'
      sessionId: SessionId
      parentTaskId: TaskId
      cwd: string | null
      startRung: 'preamble' | 'fresh' | null
      whyNot: AttemptConversation['whyNot']
    }
  | {
      /** Somebody's conversation, forked at the last finished turn up to this event. */
      kind: 'fork'
      sessionId: SessionId
      at: EventId
      cwd: string | null
      startRung: 'preamble' | 'fresh' | null
      whyNot: AttemptConversation['whyNot']
    }
  | {
      kind: 'none'
      /** `first`: nothing to continue. Else what was asked for and could not be: `parent_not_found`, `parent_has_no_session`. */
      reason: 'first' | 'fresh_asked' | 'parent_not_found' | 'parent_has_no_session'
    }

export type Command =
  | { kind: 'cancel'; attemptId: AttemptId; reason: string }
  | { kind: 'pause'; attemptId: AttemptId; reason: string }
  | { kind: 'input'; attemptId: AttemptId; uuid: string; text: string; urgency: 'now' | 'next' }
  | {
      kind: 'answer'
      attemptId: AttemptId
      questionId: QuestionId
      behavior: 'allow' | 'deny'
      message: string | null
    }

/** One report; every part may be left out. Parts are applied in this order, all in one transaction. */
export interface AttemptReport {
  /** Set once, before the first prompt goes in. */
  conversation?: AttemptConversation
  process?: {
    pid: number
    startedAt: string | null
    cwd: string
    branch: string | null
    base: string | null
    cliVersion: string | null
  }
  log?: { at: string; kind: Exclude<TaskLogKind, 'move'>; text: string }[]
  /** Answers and inputs that were handed to the CLI, or seen in its output. */
  /** With `behavior`: nobody had answered, and a rule that the worker was given meanwhile did. */
  taken?: { questionId: QuestionId; behavior?: 'allow' | 'deny'; rule?: string }[]
  inputs?: { uuid: string; status: 'sent' | 'delivered' }[]
  ended?: AttemptEnd
}

export interface AttemptEnd {
  outcome: AttemptOutcome
  failureClass: FailureClass | null
  /** For a person, one sentence. */
  reason: string
  /** ISO 8601; of `usage_limit`. */
  resetAt: string | null
  /** The last result's text. */
  output: string | null
  exitCode: number | null
  signal: string | null
  numTurns: number | null
  costUsd: number | null
  usage: Usage | null
  /** See `AttemptConversation`. */
  transcriptBytes?: number | undefined
}

/** The caller, by its token. In-process calls are the operator's. */
export type Caller = (
  | { kind: 'operator' }
  /** A person who answers and stops, and starts nothing of its own. */
  | { kind: 'approver' }
  /** A person with read access only. */
  | { kind: 'viewer' }
  | { kind: 'agent'; agentId: AgentId; agentKind: AgentKind }
  | { kind: 'attempt'; attemptId: AttemptId; taskId: TaskId; agentId: AgentId; generation: number }
) & {
  /** The network address that the request came from, for the audit log; it gives no right. */
  readonly peer?: string | undefined
  /** The token that an operator gave out, by which it calls, for the audit log. */
  readonly tokenId?: TokenId | undefined
  /** The person whose token or login it is, where people were added; what it does carries this name. */
  readonly user?: UserRef | undefined
  /** Nobody has looked up its token since the request came, until the token says so: see `RememberedToken`. */
  readonly remembered?: RememberedToken | undefined
}
