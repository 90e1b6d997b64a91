import {
  type AgentKey,
  agentId,
  attemptId,
  type IssueId,
  issueId,
  type QuestionId,
  questionId,
  type TaskKey,
  taskId,
} from '../../src/domain/ids'
import type { Store } from '../../src/domain/store'
import type { Issue } from '../../src/domain/task/task'
import type { AgentRow, NewAttempt, NewTask, QuestionRow } from '../../src/domain/task/task-store'
import { agentRow, taskRow } from '../samples/tasks'

let count = 0
const fresh = (prefix: string): string =>
  `${prefix}${(++count).toString(36).padStart(4, '0')}${crypto.randomUUID().slice(0, 4)}`
export const freshTaskId = () => taskId(fresh('t-'))

/** A task in the pool. */
export const sampleTask = (row: Partial<NewTask> = {}): Required<NewTask> => {
  const { key: _, createdAt: __, updatedAt: ___, ...task } = taskRow({ reason: 'created', continuity: 'continue' })
  return { ...task, id: freshTaskId(), ...row }
}

export const sampleAgent = (row: Partial<AgentRow> = {}): Omit<AgentRow, 'key' | 'createdAt'> => {
  const { key: _, createdAt: __, ...agent } = agentRow({ hostname: 'box', hostName: 'installation-1' })
  const id = agentId(fresh('a-'))
  const told = { bootId: 'boot-1', tokenHash: crypto.getRandomValues(new Uint8Array(32)), version: '1.0.0' }
  return { ...agent, ...told, id, name: `worker ${id}`, ...row }
}

export const sampleAttempt = (
  task: { key: TaskKey; id: string },
  agent: AgentKey,
  row: Partial<NewAttempt> = {},
): NewAttempt => ({
  id: attemptId(`${task.id}.${row.number ?? 1}`),
  taskKey: task.key,
  number: 1,
  agentKey: agent,
  bootId: 'boot-1',
  hostName: 'installation-1',
  tokenHash: crypto.getRandomValues(new Uint8Array(32)),
  dispatchReason: 'the only one',
  leaseMs: 15_000,
  leaseExpiresAt: 20_000,
  ...row,
})

export const sampleQuestion = (
  attempt: Pick<QuestionRow, 'attemptKey' | 'taskKey'>,
  row: Partial<QuestionRow> = {},
): QuestionRow => ({
  id: questionId(fresh('q-')) as QuestionId,
  toolUseId: null,
  toolName: 'Bash',
  input: '{"command":"ls"}',
  isCut: false,
  callHash: '',
  description: null,
  status: 'open',
  default: 'deny',
  deadline: 1_000,
  behavior: null,
  message: null,
  answeredBy: null,
  askedAt: 1,
  answeredAt: null,
  isTaken: false,
  ...attempt,
  ...row,
})

export const sampleIssue = (row: Partial<Issue> = {}): Issue => ({
  id: issueId(fresh('ld-')) as IssueId,
  type: 'epic',
  title: 'An epic',
  description: '',
  status: 'open',
  priority: 2,
  parentId: null,
  createdAt: '2026-01-02T03:04:05.678Z',
  updatedAt: '2026-01-02T03:04:05.678Z',
  ...row,
})

/** Stores a task and gives its key and id. */
export const addTask = (store: Store, row: Partial<NewTask> = {}) =>
  store.write(async (tx) => {
    const task = sampleTask(row)
    const { key, id } = await tx.tasks.insertTask(task)
    return { key, id }
  })

/** Stores an agent and gives its row. */
export const addAgent = (store: Store, row: Partial<AgentRow> = {}): Promise<AgentRow> =>
  store.write(async (tx) => {
    const found = await tx.tasks.agentByKey(await tx.tasks.insertAgent(sampleAgent(row)))
    if (found === undefined) throw new Error('the agent was not stored')
    return found
  })
