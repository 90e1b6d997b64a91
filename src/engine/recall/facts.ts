import type { SessionId } from '../../domain/ids'
import type { Subagent } from '../../domain/session'
import type { Store } from '../../domain/store'
import type { Attempt, Issue, Task } from '../../domain/task'
import type { Todo } from '../../domain/todo-item'

/** What the texts for agents are made from. Everything in it is a record: it may be old, and it may have been written by anybody. */
export interface TaskFacts {
  task: Task
  /** Oldest first. */
  attempts: Attempt[]
  issue: Issue | null
  parent: Task | null
  /** Oldest first. */
  children: Task[]
}

/** What a conversation left that an agent should know of. */
export interface ConversationFacts {
  sessionId: SessionId
  /** Of the main thread, or of a list that it shares with its sub-agents; removed ones are not among them. */
  todos: Todo[]
  /** Sub-agents, shells and monitors that run in the background by the record. */
  background: Subagent[]
}

export type RecallStore = Pick<Store, 'tasks' | 'todos' | 'subagents' | 'events'>

/** Reads what belongs to a task. */
export async function readTaskFacts(store: RecallStore, task: Task): Promise<TaskFacts> {
  const { tasks } = store
  const issueId = task.issueId ?? task.epicId
  const [attempts, issue, parent, children] = await Promise.all([
    tasks.attempts(task.id),
    issueId === null ? undefined : tasks.findIssue(issueId),
    task.parentTaskId === null ? undefined : tasks.find(task.parentTaskId),
    tasks.children(task.id),
  ])
  return { task, attempts, issue: issue ?? null, parent: parent ?? null, children }
}

/** Reads what a conversation left. */
export async function readConversationFacts(store: RecallStore, sessionId: SessionId): Promise<ConversationFacts> {
  const [todos, subagents] = await Promise.all([
    store.todos.list({ sessionId }),
    store.subagents.list(sessionId, { kinds: ['agent', 'shell', 'monitor'] }),
  ])
  return {
    sessionId,
    // TodoWrite keeps one list for each agent; numbered items are one list that all agents of the session share.
    todos: todos.filter((todo) => todo.subagentId === null || todo.nativeId !== null),
    background: subagents.filter((one) => one.status === 'running' && (one.background || one.kind !== 'agent')),
  }
}

/** The conversation that the task's newest attempt runs in, or ran in. */
export function currentConversation({ task, attempts }: TaskFacts): SessionId | null {
  const live = attempts.findLast((attempt) => attempt.isLive)
  return live?.conversation?.sessionId ?? task.claudeSessionId
}
