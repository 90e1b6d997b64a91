import type { SessionId } from '../../domain/ids'
import type { Company, RecalledChanges, RecalledTodo, RecalledWork } from '../../domain/recall/recall'
import type { IssueLinkSource } from '../../domain/session/session-issue'
import type { Store } from '../../domain/store'
import type { Attempt, Task } from '../../domain/task/task'
import type { ServedIssue } from '../../domain/task/task-issue'
import { CHANGES_TOLD } from './issue-sections'

/** What the texts for agents are made from. Everything in it is a record: it may be old, and it may have been written by anybody. */
export interface TaskFacts {
  task: Task
  /** Oldest first. */
  attempts: Attempt[]
  issue: ServedIssue | null
  parent: Task | null
  /** Oldest first. */
  children: Task[]
  /** The text for the agent that the task was given to; `null` = nothing of its own. */
  specialist?: { agent: string; instructions: string } | null
}

/** What a conversation left that an agent should know of. */
export interface ConversationFacts {
  sessionId: SessionId
  /** To-dos of the main thread, or of a list that it shares with its sub-agents, without removed ones. */
  todos: RecalledTodo[]
  /** Sub-agents, shells and monitors that run in the background by the record, or whose end their agent has not taken in. */
  background: RecalledWork[]
}

/** What a reminder says of the issue that a task serves. */
export interface IssueFacts {
  issue: ServedIssue | null
  /** By others, since this attempt or the one before it was at work. */
  changes: RecalledChanges | null
  company: Company
}

export type RecallStore = Pick<Store, 'tasks' | 'events' | 'recall' | 'messages'>

/** The settings of a recall. */
export interface RecallOptions {
  /** What links sessions to issues; default all. */
  linkFrom?: readonly IssueLinkSource[]
  hidesTodos?: boolean
}

/** Reads what belongs to a task. */
export async function readTaskFacts(store: RecallStore, task: Task): Promise<TaskFacts> {
  const { tasks } = store
  const [attempts, issue, parent, children, specialist] = await Promise.all([
    tasks.attempts(task.id),
    tasks.issueOf(task),
    task.parentTaskId === null ? undefined : tasks.find(task.parentTaskId),
    tasks.children(task.id),
    tasks.instructionsFor(task.id),
  ])
  return { task, attempts, issue: issue ?? null, parent: parent ?? null, children, specialist: specialist ?? null }
}

/** Reads what a conversation left; of one that was never recorded nothing. */
export async function readConversationFacts(store: RecallStore, sessionId: SessionId): Promise<ConversationFacts> {
  const facts = await store.recall.session(sessionId)
  return { sessionId, todos: facts?.todos ?? [], background: facts?.background ?? [] }
}

/** Reads what a run hears of its task's issue: who else works on it, and what others changed. */
export async function readIssueFacts(
  store: RecallStore,
  { task, attempts, issue }: TaskFacts,
  { linkFrom }: RecallOptions,
): Promise<IssueFacts> {
  if (issue === null) return { issue: null, changes: null, company: { earlier: [], live: [] } }
  const own = attempts.flatMap(({ conversation }) => (conversation === null ? [] : [conversation.sessionId]))
  // What happened between two attempts is news to the later one.
  const since = attempts.at(-2)?.endedAt ?? attempts.at(-1)?.startedAt ?? task.createdAt
  const [company, changes] = await Promise.all([
    store.recall.company(issue.key, own, linkFrom),
    store.recall.changes(issue.key, own, 0, Date.parse(since), CHANGES_TOLD),
  ])
  return { issue, changes, company }
}

/** The conversation that the task's newest attempt runs in, or ran in. */
export function currentConversation({ task, attempts }: TaskFacts): SessionId | null {
  const live = attempts.findLast((attempt) => attempt.isLive)
  return live?.conversation?.sessionId ?? task.claudeSessionId
}
