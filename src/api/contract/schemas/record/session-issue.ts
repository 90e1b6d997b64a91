import * as z from 'zod/mini'
import { SESSION_STATUSES } from '../../../../domain/session/session'
import { ISSUE_LINK_SOURCES } from '../../../../domain/session/session-issue'
import { TrackedIssue } from '../issue'
import { Instant, issueIdSchema, MaybeInstant, MaybeText, sessionIdSchema } from '../scalars'
import { Todo, TodoProgress } from '../todo-item'
import { AgentNameSchema } from './session'

const status = z.enum(SESSION_STATUSES)
const notices = z.array(z.string())

/** What makes us say that a session works on an issue. `place`: a prompt's uuid, a branch, a task's id; '' = nowhere in particular. */
const Evidence = z.object({ source: z.enum(ISSUE_LINK_SOURCES), place: z.string(), at: Instant })

/** An issue that a session is linked to. */
export const LinkedIssue = z.object({
  id: issueIdSchema,
  title: z.string(),
  status: z.string(),
  evidence: z.array(Evidence),
})

const Suggestion = z.nullable(z.object({ id: issueIdSchema, title: z.string() }))

/**
 * The to-dos of one session with the work that they are for. `issues`: the current one first. `status` null: the session was never
 * recorded. `lastSyncAt`: when an item last changed. `endedAt`: since when the lists have ended.
 */
export const SessionTodos = z.object({
  sessionId: sessionIdSchema,
  title: MaybeText,
  agent: z.nullable(AgentNameSchema),
  status: z.nullable(status),
  statusEvidence: MaybeText,
  issues: z.array(LinkedIssue),
  suggestion: Suggestion,
  startedAt: MaybeInstant,
  lastEventAt: MaybeInstant,
  lastSyncAt: MaybeInstant,
  endedAt: MaybeInstant,
  leftOutCount: z.int(),
  progress: TodoProgress,
  todos: z.array(Todo),
})
export const SessionTodosPage = z.object({ lists: z.array(SessionTodos), nextCursor: MaybeText })

export const SessionIssues = z.object({ issues: z.array(LinkedIssue), suggestion: Suggestion })
/** `isNew`: it was not so before. */
export const IssueLink = z.object({ issue: TrackedIssue, isNew: z.boolean(), notices })
export const IssueUnlink = z.object({ issueIds: z.array(issueIdSchema) })
export const IssueSeen = z.object({ issueId: issueIdSchema })
export const PromotedTodo = z.object({ issue: TrackedIssue, isNew: z.boolean(), notices })

/** `isTruncated`: there are more than the newest 200. */
export const IssueSessions = z.object({
  sessions: z.array(
    z.object({
      session: z.object({
        id: sessionIdSchema,
        status: z.nullable(status),
        statusEvidence: MaybeText,
        title: MaybeText,
        agent: z.nullable(AgentNameSchema),
        startedAt: MaybeInstant,
        lastEventAt: MaybeInstant,
      }),
      evidence: z.array(Evidence),
      progress: TodoProgress,
      todos: z.array(Todo),
    }),
  ),
  isTruncated: z.boolean(),
})
