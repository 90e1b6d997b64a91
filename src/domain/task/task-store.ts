import type { Agent } from '../agent'
import type {
  Address,
  AgentId,
  AgentKey,
  AgentName,
  AttemptId,
  AttemptKey,
  IssueId,
  PlanId,
  QuestionId,
  SessionId,
  TaskId,
  TaskKey,
  TrackerKey,
} from '../ids'
import type { Awaitable, Page, PageRequest, Sparse } from '../port'
import type { Kinship } from './kinship'
import type { PlacementLimits, Running } from './placement/placement'
import type { Plan } from './plan'
import type {
  Attempt,
  Issue,
  OnChildDone,
  Question,
  ShownTaskStatus,
  Task,
  TaskLogKind,
  TaskLogLine,
  TaskNode,
  TaskStanding,
  TaskStatus,
} from './task'
import type { ServedIssue } from './task-issue'

/** Fields of `Task` that a row has in another form, or that other tables say. */
type ShownOnly =
  | 'task'
  | 'status'
  | 'project'
  | 'agentId'
  | 'agentName'
  | 'creatorAgentId'
  | 'offeredTo'
  | 'offerExpiresAt'
  | 'dependsOn'
  | 'specialist'
  | 'spawnedBy'
  | 'claudeSessionId'
  | 'progressAt'
  | 'notBefore'
  | 'worktree'
  | 'createdAt'
  | 'updatedAt'
  | 'agentCli'
  | 'startedAt'
  | 'finishedAt'

/** A task as the engine works on it: the fields of `Task`, but for these. `requiredCapabilities` are sorted. Times are milliseconds. */
export interface TaskRow extends Omit<Task, ShownOnly> {
  key: TaskKey
  text: string
  status: TaskStatus
  agentKey: AgentKey | null
  creatorAgentKey: AgentKey | null
  /** Filled where the parent exists. */
  parentKey: TaskKey | null
  /** Levels of parents above it. */
  depth: number
  /** Dependencies that are not completed yet. A task with some is `pending`, waiting for `dependency`. */
  unmetCount: number
  spawnedSessionId: SessionId | null
  spawnedToolUseId: string | null
  /** The conversation of the newest attempt. */
  lastSessionId: SessionId | null
  /** Set by an operator: what the next attempt resumes. Cleared by it. */
  nextSessionId: SessionId | null
  /** The worst rung that the next attempt may begin with: what a refused or saturated conversation fell to. */
  startRung: 'preamble' | 'fresh' | null
  progressAt: number | null
  notBefore: number | null
  /** The share that it counts for, as `shareText` writes it; stays as it was when the task was made. */
  share: string | null
  isWorktree: boolean
  worktreeBase: string | null
  /** Tries that count against `maximumAttempts`, since the last `retry`. */
  triesUsed: number
  /** Attempts lost in a row (the worker vanished); any other end sets it back to 0. */
  lostCount: number
  /** The address that gets its result: decided when it is created. */
  replyTo: Address | null
  onChildDone: OnChildDone | null
  /** The agent whose instructions its runs get, whichever worker runs it. */
  specialistId: AgentId | null
  createdAt: number
  updatedAt: number
  startedAt: number | null
  finishedAt: number | null
}

export type NewTask = Sparse<Omit<TaskRow, 'key' | 'createdAt' | 'updatedAt'>>
/** What may change after creation; `updatedAt` is set to the unit's time. */
export type TaskPatch = Partial<
  Omit<TaskRow, 'key' | 'id' | 'createdAt' | 'updatedAt' | 'parentTaskId' | 'parentKey' | 'depth' | 'creatorAgentKey'>
>

/** An agent as the engine works on it: the fields of `Agent`, but for what is worked out when it is shown. Times are milliseconds. */
export interface AgentRow
  extends Omit<
    Agent,
    | 'status'
    | 'host'
    | 'running'
    | 'limitedUntil'
    | 'isSpecialist'
    | 'createdAt'
    | 'lastSeenAt'
    | 'drainingSince'
    | 'restartAskedAt'
  > {
  key: AgentKey
  hostname: string | null
  /** The installation's random id of that machine (`hosts.name`). */
  hostName: string | null
  /** The process that speaks for it now. */
  bootId: string | null
  limitedUntil: number | null
  drainingSince: number | null
  restartAskedAt: number | null
  /** An operator took it out of the fleet; it is another's until it joins again. */
  removedAt: number | null
  /** sha-256 of its token. */
  tokenHash: Uint8Array | null
  lastSeenAt: number | null
  createdAt: number
  /** The text for its runs at their start; `null` = it was never described, '' = described without any. */
  instructions: string | null
  /** sha-256 of the key by which its machine proves that it is `hostName`; `null` = it showed none. */
  hostKeyHash: Uint8Array | null
  /** The permission mode that no task exceeds there; `null` = it did not say. */
  maxPermissionMode: string | null
  /** Until when an account's usage limit holds, in milliseconds, by the agent CLI. */
  cliLimits: Record<AgentName, number>
  /** A CLI at its limit may be passed over for the next that a task lists. */
  fallsOver: boolean
  /** What its agent CLIs are logged in to: all workers of one account share its limits. `null` = its own. */
  account: string | null
}
export type NewAgent = Sparse<Omit<AgentRow, 'key' | 'createdAt'>>

