import { secondsAgo } from '../../src/cli/views/fixtures'
import type { Agent } from '../../src/domain/agent'
import { agentId, attemptId, issueId, questionId, sessionId, taskId, toolUseId } from '../../src/domain/ids'
import type {
  Attempt,
  AttemptConversation,
  Issue,
  Question,
  Task,
  TaskLogLine,
  TaskNode,
} from '../../src/domain/task/task'
import { shownAttemptWith, shownTaskWith } from './tasks'

/** Tasks and what hangs on them, for golden texts. Times are given in seconds before `NOW`. */
export const task = (changes: Partial<Task> = {}): Task =>
  shownTaskWith({
    id: taskId('t-7f3k9q2m'),
    task: 'Fix the login redirect',
    title: 'Fix the login redirect',
    status: 'in_progress',
    reason: 'taken by desk',
    source: 'cli',
    project: '/home/ann/shop',
    dir: '/home/ann/shop',
    agentId: agentId('a-0a1b2c3d'),
    agentName: 'desk',
    assignedBy: 'claim',
    claudeSessionId: sessionId('3f2a9c1e-5b1d-4c7e-9a55-0d6f3a1b2c3d'),
    attemptCount: 1,
    dispatchReason: 'any worker: the first that was free',
    costUsd: 0.12,
    createdAt: secondsAgo(600),
    updatedAt: secondsAgo(5),
    startedAt: secondsAgo(300),
    ...changes,
  })

export function conversation(changes: Partial<AttemptConversation> = {}): AttemptConversation {
  return {
    rung: 'native',
    sessionId: sessionId('3f2a9c1e-5b1d-4c7e-9a55-0d6f3a1b2c3d'),
    resumedSessionId: sessionId('3f2a9c1e-5b1d-4c7e-9a55-0d6f3a1b2c3d'),
    forked: false,
    forkPoint: null,
    whyNot: [],
    ...changes,
  }
}

export const attempt = (changes: Partial<Attempt> = {}): Attempt =>
  shownAttemptWith({
    id: attemptId('t-7f3k9q2m.1'),
    taskId: taskId('t-7f3k9q2m'),
    agentId: agentId('a-0a1b2c3d'),
    agentName: 'desk',
    host: 'desk.local',
    hostName: 'desk-id',
    conversation: conversation(),
    dispatchReason: 'any worker: the first that was free',
    cwd: '/home/ann/shop',
    cliVersion: '2.1.328',
    process: { pid: 4_711, startedAt: null },
    leaseExpiresAt: secondsAgo(-10),
    startedAt: secondsAgo(300),
    ...changes,
  })

export function question(changes: Partial<Question> = {}): Question {
  return {
    id: questionId('q-1a2b3c4d'),
    taskId: taskId('t-7f3k9q2m'),
    attemptId: attemptId('t-7f3k9q2m.1'),
    toolUseId: toolUseId('toolu_1'),
    toolName: 'Bash',
    input: { command: 'rm -rf build', description: 'clean' },
    isCut: false,
    dangers: [],
    alwaysRules: [],
    description: null,
    status: 'open',
    default: 'deny',
    deadline: secondsAgo(-240),
    answer: null,
    answeredBy: null,
    askedAt: secondsAgo(60),
    answeredAt: null,
    ...changes,
  }
}

export function logEntry(changes: Partial<TaskLogLine> = {}): TaskLogLine {
  return { id: 1, at: secondsAgo(0), attempt: 1, kind: 'tool', text: 'Bash: npm test', ...changes }
}

export const taskNode = (changes: Partial<Task>, children: TaskNode[] = []): TaskNode => ({
  task: task(changes),
  children,
})

export function agent(changes: Partial<Agent> = {}): Agent {
  return {
    id: agentId('a-0a1b2c3d'),
    name: 'desk',
    kind: 'worker',
    status: 'online',
    host: 'desk.local',
    capabilities: ['docker', 'gpu'],
    clis: [{ name: 'claude-code', version: '2.1.330' }],
    machine: null,
    drainingSince: null,
    restartAskedAt: null,
    concurrency: 2,
    running: 1,
    limitedUntil: null,
    version: '0.1.0',
    description: null,
    model: null,
    isSpecialist: false,
    createdAt: secondsAgo(90_000),
    lastSeenAt: secondsAgo(2),
    ...changes,
  }
}

export function epic(changes: Partial<Issue> = {}): Issue {
  return {
    id: issueId('ld-3k9q'),
    type: 'epic',
    title: 'Move to the new parser',
    description: '',
    status: 'open',
    priority: 1,
    parentId: null,
    createdAt: secondsAgo(90_000),
    updatedAt: secondsAgo(60),
    ...changes,
  }
}
