import { agentId, attemptId, issueId, issueKey, sessionId, taskId, todoId, toolUseId } from '../../src/domain/ids'
import type { Subagent } from '../../src/domain/session'
import { type Attempt, DEFAULT_RETRY_POLICY, type Task } from '../../src/domain/task'
import type { ServedIssue } from '../../src/domain/task-issue'
import type { Todo } from '../../src/domain/todo-item'
import type { ConversationFacts, TaskFacts } from '../../src/engine/recall/facts'
import { someSubagent, someTodo } from '../api/memory-store'

export const SESSION = '11111111-1111-4111-8111-111111111111'

export function someTask(given: Partial<Task> = {}): Task {
  return {
    id: taskId('t-7f3k9q2m'),
    task: 'Make the parser faster',
    title: 'Make the parser faster',
    status: 'in_progress',
    reason: 'claimed by w1',
    priority: 50,
    tags: [],
    source: 'cli',
    taskType: null,
    project: null,
    dir: '/p',
    agentId: agentId('a-12345678'),
    agentName: 'w1',
    assignedBy: 'claim',
    creatorAgentId: null,
    offeredTo: null,
    offerExpiresAt: null,
    requiredCapabilities: [],
    parentTaskId: null,
    continuity: 'continue',
    continueNow: false,
    dependsOn: [],
    onDependencyFailure: 'fail',
    epicId: null,
    issueId: null,
    planId: null,
    planKey: null,
    specialist: null,
    spawnedBy: null,
    sessionId: null,
    claudeSessionId: sessionId(SESSION),
    progress: null,
    progressAt: null,
    output: null,
    failureReason: null,
    failureClass: null,
    finishedBy: null,
    pausedBy: null,
    waitingFor: null,
    notBefore: null,
    model: null,
    permissionMode: null,
    maxTurns: null,
    maxCostUsd: null,
    timeoutMs: null,
    retryPolicy: DEFAULT_RETRY_POLICY,
    worktree: null,
    attemptCount: 1,
    dispatchReason: 'first in the queue',
    costUsd: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    startedAt: '2026-01-01T00:00:00.000Z',
    finishedAt: null,
    ...given,
  }
}

export function someAttempt(number: number, given: Partial<Attempt> = {}): Attempt {
  return {
    id: attemptId(`t-7f3k9q2m.${number}`),
    taskId: taskId('t-7f3k9q2m'),
    number,
    isLive: false,
    agentId: agentId('a-12345678'),
    agentName: 'w1',
    host: null,
    hostName: null,
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
    branch: null,
    base: null,
    cliVersion: null,
    process: null,
    leaseExpiresAt: null,
    startedAt: '2026-01-01T00:00:00.000Z',
    endedAt: '2026-01-01T00:10:00.000Z',
    outcome: 'lost',
    failureClass: 'lease_lost',
    failureReason: 'the worker vanished',
    exitCode: null,
    signal: null,
    numTurns: null,
    costUsd: null,
    usage: null,
    ...given,
  }
}

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
