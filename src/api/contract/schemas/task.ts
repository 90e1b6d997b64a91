import * as z from 'zod/mini'
import { DANGER_KINDS } from '../../../domain/policy/danger-rules'
import {
  ATTEMPT_OUTCOMES,
  FAILURE_CLASSES,
  PAUSERS,
  RUNGS,
  SHOWN_TASK_STATUSES,
  TASK_LOG_KINDS,
  TASK_STATUSES,
  WAITS,
} from '../../../domain/task/task'
import { type AnyTaskField, RUN_FIELDS, type RunSettings, runFieldNames } from '../../../domain/task/task-fields'
import { AgentNameSchema, Session } from './record/session'
import {
  addressSchema,
  agentIdSchema,
  attemptIdSchema,
  COST,
  eventIdSchema,
  Instant,
  issueIdSchema,
  MaybeInstant,
  MaybeText,
  planIdSchema,
  questionIdSchema,
  sessionIdSchema,
  taskIdSchema,
  toolUseIdSchema,
  Usage,
} from './scalars'
import { Todo } from './todo-item'

const BehaviorSchema = z.enum(['allow', 'deny'])

/** A tool call of a run that needs approval. `isCut`: `input` is not whole. */
export const Question = z.object({
  id: questionIdSchema,
  taskId: taskIdSchema,
  attemptId: attemptIdSchema,
  toolUseId: z.nullable(toolUseIdSchema),
  toolName: z.string(),
  input: z.unknown(),
  isCut: z.boolean(),
  description: MaybeText,
  dangers: z.array(z.object({ kind: z.enum(DANGER_KINDS), why: z.string(), part: z.string() })),
  alwaysRules: z.array(z.string()),
  status: z.enum(['open', 'answered', 'expired', 'withdrawn']),
  default: BehaviorSchema,
  deadline: Instant,
  answer: z.nullable(z.object({ behavior: BehaviorSchema, message: MaybeText })),
  answeredBy: MaybeText,
  askedAt: Instant,
  answeredAt: MaybeInstant,
})

export const OneQuestion = z.object({ question: Question })
/** `file`: the settings file that has the rule now. */
export const AlwaysAllowed = z.object({ question: Question, rule: z.string(), file: z.string() })
export const QuestionPage = z.object({ questions: z.array(Question), nextCursor: MaybeText })

const maybe = z.nullable
export const RungSchema = z.enum(RUNGS)
export const FailureClassSchema = z.enum(FAILURE_CLASSES)

/** Times in milliseconds. A try after try n waits `initialIntervalMs × backoffCoefficient^(n−1)`, at most `maximumIntervalMs`. */
export const RetryPolicy = z.object({
  maximumAttempts: z.int(),
  initialIntervalMs: z.number(),
  backoffCoefficient: z.number(),
  maximumIntervalMs: z.number(),
})

/** What a task asks of its runs. */
const runSettings = Object.fromEntries(
  runFieldNames.map((name) => [name, maybe(answerOf(RUN_FIELDS[name]))]),
) as unknown as { [Name in keyof RunSettings]: z.ZodMiniType<RunSettings[Name]> }

function answerOf({ kind }: AnyTaskField): z.ZodMiniType {
  if (kind === 'dollars') return z.number()
  return kind === 'whole' || kind === 'duration' ? z.int() : z.string()
}

/** One unit of agent work. `costUsd`: what its runs reported, without runs that were killed; what is recorded is another thing, `RecordedCost`. */
export const Task = z.object({
  id: taskIdSchema,
  task: z.string(),
  title: z.string(),
  status: z.enum(SHOWN_TASK_STATUSES),
  reason: z.string(),
  priority: z.int(),
  tags: z.array(z.string()),
  source: z.string(),
  taskType: MaybeText,
  project: MaybeText,
  dir: MaybeText,
  repository: MaybeText,
  agentId: maybe(agentIdSchema),
  agentName: MaybeText,
  assignedBy: maybe(z.enum(['caller', 'affinity', 'offer', 'claim'])),
  creatorAgentId: maybe(agentIdSchema),
  offeredTo: maybe(agentIdSchema),
  offerExpiresAt: MaybeInstant,
  requiredCapabilities: z.array(z.string()),
  agentCli: maybe(AgentNameSchema),
  agentClis: z.array(AgentNameSchema),
  neededClis: z.array(AgentNameSchema),
  parentTaskId: maybe(taskIdSchema),
  continuity: z.enum(['continue', 'fresh']),
  continueNow: z.boolean(),
  dependsOn: z.array(taskIdSchema),
  onDependencyFailure: z.enum(['fail', 'wait']),
  epicId: maybe(issueIdSchema),
  issueId: maybe(issueIdSchema),
  planId: maybe(planIdSchema),
  planKey: MaybeText,
  specialist: MaybeText,
  spawnedBy: maybe(z.object({ sessionId: sessionIdSchema, toolUseId: maybe(toolUseIdSchema) })),
  sessionId: maybe(sessionIdSchema),
  claudeSessionId: maybe(sessionIdSchema),
  forkAt: maybe(eventIdSchema),
  progress: MaybeText,
  progressAt: MaybeInstant,
  output: MaybeText,
  failureReason: MaybeText,
  failureClass: maybe(FailureClassSchema),
  finishedBy: maybe(z.enum(['agent', 'runner', 'person', 'system'])),
  pausedBy: maybe(z.enum(PAUSERS)),
  waitingFor: maybe(z.enum(WAITS)),
  notBefore: MaybeInstant,
  ...runSettings,
  retryPolicy: RetryPolicy,
  worktree: maybe(z.object({ base: MaybeText })),
  attemptCount: z.int(),
  dispatchReason: MaybeText,
  costUsd: maybe(z.number()),
  createdAt: Instant,
  updatedAt: Instant,
  startedAt: MaybeInstant,
  finishedAt: MaybeInstant,
})