/** An attempt as the engine works on it: the fields of `Attempt`, but for what other tables say. Times are milliseconds. */
export interface AttemptRow
  extends Omit<
    Attempt,
    'isLive' | 'agentId' | 'agentName' | 'host' | 'process' | 'leaseExpiresAt' | 'startedAt' | 'endedAt'
  > {
  key: AttemptKey
  taskKey: TaskKey
  agentKey: AgentKey
  bootId: string | null
  /** sha-256 of its token. */
  tokenHash: Uint8Array
  /** Told to the worker with its next poll. `null` = go on. */
  wish: 'cancel' | 'pause' | null
  wishReason: string | null
  /** Milliseconds that a renewal gives. */
  leaseMs: number
  /** `null` once it ended. */
  leaseExpiresAt: number | null
  pid: number | null
  pidStarted: string | null
  startedAt: number
  endedAt: number | null
}
export type NewAttempt = Sparse<Omit<AttemptRow, 'key' | 'taskId' | 'startedAt'>>
export type AttemptPatch = Partial<Omit<AttemptRow, 'key' | 'id' | 'taskKey' | 'taskId' | 'number' | 'agentKey'>>

export interface PlanRow {
  id: PlanId
  title: string
  creator: string
  createdAt: number
}

export interface OfferRow {
  taskKey: TaskKey
  agentKey: AgentKey
  expiresAt: number
}

/** A question as the engine works on it: the fields of `Question`, but for these. Times are milliseconds. */
export interface QuestionRow
  extends Omit<
    Question,
    | 'taskId'
    | 'attemptId'
    | 'toolUseId'
    | 'input'
    | 'dangers'
    | 'alwaysRules'
    | 'deadline'
    | 'answer'
    | 'askedAt'
    | 'answeredAt'
  > {
  attemptKey: AttemptKey
  taskKey: TaskKey
  toolUseId: string | null
  /** JSON. */
  input: string
  deadline: number
  behavior: 'allow' | 'deny' | null
  message: string | null
  askedAt: number
  answeredAt: number | null
  /** The worker took the answer. */
  isTaken: boolean
  /** sha-256 in hex of the tool's name and its whole input: the call that is asked about. */
  callHash: string
}

/** The worker with a token that it got when it joined. */
export interface PresentedAgent {
  agent: AgentRow
  /** The newest enrollment by which it joined; `null` = it joins with the operator's token. Times are milliseconds. */
  enrollment: { expiresAt: number | null; revokedAt: number | null } | null
}

/**
 * The write port of tasks, inside a unit of work. Reads here see the unit's own writes, and on PostgreSQL lock the rows that they
 * give (`task`, `attempt`, `dependents`, `claimable`), so that a decision made from them holds until the commit.
 *
 * It stores and finds; every rule is the engine's.
 */
export interface TaskTx extends Kinship {
  /** @returns it as it is kept */
  insertTask(row: NewTask): Awaitable<TaskRow>
  task(id: TaskId): Awaitable<TaskRow | undefined>
  taskByKey(key: TaskKey): Awaitable<TaskRow | undefined>
  taskOfAttempt(id: AttemptId): Awaitable<TaskRow | undefined>
  updateTask(key: TaskKey, patch: TaskPatch): Awaitable<void>
  /** The task as the API gives it (`TaskReads.find`), with what the unit wrote. One statement: every answer of a write goes through it. */
  shown(key: TaskKey): Awaitable<Task>

