import * as z from 'zod/mini'
import { FINISHED_OUTCOMES, NEED_KINDS } from '../../../domain/overview/need'
import { SHOWN_SESSION_STATUSES } from '../../../domain/session/session'
import { SHOWN_TASK_STATUSES } from '../../../domain/task/task'
import { AgentNameSchema } from './record/session'
import {
  COST,
  feedSeqSchema,
  Instant,
  issueIdSchema,
  MaybeInstant,
  MaybeText,
  messageIdSchema,
  sessionIdSchema,
  subagentIdSchema,
  taskIdSchema,
  Usage,
} from './scalars'
import { FailureClassSchema, Question } from './task'

/** What an entry is about; each `null` where it is about none. */
const ABOUT = {
  project: MaybeText,
  taskId: z.nullable(taskIdSchema),
  sessionId: z.nullable(sessionIdSchema),
  issueId: z.nullable(issueIdSchema),
}

/**
 * Something that waits for a person. `id` names this very occasion: when it happens again it is another. `text`: what is asked or went
 * wrong, at most 2,000 characters, in words of agents or strangers. `evidence`: what says so. `command`: what a person types in a terminal
 * to take it up. `question` is there for `question` alone. `cause`: the same of needs that one decision fits; null: it is like no other.
 */
export const Need = z.object({
  id: z.string(),
  kind: z.enum(NEED_KINDS),
  since: Instant,
  title: z.string(),
  text: z.string(),
  isCut: z.boolean(),
  evidence: z.string(),
  ...ABOUT,
  subagentId: z.nullable(subagentIdSchema),
  inboxId: MaybeText,
  messageId: z.nullable(messageIdSchema),
  question: z.nullable(Question),
  failureClass: z.nullable(FailureClassSchema),
  command: MaybeText,
  canDismiss: z.boolean(),
  cause: MaybeText,
  snoozedUntil: MaybeInstant,
})

/**
 * A task at work with its session, or a session that lives without a task. `doing`: the newest running call or the to-do in progress.
 * Usage and cost are what is recorded of all conversations of the task while it had them, or of the session; agents are counted in.
 */
export const Running = z.object({
  kind: z.enum(['task', 'session']),
  title: z.string(),
  ...ABOUT,
  taskStatus: z.nullable(z.enum(SHOWN_TASK_STATUSES)),
  sessionStatus: z.nullable(z.enum(SHOWN_SESSION_STATUSES)),
  statusEvidence: z.string(),
  agentName: MaybeText,
  agentCli: z.nullable(AgentNameSchema),
  host: MaybeText,
  model: MaybeText,
  startedAt: MaybeInstant,
  lastEventAt: MaybeInstant,
  doing: MaybeText,
  todos: z.nullable(z.object({ completed: z.int(), total: z.int(), current: MaybeText })),
  runningAgents: z.int(),
  usage: Usage,
  ...COST,
})

/**
 * What is at work, the newest activity first. `lines`: how many were recorded in each part of `partMs` from `since` on; the last part holds
 * now. `waits`: when its run waited for a person's answer. `lastHour`: what the messages of its session cost that were recorded in the last hour.
 */
export const Lanes = z.object({
  now: Instant,
  since: Instant,
  partMs: z.int(),
  total: z.int(),
  lanes: z.array(
    z.extend(Running, {
      lines: z.array(z.int()),
      waits: z.array(z.object({ from: Instant, to: MaybeInstant })),
      lastHour: z.object(COST),
    }),
  ),
})

/**
 * A task, session or background agent that is over. `text`: the beginning of what it answered or of why it failed. `costUsd`: by the
 * recorded messages, a task's of all its conversations while it had them; null also where none is recorded.
 */
export const Finished = z.object({
  kind: z.enum(['task', 'session', 'subagent']),
  title: z.string(),
  ...ABOUT,
  subagentId: z.nullable(subagentIdSchema),
  outcome: z.enum(FINISHED_OUTCOMES),
  agentCli: z.nullable(AgentNameSchema),
  at: Instant,
  startedAt: MaybeInstant,
  text: MaybeText,
  ...COST,
})

/**
 * `feedSeq`: what the answer is true of; follow the feed from there. `counts` count all, the lists are cut at `limit`. `causes`: of each cause
 * of the needs that are listed, how many needs have it, listed or not.
 */
export const Overview = z.object({
  now: Instant,
  feedSeq: feedSeqSchema,
  counts: z.object({
    needs: z.partialRecord(z.enum(NEED_KINDS), z.int()),
    snoozed: z.int(),
    running: z.int(),
    finished: z.int(),
  }),
  needs: z.array(Need),
  causes: z.array(z.object({ cause: z.string(), count: z.int() })),
  snoozed: z.array(Need),
  running: z.array(Running),
  finished: z.array(Finished),
})

const DigestItem = z.object({
  title: z.string(),
  text: MaybeText,
  taskId: z.nullable(taskIdSchema),
  sessionId: z.nullable(sessionIdSchema),
  agentCli: z.nullable(AgentNameSchema),
  at: Instant,
})

/**
 * What went on since a time, by repository, the dearest first. `usualUsd`: what as much time cost on the average of the four times before.
 * `edits`: calls that changed a file. `more`: items that are not listed.
 */
export const Digest = z.object({
  since: Instant,
  until: Instant,
  projects: z.array(
    z.object({
      name: MaybeText,
      done: z.array(DigestItem),
      failed: z.array(DigestItem),
      more: z.int(),
      needs: z.int(),
      edits: z.int(),
      cost: z.object(COST),
      usualUsd: z.nullable(z.number()),
    }),
  ),
  total: z.object({
    done: z.int(),
    failed: z.int(),
    needs: z.int(),
    edits: z.int(),
    ...COST,
    usualUsd: z.nullable(z.number()),
  }),
})

export const Snoozed = z.object({ id: z.string(), until: Instant })
export const Dismissed = z.object({ id: z.string(), at: MaybeInstant })
