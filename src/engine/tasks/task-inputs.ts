import type { SessionId, ToolUseId } from '../../domain/ids'
import type { PlanProgress } from '../../domain/task/plan'
import type { RetryPolicy, Task } from '../../domain/task/task'
import type { TaskFieldChanges, TaskFields } from '../../domain/task/task-fields'

/** Fields of a new task; what is left out has the default that its comment names. */
export interface CreateTask extends TaskFields {
  task: string
  source?: string | undefined
  parentTaskId?: string | undefined
  /** Default: `continue` with a parent given by a person or a lead, `fresh` for what a run spawns. */
  continuity?: 'continue' | 'fresh' | undefined
  sessionId?: SessionId | undefined
  /** What becomes of this task when one that reports to it ends while it is not at work. Default `resume` for what a run spawns, else `hold`. */
  onChildDone?: 'resume' | 'hold' | undefined
  /** Which tool call made it; taken from the run, never from its words, when an attempt calls. */
  spawnedBy?: { sessionId: SessionId; toolUseId?: ToolUseId | undefined } | undefined
  retryPolicy?: Partial<RetryPolicy> | undefined
  worktree?: boolean | { base?: string | undefined } | undefined
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

/** Changes of a task that is not final. Status moves have methods of their own, but for leaving and entering the backlog. */
export interface PatchTask extends TaskFieldChanges {
  task?: string | undefined
  retryPolicy?: Partial<RetryPolicy> | undefined
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

/** What is said to a running attempt. */
export interface TaskInput {
  text: string
  urgency?: 'now' | 'next' | undefined
}

export interface CreateEpic {
  title: string
  description?: string | undefined
  priority?: number | undefined
}

export interface AskQuestion {
  toolUseId: ToolUseId | null
  toolName: string
  input: unknown
  description: string | null
  /** The answer if nobody answers in time. */
  default: 'allow' | 'deny'
  /** From now. */
  deadlineMs: number
}
