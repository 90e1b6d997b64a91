import * as z from 'zod/mini'
import { AGENT_KINDS } from '../../../domain/agent'
import { AgentNameSchema } from './record/session'
import { WorkerSession } from './registry'
import {
  agentIdSchema,
  attemptIdSchema,
  eventIdSchema,
  Instant,
  MaybeInstant,
  MaybeText,
  questionIdSchema,
  sessionIdSchema,
  taskIdSchema,
} from './scalars'
import { Attempt, AttemptConversation, Task } from './task'

/** What a worker found out about its machine. */
export const MachineFacts = z.object({
  platform: z.string(),
  arch: z.string(),
  cores: z.int(),
  memoryBytes: z.int(),
  gpus: z.array(z.string()),
  repositories: z.array(z.string()),
})

/** A registered identity; persists over sessions, processes and restarts. */
export const Agent = z.object({
  id: agentIdSchema,
  name: z.string(),
  kind: z.enum(AGENT_KINDS),
  status: z.enum(['online', 'offline']),
  host: MaybeText,
  capabilities: z.array(z.string()),
  clis: z.nullable(z.array(z.object({ name: AgentNameSchema, version: z.string() }))),
  machine: z.nullable(MachineFacts),
  drainingSince: MaybeInstant,
  restartAskedAt: MaybeInstant,
  concurrency: z.int(),
  running: z.int(),
  limitedUntil: MaybeInstant,
  version: MaybeText,
  description: MaybeText,
  model: MaybeText,
  isSpecialist: z.boolean(),
  createdAt: Instant,
  lastSeenAt: MaybeInstant,
})

const StartRungSchema = z.nullable(z.enum(['preamble', 'fresh']))
const whyNot = AttemptConversation.shape.whyNot

/** What an attempt should continue. */
export const ConversationSource = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('own'),
    sessionId: sessionIdSchema,
    cwd: MaybeText,
    hostName: MaybeText,
    startRung: StartRungSchema,
    whyNot,
  }),
  z.object({
    kind: z.literal('parent'),
    sessionId: sessionIdSchema,
    parentTaskId: taskIdSchema,
    cwd: MaybeText,
    startRung: StartRungSchema,
    whyNot,
  }),
  z.object({
    kind: z.literal('fork'),
    sessionId: sessionIdSchema,
    at: eventIdSchema,
    cwd: MaybeText,
    startRung: StartRungSchema,
    whyNot,
  }),
  z.object({
    kind: z.literal('none'),
    reason: z.enum(['first', 'fresh_asked', 'parent_not_found', 'parent_has_no_session']),
  }),
])

/** A task taken by an agent; `token` is for this attempt alone and shown once. */
export const Assignment = z.object({
  attemptId: attemptIdSchema,
  generation: z.int(),
  token: z.string(),
  leaseMs: z.int(),
  task: Task,
  conversation: ConversationSource,
  agentCli: z.nullable(AgentNameSchema),
})

/** What a worker is to do about one of its attempts. */
export const Command = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('cancel'), attemptId: attemptIdSchema, reason: z.string() }),
  z.object({ kind: z.literal('pause'), attemptId: attemptIdSchema, reason: z.string() }),
  z.object({
    kind: z.literal('input'),
    attemptId: attemptIdSchema,
    uuid: z.string(),
    text: z.string(),
    urgency: z.enum(['now', 'next']),
  }),
  z.object({
    kind: z.literal('answer'),
    attemptId: attemptIdSchema,
    questionId: questionIdSchema,
    behavior: z.enum(['allow', 'deny']),
    message: MaybeText,
  }),
])

/** `files`: agents described by files of the folder that was named. */
export const AgentList = z.object({
  agents: z.array(Agent),
  files: z.array(
    z.object({ name: z.string(), description: MaybeText, model: MaybeText, file: z.string(), problem: MaybeText }),
  ),
})
/** `tasks` are those in progress; its runs get `instructions` at their start. */
/** `sessions`: the conversations of its live runs. */
export const AgentDetail = z.object({
  agent: Agent,
  tasks: z.array(Task),
  instructions: MaybeText,
  sessions: z.array(WorkerSession),
})
export const OneAgent = z.object({ agent: Agent })

/** `token` is shown once. `followedRoots`: folders of this very machine that are followed already. */
export const JoinAnswer = z.object({
  agent: Agent,
  token: z.string(),
  leaseMs: z.int(),
  followedRoots: z.array(z.string()),
  epoch: MaybeText,
})

/**
 * `lost`: attempts that are the caller's no longer. `leaseMs`: how long those of `renewed` are leased now, at the least.
 * `serverInstance`: the process that answers, where leases stand still while it is gone.
 * `epoch`: another one begins when a backup is restored.
 */
export const PollAnswer = z.object({
  assignments: z.array(Assignment),
  commands: z.array(Command),
  lost: z.array(attemptIdSchema),
  renewed: z.array(attemptIdSchema),
  leaseMs: z.int(),
  serverInstance: MaybeText,
  epoch: MaybeText,
  now: Instant,
})

export const ClaimAnswer = z.object({ assignment: z.nullable(Assignment) })
export const OneAttempt = z.object({ attempt: Attempt })
/** Where the next bytes belong. */
export const StreamState = z.object({ offset: z.int() })
export const RemoteFileState = z.object({ size: z.int(), eventsAdded: z.int() })

/** The one with most sessions first. `continuesIn`: where its conversations go on in a terminal, translated. */
export const AgentCliList = z.object({
  agentClis: z.array(
    z.object({
      name: AgentNameSchema,
      title: z.string(),
      canRun: z.boolean(),
      continuesIn: z.array(AgentNameSchema),
      isRecorded: z.boolean(),
      isAtWorker: z.boolean(),
    }),
  ),
})