  /** Until the unit's end nobody else changes dependencies of existing tasks: two changes can't close a cycle together. */
  lockDependencies(): Awaitable<void>
  /** Doubles are ignored. */
  addDependencies(key: TaskKey, on: TaskKey[]): Awaitable<void>
  removeDependencies(key: TaskKey, on: TaskKey[]): Awaitable<void>
  /** What it depends on, in no order. */
  dependencies(key: TaskKey): Awaitable<{ key: TaskKey; id: TaskId; status: TaskStatus }[]>
  /** Tasks that depend on it directly and are not final, or failed only by `dependency_failed`. */
  dependents(key: TaskKey): Awaitable<TaskRow[]>
  /** Whether `from` depends on `to`, over any number of steps. */
  dependsOn(from: TaskKey, to: TaskKey): Awaitable<boolean>
  /** Children of a task that wait for `parent`. */
  waitingChildren(parent: TaskKey): Awaitable<TaskRow[]>

  /**
   * The task that the agent is to get next: of those that it may take now (assigned to it or in the pool, no unmet dependency,
   * `notBefore` passed, capabilities a subset, permission mode not above its ceiling, in a folder in which it runs tasks, not rejected by it, not offered to another) the one with the highest priority, the
   * oldest among equals; tasks assigned to it go first among equals. Skips what another transaction holds (PostgreSQL).
   *
   * Its cost does not grow with tasks that it may not take (benchmark: 100,000 queued, 90 % blocked, p50 < 3 ms).
   *
   * @param isAssignedOnly  nothing of the pool; default false
   */
  claimable(
    agent: AgentRow,
    now: number,
    isAssignedOnly?: boolean,
    limits?: PlacementLimits,
  ): Awaitable<TaskRow | undefined>
  /** Whether open tasks ask for what this agent has: without, `claimable` gives none. It locks nothing. */
  isAskedFor(agent: AgentRow, now: number, isAssignedOnly: boolean): Awaitable<boolean>
  /** Tasks whose `notBefore` has passed and that are `pending`, waiting for `retry`, `limit` or `time`, or `paused` by `limit`; at most `limit`. */
  due(now: number, limit: number): Awaitable<TaskRow[]>
  /** Tasks paused by `shutdown` whose agent is `agent`. */
  pausedByShutdown(agent: AgentKey): Awaitable<TaskRow[]>
  /** Not started tasks that `agent` has by affinity, or since it accepted an offer: nobody chose it for them. */
  affine(agent: AgentKey): Awaitable<TaskRow[]>
  /** Keeps a plan; its tasks name it. */
  insertPlan(row: PlanRow): Awaitable<void>
  plan(id: PlanId): Awaitable<PlanRow | undefined>
  /** Its tasks, in the order in which they were made. Like the five below, reads without locks. */
  planTasks(id: PlanId): Awaitable<TaskRow[]>
  /**
   * The tasks whose runs made this one, nearest first, at most `limit`; what goes on in the place of one that ended stands at its
   * level. Reads without locks: who spawned what is settled when it is made.
   */
  spawners(id: TaskId, limit: number): Awaitable<{ id: TaskId; isSpawned: boolean }[]>
  /** Tasks that report to the address and are not final. */
  countOpenFor(address: Address): Awaitable<number>
  /** Tasks that report to the address, and those below them by who made them, that are not final. */
  countOpenBelow(id: Address): Awaitable<number>
  /** Tasks with this very text that report to the address and are not final, oldest first, at most 20. */
  openWithText(address: Address, text: string): Awaitable<TaskRow[]>
  /** Among units that spawn below the same task, or from the same address, one goes on after the other. */
  lockTree(root: TaskId | Address): Awaitable<void>
  /** Tasks that serve the tracker's issue and are not over, the newest first. */
  openOfIssue(tracker: TrackerKey, issue: IssueId): Awaitable<TaskRow[]>
  /** Agents with tasks as `affine` gives them, or paused by shutdown, that were last seen before `seenBefore`. */
  goneAgents(seenBefore: number): Awaitable<AgentRow[]>