/** What of a task's worktree the server keeps. */
export const OneWorkCopy = z.object({
  workCopy: maybe(
    z.object({
      taskId: taskIdSchema,
      attemptId: attemptIdSchema,
      commit: z.string(),
      head: z.string(),
      base: z.string(),
      remote: z.string(),
      hostName: MaybeText,
      size: z.int(),
      leftOut: z.array(z.string()),
      takenAt: Instant,
    }),
  ),
})

/** How an attempt got its conversation. */
export const AttemptConversation = z.object({
  rung: RungSchema,
  sessionId: sessionIdSchema,
  resumedSessionId: maybe(sessionIdSchema),
  forked: z.boolean(),
  forkPoint: MaybeText,
  whyNot: z.array(z.object({ rung: RungSchema, reason: z.string(), detail: MaybeText })),
  carried: z.optional(z.string()),
  transcriptBytes: z.optional(z.int()),
})

/** One execution of a task by a worker. `costUsd`: as the agent's CLI reported it at its end. */
export const Attempt = z.object({
  id: attemptIdSchema,
  taskId: taskIdSchema,
  number: z.int(),
  isLive: z.boolean(),
  agentId: agentIdSchema,
  agentName: z.string(),
  host: MaybeText,
  hostName: MaybeText,
  conversation: maybe(AttemptConversation),
  dispatchReason: z.string(),
  agentCli: maybe(AgentNameSchema),
  cwd: MaybeText,
  branch: MaybeText,
  base: MaybeText,
  cliVersion: MaybeText,
  process: maybe(z.object({ pid: z.int(), startedAt: MaybeText })),
  leaseExpiresAt: MaybeInstant,
  startedAt: Instant,
  endedAt: MaybeInstant,
  outcome: maybe(z.enum(ATTEMPT_OUTCOMES)),
  failureClass: maybe(FailureClassSchema),
  failureReason: MaybeText,
  exitCode: maybe(z.int()),
  signal: MaybeText,
  numTurns: maybe(z.int()),
  costUsd: maybe(z.number()),
  usage: maybe(Usage),
})

/** One line of a task's log; `id` is the cursor of `after`. */
export const TaskLogLine = z.object({
  id: z.int(),
  at: Instant,
  attempt: maybe(z.int()),
  kind: z.enum(TASK_LOG_KINDS),
  text: z.string(),
})

export const TaskNode = z.object({
  task: Task,
  get children() {
    return z.array(TaskNode)
  },
})

/** What tasks hang on. `priority` is 0 (highest) to 4. */
export const Issue = z.object({
  id: issueIdSchema,
  type: z.string(),
  title: z.string(),
  description: z.string(),
  status: z.string(),
  priority: z.int(),
  parentId: maybe(issueIdSchema),
  createdAt: Instant,
  updatedAt: Instant,
})

/** `routed`: where it was sent and why, when that was chosen. `isRepeat`: the same `Idempotency-Key` had made it before. */
export const CreatedTask = z.object({ task: Task, routed: MaybeText, isRepeat: z.boolean() })
export const OneTask = z.object({ task: Task })
/** Where it may be reached, and the attempt that is at work on it. */
export const Deployed = z.object({ task: Task, address: addressSchema, attempt: maybe(Attempt) })
export const TaskPage = z.object({ tasks: z.array(Task), nextCursor: MaybeText })

/** The usage of a task's conversations by their recorded messages, of each while the task had it. */
export const RecordedCost = z.object({ usage: Usage, ...COST })
/** Tasks of which no message is recorded are left out. */
export const TaskCosts = z.object({ costs: z.array(z.object({ taskId: taskIdSchema, ...RecordedCost.shape })) })

/** `lacksCli`: it waits, and no worker that is online has one of its `neededClis`. `todos` are those of the newest conversation. `recorded` is null where no message is recorded, or the caller may not look into it. */
export const TaskDetail = z.object({
  task: Task,
  recorded: maybe(RecordedCost),
  behind: MaybeText,
  lacksCli: z.boolean(),
  attempts: z.array(Attempt),
  session: maybe(Session),
  children: z.array(Task),
  todos: z.array(Todo),
  questions: z.array(Question),
  dependencies: z.array(z.object({ id: taskIdSchema, status: maybe(z.enum(SHOWN_TASK_STATUSES)), title: MaybeText })),
})

/** `isCut`: there are more tasks below. */
export const TaskTree = z.object({ tree: TaskNode, isCut: z.boolean() })
export const TaskLogPage = z.object({ lines: z.array(TaskLogLine), task: Task })
export const TaskInput = z.object({ uuid: z.string() })

export const OneEpic = z.object({ epic: Issue })
/** Tasks by status; a status without tasks may be missing. */
export const EpicDetail = z.object({ epic: Issue, counts: z.partialRecord(z.enum(TASK_STATUSES), z.int()) })
export const EpicPage = z.object({ epics: z.array(EpicDetail), nextCursor: MaybeText })

/** What a task left on its branch. `patch`: as git writes it, since `base`. `uncommitted`: files that are in no commit. */
export const TaskWork = z.object({
  taskId: taskIdSchema,
  branch: z.string(),
  base: z.string(),
  into: z.string(),
  ahead: z.int(),
  behind: z.int(),
  path: MaybeText,
  uncommitted: z.array(z.string()),
  commits: z.array(z.object({ id: z.string(), title: z.string(), at: Instant })),
  patch: z.string(),
  isCut: z.boolean(),
})
/** `commit`: where the branch that it was merged into is now. */
export const MergedWork = z.object({ taskId: taskIdSchema, commit: z.string() })
export const DroppedWork = z.object({ taskId: taskIdSchema })
