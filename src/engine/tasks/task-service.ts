import type { Agent, AgentDescription } from '../../domain/agent'
import type { AgentId, AttemptId, IssueId, QuestionId, SessionId, TaskId, ToolUseId } from '../../domain/ids'
import type { PlanProgress } from '../../domain/plan'
import type { Attempt, Issue, Question, RetryPolicy, Task } from '../../domain/task'
import type {
  Assignment,
  AttemptReport,
  Caller,
  JoinAnswer,
  JoinInput,
  PollAnswer,
  PollInput,
} from '../../domain/worker-protocol'

/** Fields of a new task; what is left out has the default that its comment names. */
export interface CreateTask {
  task: string
  title?: string | undefined
  /** Default 50. */
  priority?: number | undefined
  tags?: string[] | undefined
  source?: string | undefined
  taskType?: string | undefined
  /** Absolute. */
  dir?: string | undefined
  /** Id or name. */
  agentId?: string | undefined
  requiredCapabilities?: string[] | undefined
  parentTaskId?: string | undefined
  /** Default: `continue` with a parent given by a person or a lead, `fresh` for what a run spawns. */
  continuity?: 'continue' | 'fresh' | undefined
  continueNow?: boolean | undefined
  dependsOn?: string[] | undefined
  /** Default `fail`. */
  onDependencyFailure?: 'fail' | 'wait' | undefined
  epicId?: string | undefined
  issueId?: string | undefined
  sessionId?: SessionId | undefined
  /** What becomes of this task when one that reports to it ends while it is not at work. Default `resume` for what a run spawns, else `hold`. */
  onChildDone?: 'resume' | 'hold' | undefined
  /** Which tool call made it; taken from the run, never from its words, when an attempt calls. */
  spawnedBy?: { sessionId: SessionId; toolUseId?: ToolUseId | undefined } | undefined
  model?: string | undefined
  permissionMode?: string | undefined
  maxTurns?: number | undefined
  maxCostUsd?: number | undefined
  timeoutMs?: number | undefined
  retryPolicy?: Partial<RetryPolicy> | undefined
  worktree?: boolean | { base?: string | undefined } | undefined
  /** ISO 8601: not before this. */
  notBefore?: string | undefined
  /** `backlog`: nobody is to start it yet. */
  status?: 'backlog' | undefined
  /** Offers it at once to this agent (id or name). */
  offeredTo?: string | undefined
}

/** A task of a plan. */
export interface PlanTask extends CreateTask {
  /** Its name within the plan. */
  key: string
  /** Such names, or ids of tasks that are there already. */
  dependsOn?: string[] | undefined
}

/** Several tasks, made together or not at all. */
export interface CreatePlan {
  /** Default: the first task's. */
  title?: string | undefined
  /** At most `PLAN_LIMITS.tasks`. */
  tasks: PlanTask[]
  /** These four hold for tasks that say nothing else. */
  parentTaskId?: string | undefined
  sessionId?: SessionId | undefined
  spawnedBy?: CreateTask['spawnedBy']
  source?: string | undefined
}

/** How a task ended. */
export interface FinishTask {
  status: 'completed' | 'failed'
  output?: string | undefined
  failureReason?: string | undefined
  /** What was made, at most 100: they stand below the output, one a line. */
  artifacts?: { name: string; path?: string | undefined; url?: string | undefined }[] | undefined
}

export type CreatedPlan = PlanProgress & { isRepeat: boolean }

export interface CreatedTask {
  task: Task
  /** Where it was sent and why, when we chose: e.g. `to worker w1, which has the parent's working directory`. */
  routed: string | null
  /** The same `Idempotency-Key` had made it before, or the same agent, and it is not over yet. */
  isRepeat: boolean
}

/** Changes of a task that is not final. `null` clears. Status moves have methods of their own, but for leaving and entering the backlog. */
export interface PatchTask {
  title?: string | undefined
  task?: string | undefined
  priority?: number | undefined
  tags?: string[] | undefined
  taskType?: string | null | undefined
  dir?: string | null | undefined
  /** Assigns; `null` gives it back to the pool. */
  agentId?: string | null | undefined
  requiredCapabilities?: string[] | undefined
  dependsOn?: string[] | undefined
  onDependencyFailure?: 'fail' | 'wait' | undefined
  continueNow?: boolean | undefined
  epicId?: string | null | undefined
  issueId?: string | null | undefined
  model?: string | null | undefined
  permissionMode?: string | null | undefined
  maxTurns?: number | null | undefined
  maxCostUsd?: number | null | undefined
  timeoutMs?: number | null | undefined
  retryPolicy?: Partial<RetryPolicy> | undefined
  notBefore?: string | null | undefined
  status?: 'backlog' | 'unassigned' | undefined
}

export interface SweepTotals {
  /** Attempts whose lease ran out. */
  lost: number
  /** Tasks whose time came. */
  woken: number
  /** Offers and questions that expired. */
  expired: number
}

/**
 * Every use case that writes tasks. Each is one unit of work: rows and their feed entries commit together. Arguments and answers
 * are JSON values, so that a server may put this behind a thread.
 *
 * Ids may be a unique beginning of four characters or more wherever a person could have typed them (`TaskRef`).
 *
 * Errors all methods may throw: `not_found` (with the nearest ids), `conflict` (the state does not allow it; `details.status`),
 * `invalid`, `too_large`, `forbidden` (the caller may not do this to this task), `lease_lost` (the caller's attempt is over).
 */