  /** The agent CLI of a recorded session; `null` = it is not recorded. */
  agentOfSession(id: SessionId): Awaitable<AgentName | null>
  insertAgent(row: NewAgent): Awaitable<AgentKey>
  agent(id: AgentId): Awaitable<AgentRow | undefined>
  agentByKey(key: AgentKey): Awaitable<AgentRow | undefined>
  agentByName(name: string): Awaitable<AgentRow | undefined>
  /** Workers whose process speaks for them and was heard of since `seenSince`. */
  workersHeard(seenSince: number): Awaitable<AgentRow[]>
  /** Agents of one account. */
  agentsOfAccount(account: string): Awaitable<AgentRow[]>
  /** Tasks in progress, by share and agent CLI. */
  running(): Awaitable<Running[]>
  /** Agents that joined from the machine `hostName`. */
  agentsOfHost(hostName: string): Awaitable<AgentRow[]>
  /** In which folders it runs tasks, absolute and without a slash at their ends; empty = anywhere. */
  setAgentDirs(key: AgentKey, dirs: readonly string[]): Awaitable<void>
  /** Whether it runs tasks in this folder. */
  runsIn(key: AgentKey, dir: string): Awaitable<boolean>
  updateAgent(key: AgentKey, patch: Partial<Omit<AgentRow, 'key' | 'id' | 'createdAt'>>): Awaitable<void>
  /** Its live attempts. */
  liveAttempts(agent: AgentId): Awaitable<AttemptRow[]>

  insertAttempt(row: NewAttempt): Awaitable<AttemptKey>
  attempt(id: AttemptId): Awaitable<AttemptRow | undefined>
  liveAttempt(task: TaskKey): Awaitable<AttemptRow | undefined>
  newestAttempt(task: TaskKey): Awaitable<AttemptRow | undefined>
  updateAttempt(key: AttemptKey, patch: AttemptPatch): Awaitable<void>
  /** Renews the leases of these live attempts to `now + leaseMs`; gives the keys that it renewed. */
  renewLeases(keys: AttemptKey[], now: number): Awaitable<AttemptKey[]>
  /** Live attempts whose lease ran out before `now`; at most `limit`. */
  expired(now: number, limit: number): Awaitable<AttemptRow[]>
  /** Gives every live attempt one full lease from `now`. */
  extendAllLeases(now: number): Awaitable<number>
  /** When a server last looked at leases, to within `coarseMs`, and that it looks now (`0` before the first time). */
  leaseClock(now: number, coarseMs: number): Awaitable<number>

  putOffer(row: OfferRow): Awaitable<void>
  offer(task: TaskKey): Awaitable<OfferRow | undefined>
  removeOffer(task: TaskKey): Awaitable<void>
  expiredOffers(now: number): Awaitable<OfferRow[]>
  addRejection(task: TaskKey, agent: AgentKey, reason: string | null): Awaitable<void>
  isRejected(task: TaskKey, agent: AgentKey): Awaitable<boolean>
  /** Forgets it: the agent was assigned explicitly. */
  removeRejection(task: TaskKey, agent: AgentKey): Awaitable<void>

  insertQuestion(row: QuestionRow): Awaitable<void>
  question(id: QuestionId): Awaitable<QuestionRow | undefined>
  updateQuestion(
    id: QuestionId,
    patch: Partial<Pick<QuestionRow, 'status' | 'behavior' | 'message' | 'answeredBy' | 'answeredAt' | 'isTaken'>>,
  ): Awaitable<void>
  /** Open questions of an attempt, or all whose deadline passed. */
  openQuestions(filter: { attempt: AttemptKey } | { dueBefore: number }): Awaitable<QuestionRow[]>
  /** Answered or expired questions of these attempts that the worker did not take yet. */
  answersFor(attempts: AttemptKey[]): Awaitable<QuestionRow[]>

  appendLog(
    task: TaskKey,
    lines: { at: number; attempt: number | null; kind: TaskLogKind; text: string }[],
  ): Awaitable<void>

  insertIssue(row: Issue): Awaitable<void>
  /**
   * Ids are unique within a tracker: of several the one of the oldest tracker.
   * @param type  only one of this type
   */
  issue(id: IssueId, type?: string): Awaitable<Issue | undefined>
  /** The files of all trackers that have an issue of this id; `null` = it belongs to no folder. */
  issueFiles(id: IssueId): Awaitable<(string | null)[]>

  /**
   * Remembers what a create with this key answered, or gives what was remembered.
   * @param scope  the route and who called
   */
  recallAnswer(scope: string, key: string): Awaitable<{ requestHash: string; answer: string } | undefined>
  rememberAnswer(scope: string, key: string, requestHash: string, answer: string): Awaitable<void>
  /** Forgets answers remembered before `before`; at most `limit`. @returns how many */
  forgetAnswers(before: number, limit: number): Awaitable<number>
}

export interface TaskFilter {
  /** Only kin of this task; see `Kinship.familyOf`. */
  familyOf?: TaskId
  statuses?: ShownTaskStatus[]
  agentId?: AgentId
  /** The agent CLI of its newest attempt, else the one that it asks for first. */
  agent?: AgentName
  parentTaskId?: TaskId
  epicId?: IssueId
  issueId?: IssueId
  sessionId?: SessionId
  tag?: string
  taskType?: string
  project?: string
  source?: string
  /** Words that text, title or id hold, without regard to case. */
  text?: string
}

