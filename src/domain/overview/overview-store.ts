import type { BudgetRow } from '../budget/budget'
import type { RecordedCost } from '../cost/cost'
import type { Cost } from '../cost/price'
import type { Usage } from '../cost/usage'
import type {
  AgentId,
  AgentName,
  InboxId,
  IssueId,
  MessageId,
  SessionId,
  SessionKey,
  SubagentId,
  TaskId,
  TaskKey,
} from '../ids'
import type { Awaitable } from '../port'
import type { SubagentStatus } from '../session/session'
import type { SessionSignals } from '../session/session-store'
import type { AttemptOutcome, FailureClass, Question, TaskStatus } from '../task/task'

/** A session as it is weighed: few columns, since many are looked at. */
export interface WeighedSession {
  key: SessionKey
  id: SessionId
  /** Whether an attempt of a task had it as its conversation. */
  hasTask: boolean
  /** It was never seen at work: whatever became of it is history. */
  isImported: boolean
  agentCli: AgentName
  signals: SessionSignals
}

/** Which sessions are weighed. Times in milliseconds. */
export interface SessionWindow {
  /** Those that were heard of since, whatever they are. */
  heardSince: number
  /** Those whose turn or question was open at their last word, and that said it since. Those whose process lives are always in. */
  openSince: number
  /** These in any case. */
  also: readonly SessionId[]
  /** The newest of each sort. */
  limit: number
}

/** A task as it is weighed. Times in milliseconds. */
export interface WeighedTask {
  key: TaskKey
  id: TaskId
  status: TaskStatus
  sessionId: SessionId | null
  /** The CLI of its newest attempt, else the one that it asks for first; `null` = none is known. */
  agentCli: AgentName | null
  failureClass: FailureClass | null
  finishedAt: number | null
  /** Whether a task below it was made after it ended: somebody took it up. */
  isTakenUp: boolean
  /** The newest one; `null` = it was never begun. */
  attempt: {
    number: number
    startedAt: number
    endedAt: number | null
    outcome: AttemptOutcome | null
    /** `null` once it ended. */
    leaseExpiresAt: number | null
    leaseMs: number
  } | null
}

/** Open tasks that ask for the same of the same agent, or of any, and that no agent that is online may take. Times in milliseconds. */
export interface UntakenTasks {
  /** The only agent that may take them; `null` = any agent of the pool. */
  agent: {
    id: AgentId
    name: string
    /** And takes tasks. */
    isOnline: boolean
    /** It takes nothing new. */
    isDraining?: true
    /** `null` = never. */
    heardAt: number | null
  } | null
  requiredCapabilities: string[]
  /** One of these agent CLIs, the best first; none = any. */
  neededClis: AgentName[]
  /** Nobody of those who are asked has one of them. */
  lacksClis: boolean
  /** What its agent lacks of these; for the pool, what no online agent has. Empty = it is offline, or no single agent has all. */
  missing: string[]
  /** Whether any agent at all is online. */
  isAnyoneOnline: boolean
  /** Names of those of the pool that are online and could, but take nothing new; absent = there is none. */
  draining?: string[]
  /**
   * Why online agents that have all still can't: the permission mode of the first, and the highest that is allowed. `null` = no such
   * reason.
   */
  ceiling: { needed: string; highest: string } | null
  /** The folder of the first, in which none of those runs tasks who are online and have all. `null` = not that. */
  outside: string | null
  /** How many were looked at: the first of the queue. */
  count: number
  /** Whether there are more than were looked at. */
  isMore: boolean
  /** When the oldest of them changed last, or its time came. */
  openSince: number
  /** When an agent that might take them was heard of last, though it is offline now; `null` = none ever was. */
  heardAt: number | null
  /** The first in the queue. */
  first: WeighedTask
}

/** A run of a sub-agent or background task that nobody read, or that ended lately. Times in milliseconds. */
export interface WeighedRun {
  sessionKey: SessionKey
  sessionId: SessionId
  subagentKey: number
  subagentId: SubagentId
  number: number
  kind: 'agent' | 'shell' | 'monitor'
  status: SubagentStatus
  statusEvidence: string
  startedAt: number | null
  endedAt: number | null
  isRead: boolean
  signals: SessionSignals
  hasTask: boolean
  /** From its session; see `WeighedSession`. */
  isImported: boolean
  agentCli: AgentName
}

/** A request from outside that nobody looked at. */
export interface WaitingRequest {
  id: InboxId
  /** A lead made a task of it, which waits for a person's consent; `null` = nobody looked at it yet. */
  consentTo: TaskId | null
  source: string
  sender: string
  receivedAt: number
  text: string
  isCut: boolean
}

/** A message that waits at a session's address. */
export interface WaitingMessage {
  id: MessageId
  to: string
  fromName: string
  kind: string
  createdAt: number
  text: string
  isCut: boolean
  /** The session that is at the address now; `null` = none is recorded. */
  session: Pick<WeighedSession, 'key' | 'id' | 'agentCli' | 'signals'> | null
}

/** What is shown of a session. Times in milliseconds. */
export interface SessionFace {
  agentCli: AgentName
  title: string | null
  project: string | null
  cwd: string | null
  host: string | null
  model: string | null
  startedAt: number | null
  /** The issue that it holds by a claim. */
  issueId: IssueId | null
}

