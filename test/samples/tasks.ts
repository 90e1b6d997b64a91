import { agentId, agentKey, attemptId, attemptKey, taskId, taskKey } from '../../src/domain/ids'
import { type Attempt, DEFAULT_RETRY_POLICY, type Task } from '../../src/domain/task/task'
import type { AgentRow, AttemptRow, TaskRow } from '../../src/domain/task/task-store'
import { toAttempt } from '../../src/store/tasks/reads/attempts'
import { AGENT, ATTEMPT, TASK } from '../../src/store/tasks/rows'
import { shownTask } from '../../src/store/tasks/shown'

/** Samples hold what their test wants; every other field that may be `null` is, whichever there are. */

const TIME = Date.parse('2026-01-01T00:00:00.000Z')

/** A task in the pool, as the engine works on it. */
export const taskRow = (changes: Partial<TaskRow> = {}): TaskRow => ({
  ...TASK.unsaid,
  key: taskKey(1),
  id: taskId('t-00000001'),
  text: 'do it',
  title: 'do it',
  status: 'unassigned',
  reason: '',
  priority: 50,
  tags: [],
  source: 'test',
  requiredCapabilities: [],
  agentClis: [],
  neededClis: [],
  depth: 0,
  continuity: 'fresh',
  continueNow: false,
  onDependencyFailure: 'fail',
  unmetCount: 0,
  retryPolicy: { ...DEFAULT_RETRY_POLICY },
  isWorktree: false,
  attemptCount: 0,
  triesUsed: 0,
  lostCount: 0,
  createdAt: 0,
  updatedAt: 0,
  ...changes,
})

/** The same, as the API gives it. */
export const shownTaskWith = (changes: Partial<Task> = {}): Task => ({
  ...shownTask(taskRow({ createdAt: TIME, updatedAt: TIME }), {
    agentId: null,
    agentName: null,
    agentCli: null,
    creatorAgentId: null,
    offeredTo: null,
    offerExpiresAt: null,
    dependsOn: '[]',
    project: null,
    specialist: null,
    hasQuestion: 0,
  }),
  ...changes,
})

/** The first attempt of a task, live. */
export const attemptRow = (changes: Partial<AttemptRow> = {}): AttemptRow => ({
  ...ATTEMPT.unsaid,
  key: attemptKey(1),
  id: attemptId('t-00000001.1'),
  taskKey: taskKey(1),
  taskId: taskId('t-00000001'),
  number: 1,
  agentKey: agentKey(1),
  tokenHash: new Uint8Array(32),
  dispatchReason: 'the only one',
  leaseMs: 15_000,
  startedAt: 0,
  ...changes,
})

/** The same, as the API gives it. */
export const shownAttemptWith = (changes: Partial<Attempt> = {}): Attempt => ({
  ...toAttempt({
    ...attemptRow({ startedAt: TIME, leaseExpiresAt: TIME + 15_000 }),
    ...{ agentId: 'a-00000001', agentName: 'w1', host: null },
  }),
  ...changes,
})

/** A worker that nobody heard of yet. */
export const agentRow = (changes: Partial<AgentRow> = {}): AgentRow => ({
  ...AGENT.unsaid,
  key: agentKey(1),
  id: agentId('a-00000001'),
  name: 'w1',
  kind: 'worker',
  hostname: 'here',
  hostName: 'host-1',
  capabilities: [],
  cliLimits: {},
  fallsOver: false,
  concurrency: 1,
  createdAt: 0,
  ...changes,
})
