import * as z from 'zod/mini'
import { RUN_TRIGGERS } from '../../../domain/record/observation'
import { SUBAGENT_STATUSES } from '../../../domain/session/session'
import { Subagent } from './record/session'
import {
  Instant,
  issueIdSchema,
  MaybeInstant,
  MaybeText,
  sessionIdSchema,
  subagentIdSchema,
  toolUseIdSchema,
} from './scalars'

/** One run of a sub-agent: from a launch, or a message that continued it, to its end. */
export const SubagentRun = z.object({
  number: z.int(),
  trigger: z.enum(RUN_TRIGGERS),
  toolUseId: z.nullable(toolUseIdSchema),
  startedAt: MaybeInstant,
  endedAt: MaybeInstant,
  status: z.enum(SUBAGENT_STATUSES),
  statusEvidence: z.string(),
  resultPreview: MaybeText,
  noticedAt: MaybeInstant,
  noticedIn: z.nullable(subagentIdSchema),
  readAt: MaybeInstant,
  readEvidence: MaybeText,
})

/**
 * `unread`: it ended, and its parent has not consumed what it answered. `ended`: a shell that outlived its CLI, and nobody heard how it
 * ended. `tail`: the last lines of what runs, was lost or ended so.
 */
export const RecoveredWork = z.object({
  subagent: Subagent,
  run: SubagentRun,
  prompt: MaybeText,
  state: z.enum(['running', 'unread', 'read', 'failed', 'killed', 'ended', 'lost', 'unknown']),
  tail: z.nullable(z.array(z.string())),
})

/** `total` counts what was read too. */
export const SessionRecovery = z.object({ sessionId: sessionIdSchema, work: z.array(RecoveredWork), total: z.int() })
export const ProjectRecovery = z.object({
  project: z.string(),
  sessions: z.array(z.object({ id: sessionIdSchema, title: MaybeText, status: z.string(), lastEventAt: MaybeInstant })),
  work: z.array(RecoveredWork),
  total: z.int(),
})

export const LaunchCheck = z.object({
  match: z.nullable(
    z.object({
      subagentId: z.string(),
      sessionId: z.string(),
      description: MaybeText,
      outputFile: MaybeText,
      startedAt: MaybeInstant,
      state: z.enum(['running', 'completed', 'failed', 'lost']),
      likeness: z.enum(['same', 'similar']),
    }),
  ),
})

/**
 * `source`: its output `file`, its conversation in the `record`, the `result` that came with its end, or `none` where nothing is kept.
 * `bytes` is the file's size. `isCut`: there is more than `text`.
 */
export const SubagentOutput = z.object({
  subagent: Subagent,
  source: z.enum(['file', 'record', 'result', 'none']),
  path: MaybeText,
  bytes: z.nullable(z.int()),
  text: z.string(),
  isCut: z.boolean(),
})

/** `isStopped` false: it had ended before. */
export const StoppedSubagent = z.object({
  id: subagentIdSchema,
  sessionId: sessionIdSchema,
  isStopped: z.boolean(),
  processId: z.nullable(z.int()),
})
/** `isNew` false: it was read or marked before. */
export const ReadSubagent = z.object({
  id: subagentIdSchema,
  sessionId: sessionIdSchema,
  run: z.int(),
  isNew: z.boolean(),
})

/** What one session left for the next. */
export const Handoff = z.object({
  id: z.string(),
  at: Instant,
  sessionId: z.nullable(sessionIdSchema),
  folder: z.string(),
  issueId: z.nullable(issueIdSchema),
  goal: z.string(),
  state: z.string(),
  evidence: z.string(),
  next: z.string(),
  note: z.string(),
  givenTo: z.nullable(sessionIdSchema),
  givenAt: MaybeInstant,
})

export const OneHandoff = z.object({ handoff: Handoff })
export const HandoffList = z.object({ handoffs: z.array(Handoff) })