export interface TaskService {
  create(caller: Caller, input: CreateTask, idempotencyKey: string | null): Promise<CreatedTask>
  /** Each task begins fresh unless it asks to continue. @throws `invalid` a cycle, a key twice, one that is not there · `too_large` */
  createPlan(caller: Caller, input: CreatePlan, idempotencyKey: string | null): Promise<CreatedPlan>
  /** All or nothing. @throws `invalid` for a cycle in `dependsOn` */
  patch(caller: Caller, id: TaskRef, patch: PatchTask): Promise<Task>
  cancel(caller: Caller, id: TaskRef, input: { reason?: string | undefined }): Promise<Task>
  pause(caller: Caller, id: TaskRef, input: { reason?: string | undefined }): Promise<Task>
  /** The same session goes on. */
  resume(caller: Caller, id: TaskRef): Promise<Task>
  /** Starts its worker, or finds it again. @throws `conflict` it has ended */
  deploy(caller: Caller, id: TaskRef): Promise<Task>
  /** Of a failed or cancelled task: same id, new attempt; dependents that failed only because of it wait again. */
  retry(caller: Caller, id: TaskRef, input: { reason?: string | undefined }): Promise<Task>
  /** `expiresInMs` default 30 minutes. */
  offer(caller: Caller, id: TaskRef, input: { agentId: string; expiresInMs?: number | undefined }): Promise<Task>
  /** `agentId` is for an operator who answers for an agent; else the caller is the agent. */
  accept(caller: Caller, id: TaskRef, input: { agentId?: string | undefined }): Promise<Task>
  reject(
    caller: Caller,
    id: TaskRef,
    input: { agentId?: string | undefined; reason?: string | undefined },
  ): Promise<Task>
  /** Gives up its assignment, or its live attempt, without an outcome: back to where others may take it. */
  release(caller: Caller, id: TaskRef, input: { reason?: string | undefined }): Promise<Task>
  progress(caller: Caller, id: TaskRef, input: { progress: string }): Promise<Task>
  /** The first final state wins; the same again is answered as before, another gets `conflict`. */
  finish(caller: Caller, id: TaskRef, input: FinishTask): Promise<Task>
  /** From an attempt: its conversation. From an operator: the conversation that the next attempt resumes. @throws `invalid` no uuid */
  setConversation(caller: Caller, id: TaskRef, claudeSessionId: string): Promise<Task>
  /** Says something to the running attempt. */
  input(
    caller: Caller,
    id: TaskRef,
    input: { text: string; urgency?: 'now' | 'next' | undefined },
  ): Promise<{ uuid: string }>
  /** Takes this very task, or with `id` null the next one; `null` when there is none. `leaseMs` at most `MAX_LEASE_MS`. */
  claim(
    caller: Caller,
    id: TaskRef | null,
    input: { agentId?: string | undefined; leaseMs?: number | undefined },
  ): Promise<Assignment | null>

  createEpic(
    caller: Caller,
    input: { title: string; description?: string | undefined; priority?: number | undefined },
    idempotencyKey: string | null,
  ): Promise<Issue>
  /** @throws `not_found` no such epic */
  createInEpic(caller: Caller, epic: IssueId, input: CreateTask, idempotencyKey: string | null): Promise<CreatedTask>

  join(caller: Caller, input: JoinInput): Promise<JoinAnswer>
  /** Makes an agent whose runs get instructions of their own, or changes what describes one. @throws `conflict` it is a lead */
  describeAgent(caller: Caller, name: string, input: AgentDescription): Promise<Agent>
  /** Renews leases, takes what there is to take, hands out commands. Never waits: the API does, and asks again when the feed moves. */
  poll(caller: Caller, agent: AgentId, input: PollInput): Promise<PollAnswer>
  /** @throws `lease_lost` */
  report(caller: Caller, attempt: AttemptId, report: AttemptReport): Promise<Attempt>
  /** Asks and gives the question; its answer comes as a command. @throws `lease_lost` */
  ask(
    caller: Caller,
    attempt: AttemptId,
    input: {
      toolUseId: ToolUseId | null
      toolName: string
      input: unknown
      description: string | null
      default: 'allow' | 'deny'
      deadlineMs: number
    },
  ): Promise<Question>
  answer(
    caller: Caller,
    id: QuestionId,
    input: { behavior: 'allow' | 'deny'; message?: string | undefined },
  ): Promise<Question>

  /**
   * Everything that happens because time passed: leases, due tasks, offers, questions, agents that are gone. A server calls it
   * every second; commands without a server before they read. Leases run only while somebody swept: after a longer gap
   * (restart, sleep, clock jump) every live one gets a full lease first.
   */
  sweep(): Promise<SweepTotals>
  /**
   * Gives every live lease its full length. The one server of an embedded database calls it at its start, before it sweeps, however short
   * it was gone: workers on its machine count on it that no lease ends while no server is there.
   */
  renewAll(): Promise<void>
}

/** A task's id, or a unique beginning of it. */
export type TaskRef = TaskId | string

export type AgentRef = AgentId | string
export type { Agent }