/** `agent`: only of tasks of this agent CLI. */
export interface QuestionFilter {
  taskId?: TaskId
  agent?: AgentName
  status?: Question['status']
}

/** Reads of tasks, on connections of their own. */
export interface TaskReads extends Kinship {
  /**
   * `newest` first (default), or by `queue`: the order in which they will be taken.
   *
   * @param textLimit  characters that are left of each long text (`task`, `progress`, `output`, `reason`, `failureReason`); the rest is
   *                   not read. Default: all
   */
  list(filter: TaskFilter, page: PageRequest, order?: 'newest' | 'queue', textLimit?: number): Promise<Page<Task>>
  find(id: TaskId): Promise<Task | undefined>
  /** Ids that begin with `prefix`, at most 20. */
  matchPrefix(prefix: string): Promise<TaskId[]>
  attempts(id: TaskId): Promise<Attempt[]>
  /** Direct children, oldest first. */
  children(id: TaskId): Promise<Task[]>
  /**
   * The task with everything below it, in at most three queries; at most 10,000 tasks, `isCut` when there were more.
   *
   * @param textLimit  as of `list`
   */
  tree(id: TaskId, textLimit?: number): Promise<{ root: TaskNode; isCut: boolean } | undefined>
  log(id: TaskId, after: number, limit: number): Promise<TaskLogLine[]>
  /** Whether any task is not final; one index look-up. */
  hasOpen(): Promise<boolean>
  /**
   * Whether a sweep would find anything, or nobody looked at leases for `lookMs`. Never without an open task or a live attempt.
   *
   * @param awayMs  how long a silence makes an agent away
   */
  isSweepDue(lookMs: number, awayMs: number): Promise<boolean>
  countByStatus(): Promise<Partial<Record<TaskStatus, number>>>

  /** How tasks stand: these, or the open ones that report to an address; oldest first. */
  standing(of: { ids: readonly TaskId[] } | { openFor: Address }, limit: number): Promise<TaskStanding[]>
  countOpenFor(address: Address): Promise<number>
  /** A plan with its tasks, in the order in which they were given. */
  findPlan(id: PlanId): Promise<{ plan: Plan; tasks: Task[] } | undefined>

  agents(): Promise<Agent[]>
  findAgent(idOrName: string): Promise<Agent | undefined>
  /** Whether there is an agent of this id or name, removed or not: none vanishes. */
  isAgent(idOrName: string): Promise<boolean>
  /** The text for an agent's runs at their start; `null` = nothing of its own. */
  instructions(id: AgentId): Promise<string | null>
  /** The same for a task: by the agent that it was given to, whichever worker runs it. `undefined` = nothing. */
  instructionsFor(task: TaskId): Promise<{ agent: string; instructions: string } | undefined>
  /** The holder of this token: by its sha-256. */
  agentByToken(hash: Uint8Array): Promise<PresentedAgent | undefined>
  agentRow(id: AgentId): Promise<AgentRow | undefined>
  attemptByToken(hash: Uint8Array): Promise<(AttemptRow & { agentId: AgentId }) | undefined>
  /**
   * Whether `claimable`, `answersFor`, an input or a wish would give this agent anything: a poll looks here before it writes.
   *
   * @param attempts  the agent's live ones, as its poll names them; others are passed over
   * @param isAssignedOnly  nothing of the pool counts; default false
   */
  hasWork(
    agent: AgentRow,
    attempts: AttemptId[],
    canClaim: boolean,
    now: number,
    isAssignedOnly?: boolean,
  ): Promise<boolean>

  questions(filter: QuestionFilter, page: PageRequest): Promise<Page<Question>>
  findQuestion(id: QuestionId): Promise<Question | undefined>
  /** Ids are unique within a tracker: of several the one of the oldest tracker. */
  findIssue(id: IssueId): Promise<Issue | undefined>
  /** The issue that a task serves, else its epic: of several with the id the one that the task means, see `domain/task/task-issue.ts`. */
  issueOf(task: Pick<Task, 'issueId' | 'epicId' | 'dir' | 'project'>): Promise<ServedIssue | undefined>
  issues(filter: { type?: string }, page: PageRequest): Promise<Page<Issue>>
  /** Tasks of an epic by status. */
  epicCounts(id: IssueId): Promise<Partial<Record<TaskStatus, number>>>
}
