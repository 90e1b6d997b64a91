/**
 * Compile-time proof that the wire schemas and the domain's types are the same. Holds no code: when they drift apart, the type
 * check fails here and names the pair.
 */

import type * as z from 'zod/mini'
import type { Agent as DomainAgent } from '../../domain/agent'
import type {
  ConversationPage as DomainConversationPage,
  Timeline as DomainTimeline,
} from '../../domain/conversation/conversation'
import type { SearchHit as DomainSearchHit } from '../../domain/conversation/event-store'
import type { FeedEntry as DomainFeedEntry } from '../../domain/feed'
import type { ShownIssue as DomainShownIssue } from '../../domain/issue/issue-store'
import type {
  ConversationEvent as DomainEvent,
  Session as DomainSession,
  Subagent as DomainSubagent,
  TreeNode as DomainTreeNode,
} from '../../domain/session/session'
import type { SessionTodos as DomainSessionTodos } from '../../domain/session/session-issue'
import type {
  Attempt as DomainAttempt,
  Issue as DomainIssue,
  Question as DomainQuestion,
  Task as DomainTask,
  TaskLogLine as DomainTaskLogLine,
  TaskNode as DomainTaskNode,
} from '../../domain/task/task'
import type {
  AttemptReport as DomainAttemptReport,
  JoinAnswer as DomainJoinAnswer,
  JoinInput as DomainJoinInput,
  PollAnswer as DomainPollAnswer,
  PollInput as DomainPollInput,
} from '../../domain/task/worker-protocol'
import type { Todo as DomainTodo } from '../../domain/todo/todo-item'
import type { BodyOf } from './operation'
import type { agents } from './operations/agents'
import type { attempts } from './operations/attempts'
import type { TrackedIssue } from './schemas/issue'
import type { ConversationPage, SessionTimeline } from './schemas/record/conversation'
import type { ConversationEvent, FeedEntry, SearchHit } from './schemas/record/event'
import type { Session, Subagent, TreeNode } from './schemas/record/session'
import type { SessionTodos } from './schemas/record/session-issue'
import type { Attempt, Issue, Question, Task, TaskLogLine, TaskNode } from './schemas/task'
import type { Todo } from './schemas/todo-item'
import type { Agent, JoinAnswer, PollAnswer } from './schemas/worker'

type Equal<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
type Match<S extends z.core.$ZodType, Domain> = Equal<z.output<S>, Domain>

export type WireMatchesDomain = [
  Match<typeof Session, DomainSession>,
  Match<typeof Subagent, DomainSubagent>,
  Match<typeof TreeNode, DomainTreeNode>,
  Match<typeof ConversationEvent, DomainEvent>,
  Match<typeof Todo, DomainTodo>,
  Match<typeof SessionTodos, DomainSessionTodos>,
  Match<typeof FeedEntry, DomainFeedEntry>,
  Match<typeof SearchHit, DomainSearchHit>,
  Match<typeof ConversationPage, DomainConversationPage>,
  Match<typeof SessionTimeline, DomainTimeline & { session: DomainSession }>,
  Match<typeof Task, DomainTask>,
  Match<typeof TaskNode, DomainTaskNode>,
  Match<typeof TaskLogLine, DomainTaskLogLine>,
  Match<typeof Attempt, DomainAttempt>,
  Match<typeof Question, DomainQuestion>,
  Match<typeof Issue, DomainIssue>,
  Match<typeof TrackedIssue, DomainShownIssue>,
  Match<typeof Agent, DomainAgent>,
  Match<typeof JoinAnswer, DomainJoinAnswer>,
  Match<typeof PollAnswer, DomainPollAnswer>,
  Equal<BodyOf<typeof agents.join>, DomainJoinInput>,
  Equal<BodyOf<typeof agents.poll>, DomainPollInput>,
  Equal<BodyOf<typeof attempts.report>, DomainAttemptReport>,
] extends true[]
  ? true
  : never

export const WIRE_MATCHES_DOMAIN: WireMatchesDomain = true