/** What a session does. */
export interface SessionWork extends Cost {
  /** Names of the calls without an answer, newest first, at most 20. */
  openCalls: readonly string[]
  /** The newest of them with the beginning of its input, as its line has it. */
  newestCall: { name: string; text: string | null } | null
  todos: { completed: number; total: number; current: string | null } | null
  /** Sub-agents that run. */
  runningAgents: number
  /** Sub-agents, shells and monitors that run. */
  runningWork: number
  usage: Usage
}

/** What is shown of a task. */
export interface TaskFace {
  /** From its newest attempt; `null` = none is known. */
  agentCli: AgentName | null
  title: string
  project: string | null
  issueId: IssueId | null
  agentName: string | null
  host: string | null
  model: string | null
  startedAt: number | null
  failureReason: string | null
  /** Its beginning. */
  output: string | null
  reason: string
  attempt: { failureReason: string | null; exitCode: number | null; signal: string | null } | null
}

/** What is shown of a run. */
export interface RunFace extends Cost {
  type: string | null
  description: string | null
  result: string | null
}

/** What a person decided about a need. Milliseconds. */
export interface Dismissal {
  at: number
  /** Until when it is put off; `null` = for good. */
  until: number | null
}

/** Reads along indexes for what needs a person, what runs and what finished. Every list is bounded, newest first where nothing else is said. */
export interface OverviewReads {
  sessions(window: SessionWindow): Promise<WeighedSession[]>
  /** Tasks in progress, and those that wait since their last attempt was lost. */
  openTasks(limit: number): Promise<WeighedTask[]>
  finishedTasks(since: number, limit: number): Promise<WeighedTask[]>
  /**
   * Open tasks whose time has come and that no online agent may take, the pool's first; at most 64 groups. Looks at about a thousand tasks
   * in all.
   *
   * @param told  tasks that another need reports: they are left out
   */
  untaken(now: number, told: readonly TaskKey[]): Promise<UntakenTasks[]>
  /** Tasks of which an attempt had one of these conversations, by conversation, the newest task first. */
  tasksOf(sessions: readonly SessionId[]): Promise<ReadonlyMap<SessionId, readonly WeighedTask[]>>
  /** Runs in the background that began or ended since and that nobody read. */
  unreadRuns(since: number, limit: number): Promise<WeighedRun[]>
  /** Runs in the background whose end was reported since. */
  endedRuns(since: number, limit: number): Promise<WeighedRun[]>
  /** Open questions whose deadline is not over, the oldest first. */
  questions(now: number, limit: number): Promise<Question[]>
  requests(limit: number): Promise<WaitingRequest[]>
  /** At addresses of sessions; statuses left out. */
  messages(limit: number): Promise<WaitingMessage[]>
  budgets(): Promise<BudgetRow[]>
  /** Which of these went on: another session was resumed or forked from them and was heard of later. */
  continued(sessions: readonly SessionKey[]): Promise<ReadonlySet<SessionKey>>
  /** Which of these needs a person took off the list, for good or until a time that is not over. */
  dismissed(needs: readonly string[], now: number): Promise<ReadonlyMap<string, Dismissal>>
  hasDismissedBefore(before: number): Promise<boolean>

  sessionFaces(keys: readonly SessionKey[]): Promise<ReadonlyMap<SessionKey, SessionFace>>
  /** @param of  with their signals: whether something runs depends on them */
  sessionWork(of: readonly Pick<WeighedSession, 'key' | 'signals'>[]): Promise<ReadonlyMap<SessionKey, SessionWork>>
  /** Calls that changed a file since, by session. Milliseconds. */
  edits(keys: readonly SessionKey[], since: number): Promise<ReadonlyMap<SessionKey, number>>
  /** Lines recorded since, by part of the time; the parts that have some. Milliseconds. */
  lines(
    keys: readonly SessionKey[],
    since: number,
    partMs: number,
  ): Promise<ReadonlyMap<SessionKey, ReadonlyMap<number, number>>>
  /** When runs of these tasks waited for an answer since, the first first. `to` is null while they do. Milliseconds. */
  waits(
    keys: readonly TaskKey[],
    since: number,
  ): Promise<ReadonlyMap<TaskKey, readonly { from: number; to: number | null }[]>>
  /** The usage of the messages since. Milliseconds. */
  costsSince(keys: readonly SessionKey[], since: number): Promise<ReadonlyMap<SessionKey, Cost>>
  /** What the main thread said last, where that is near its end. */
  lastWords(keys: readonly SessionKey[]): Promise<ReadonlyMap<SessionKey, string>>
  costs(keys: readonly SessionKey[]): Promise<ReadonlyMap<SessionKey, Cost>>
  /** As `CostReads.ofTasks` tells them. */
  taskCosts(keys: readonly TaskKey[]): Promise<ReadonlyMap<TaskKey, RecordedCost>>
  taskFaces(keys: readonly TaskKey[]): Promise<ReadonlyMap<TaskKey, TaskFace>>
  /** By `<sub-agent's key> <number>`. */
  runFaces(runs: readonly WeighedRun[]): Promise<ReadonlyMap<string, RunFace>>
}

/** The write port of needs, inside a unit of work. */
export interface NeedTx {
  /** @returns when it was dismissed, in milliseconds, and whether that is new */
  dismiss(id: string, by: string, now: number): Awaitable<{ at: number; isNew: boolean }>
  /** Puts it off; `until` of now or before puts it back. One that was dismissed stays so. @returns whether that changed anything */
  snooze(id: string, by: string, now: number, until: number): Awaitable<boolean>
  /** Forgets what was dismissed before; at most `limit`. @returns how many */
  forgetBefore(before: number, limit: number): Awaitable<number>
}
