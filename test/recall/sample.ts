import { agentId, attemptId, issueId, issueKey, sessionId, taskId, todoId, toolUseId } from '../../src/domain/ids'
import type { Subagent } from '../../src/domain/session/session'
import type { Attempt, Task } from '../../src/domain/task/task'
import type { ServedIssue } from '../../src/domain/task/task-issue'
import type { Todo } from '../../src/domain/todo/todo-item'
import type { ConversationFacts, TaskFacts } from '../../src/engine/recall/facts'
import { someSubagent, someTodo } from '../samples/sessions'
import { shownAttemptWith, shownTaskWith } from '../samples/tasks'

export const SESSION = '11111111-1111-4111-8111-111111111111'

export const someTask = (given: Partial<Task> = {}): Task =>
  shownTaskWith({
    id: taskId('t-7f3k9q2m'),
    task: 'Make the parser faster',
    title: 'Make the parser faster',
    status: 'in_progress',
    reason: 'claimed by w1',
    source: 'cli',
    dir: '/p',
    agentId: agentId('a-12345678'),
    agentName: 'w1',
    assignedBy: 'claim',
    continuity: 'continue',
    claudeSessionId: sessionId(SESSION),
    attemptCount: 1,
    dispatchReason: 'first in the queue',
    startedAt: '2026-01-01T00:00:00.000Z',
    ...given,
  })

export const someAttempt = (number: number, given: Partial<Attempt> = {}): Attempt =>
  shownAttemptWith({
    id: attemptId(`t-7f3k9q2m.${number}`),
    taskId: taskId('t-7f3k9q2m'),
    number,
    isLive: false,
    agentId: agentId('a-12345678'),
    conversation: {
      rung: 'fresh',
      sessionId: sessionId(SESSION),
      resumedSessionId: null,
      forked: false,
      forkPoint: null,
      whyNot: [],
    },
    dispatchReason: 'first in the queue',
    cwd: '/p',
    leaseExpiresAt: null,
    endedAt: '2026-01-01T00:10:00.000Z',
    outcome: 'lost',
    failureClass: 'lease_lost',
    failureReason: 'the worker vanished',
    ...given,
  })

export const someIssue = (given: Partial<ServedIssue> = {}): ServedIssue => ({
  key: issueKey(1),
  id: issueId('ld-3k9q'),
  type: 'epic',
  title: 'Speed',
  description: '',
  status: 'open',
  priority: 2,
  parentId: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  ...given,
})

export const todo = (n: number, status: Todo['status'], content: string): Todo =>
  someTodo(SESSION, `cct-${n}`, { id: todoId(`cct-${n}`), ordinal: n, status, content })

export const running = (id: string, given: Partial<Subagent> = {}): Subagent =>
  someSubagent(SESSION, id, { status: 'running', background: true, toolUseId: toolUseId('toolu_1'), ...given })

export const facts = (given: Partial<TaskFacts> = {}): TaskFacts => ({
  task: someTask(),
  attempts: [someAttempt(1, { isLive: true, endedAt: null, outcome: null })],
  issue: null,
  parent: null,
  children: [],
  ...given,
})

export const conversation = (given: Partial<ConversationFacts> = {}): ConversationFacts => ({
  sessionId: sessionId(SESSION),
  todos: [],
  background: [],
  ...given,
})
