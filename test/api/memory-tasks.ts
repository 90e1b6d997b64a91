import { createHash } from 'node:crypto'
import type { Agent } from '../../src/domain/agent'
import {
  type AgentId,
  type AttemptId,
  agentId,
  agentKey,
  attemptId,
  attemptKey,
  type IssueId,
  issueId,
  issueKey,
  type QuestionId,
  questionId,
  type TaskId,
  taskId,
  taskKey,
} from '../../src/domain/ids'
import type { Page, PageRequest } from '../../src/domain/store'
import type { TaskLogLine, TaskNode } from '../../src/domain/task'
import { type Attempt, DEFAULT_RETRY_POLICY, type Issue, type Question, type Task } from '../../src/domain/task'
import type { AgentRow, AttemptRow, TaskFilter, TaskReads } from '../../src/domain/task-store'

type KnownAttempt = AttemptRow & { agentId: AgentId }

/** Reads of tasks over plain lists: what the API needs of them, where no database is wanted. */
export class MemoryTasks implements TaskReads {
  readonly rows: Task[] = []
  readonly attemptRows: Attempt[] = []
  readonly agentRows: AgentRow[] = []
  readonly questionRows: Question[] = []
  readonly issueRows: Issue[] = []
  readonly logRows = new Map<string, TaskLogLine[]>()
  readonly attemptTokens = new Map<string, KnownAttempt>()
  readonly filters: { filter: TaskFilter; order: string | undefined }[] = []
  /** Answers of `hasWork`, and how often it was asked. */
  work = true
  workCount = 0
  tokenCount = 0

  async list(filter: TaskFilter, page: PageRequest, order?: 'newest' | 'queue'): Promise<Page<Task>> {
    this.filters.push({ filter, order })
    const rows = this.rows.filter(
      (row) =>
        (filter.statuses?.includes(row.status) ?? true) &&
        (filter.agentId === undefined || row.agentId === filter.agentId),
    )
    return pageOf(rows, page)
  }
  find = async (id: TaskId) => this.rows.find((row) => row.id === id)
  matchPrefix = async (prefix: string) =>
    this.rows
      .filter((row) => row.id.startsWith(prefix))
      .map((row) => row.id)
      .slice(0, 20)
  attempts = async (id: TaskId) => this.attemptRows.filter((row) => row.taskId === id)
  children = async (id: TaskId) => this.rows.filter((row) => row.parentTaskId === id)
  async instructions() {
    return null
  }

  async instructionsFor() {
    return undefined
  }

  async standing() {
    return []
  }

  async countOpenFor() {
    return 0
  }

  async findPlan() {
    return undefined
  }

  async tree(id: TaskId) {
    const task = await this.find(id)
    const node = (one: Task): TaskNode => ({
      task: one,
      children: this.rows.filter((row) => row.parentTaskId === one.id).map(node),
    })
    return task && { root: node(task), isCut: false }
  }
  log = async (id: TaskId, after: number, limit: number) =>
    (this.logRows.get(id) ?? []).filter((line) => line.id > after).slice(0, limit)
  hasOpen = async () => this.rows.some((row) => row.finishedAt === null)
  countByStatus = async () => ({})

  agents = async () => this.agentRows.map(shownAgent)
  async findAgent(idOrName: string) {
    const row = this.agentRows.find(({ id, name }) => id === idOrName || name === idOrName)
    return row && shownAgent(row)
  }
  async agentByToken(hash: Uint8Array) {
    this.tokenCount += 1
    return this.agentRows.find((row) => row.tokenHash !== null && Buffer.from(row.tokenHash).equals(hash))
  }
  async attemptByToken(hash: Uint8Array) {
    this.tokenCount += 1
    return this.attemptTokens.get(Buffer.from(hash).toString('hex'))
  }
  async hasWork() {
    this.workCount += 1
    return this.work
  }

  questions = async (filter: { taskId?: TaskId; status?: Question['status'] }, page: PageRequest) =>
    pageOf(
      this.questionRows.filter(
        (row) =>
          (filter.taskId === undefined || row.taskId === filter.taskId) &&
          (filter.status === undefined || row.status === filter.status),
      ),
      page,
    )
  findQuestion = async (id: QuestionId) => this.questionRows.find((row) => row.id === id)
  findIssue = async (id: IssueId) => this.issueRows.find((row) => row.id === id)
  issueOf: TaskReads['issueOf'] = async (task) => {
    const at = this.issueRows.findIndex(({ id }) => id === (task.issueId ?? task.epicId))
    const issue = this.issueRows[at]
    return issue && { ...issue, key: issueKey(at + 1) }
  }
  issues = async (filter: { type?: string }, page: PageRequest) =>
    pageOf(
      this.issueRows.filter(({ type }) => filter.type === undefined || type === filter.type),
      page,
    )
  above = async (id: TaskId) => [id]
  hostKeyOfAttempt = async () => null
  hostsOf = async () => ['host-1']
  isOfHost = async (host: string) => host === 'host-1'
  epicCounts = async () => ({ completed: 1, pending: 2 })

  /** Gives an agent with this token. */
  addAgent(id: string, token: string, given: Partial<AgentRow> = {}): AgentRow {
    const row = { ...someAgent(id), tokenHash: sha256(token), ...given }
    this.agentRows.push(row)
    return row
  }

  /** Gives the running attempt number 1 of a task with this token. */
  addAttempt(task: string, agent: string, token: string): Attempt {
    const attempt = someAttempt(task, agent)
    this.attemptRows.push(attempt)
    this.attemptTokens.set(sha256(token).toString('hex'), {
      ...({} as AttemptRow),
      key: attemptKey(1),
      taskKey: taskKey(1),
      id: attempt.id,
      taskId: attempt.taskId,
      number: attempt.number,
      agentId: attempt.agentId,
      endedAt: null,
    })
    return attempt
  }
}

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

function pageOf<Row>(rows: Row[], { limit, cursor }: PageRequest): Page<Row> {
  const from = Number(cursor ?? 0)
  return { rows: rows.slice(from, from + limit), nextCursor: from + limit < rows.length ? String(from + limit) : null }
}

function shownAgent({ id, name, kind, hostname, capabilities, concurrency, version }: AgentRow): Agent {
  return {
    id,
    name,
    kind,
    status: 'online',
    host: hostname,
    capabilities,
    concurrency,
    running: 0,
    limitedUntil: null,
    version,
    description: null,
    model: null,
    isSpecialist: false,
    createdAt: '2026-01-01T00:00:00.000Z',
    lastSeenAt: null,
  }
}

export function someAgent(id: string, given: Partial<AgentRow> = {}): AgentRow {
  return {
    key: agentKey(1),
    id: agentId(id),
    name: id,
    kind: 'worker',
    hostname: 'here',
    hostName: 'host-1',
    capabilities: [],
    concurrency: 1,
    bootId: 'boot',
    limitedUntil: null,
    tokenHash: null,
    version: '1.2.3',
    lastSeenAt: 0,
    createdAt: 0,
    instructions: null,
    model: null,
    description: null,
    hostKeyHash: null,
    maxPermissionMode: null,
    ...given,
  }
}

export function someAttempt(task: string, agent: string, given: Partial<Attempt> = {}): Attempt {
  const id: AttemptId = attemptId(`${task}.1`)
  return {
    id,
    taskId: taskId(task),
    number: 1,
    isLive: true,
    agentId: agentId(agent),
    agentName: agent,
    host: null,
    hostName: null,
    conversation: null,
    dispatchReason: 'oldest',
    cwd: null,
    branch: null,
    base: null,
    cliVersion: null,
    process: null,
    leaseExpiresAt: '2026-01-01T00:00:15.000Z',
    startedAt: '2026-01-01T00:00:00.000Z',
    endedAt: null,
    outcome: null,
    failureClass: null,
    failureReason: null,
    exitCode: null,
    signal: null,
    numTurns: null,
    costUsd: null,
    usage: null,
    ...given,
  }
}

export function someQuestion(id: string, task: string, given: Partial<Question> = {}): Question {
  return {
    id: questionId(id),
    taskId: taskId(task),
    attemptId: attemptId(`${task}.1`),
    toolUseId: null,
    toolName: 'Bash',
    input: { command: 'ls' },
    isCut: false,
    description: null,
    status: 'open',
    default: 'deny',
    deadline: '2026-01-01T00:10:00.000Z',
    answer: null,
    answeredBy: null,
    askedAt: '2026-01-01T00:00:00.000Z',
    answeredAt: null,
    ...given,
  }
}

export function someEpic(id: string, given: Partial<Issue> = {}): Issue {
  return {
    id: issueId(id),
    type: 'epic',
    title: 'an epic',
    description: '',
    status: 'open',
    priority: 2,
    parentId: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    ...given,
  }
}

export function someTask(id: string, given: Partial<Task> = {}): Task {
  return {
    id: taskId(id),
    task: 'do it',
    title: 'do it',
    status: 'unassigned',
    reason: 'created',
    priority: 50,
    tags: [],
    source: 'api',
    taskType: null,
    project: null,
    dir: null,
    agentId: null,
    agentName: null,
    assignedBy: null,
    creatorAgentId: null,
    offeredTo: null,
    offerExpiresAt: null,
    requiredCapabilities: [],
    parentTaskId: null,
    continuity: 'fresh',
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
    claudeSessionId: null,
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
    retryPolicy: { ...DEFAULT_RETRY_POLICY },
    worktree: null,
    attemptCount: 0,
    dispatchReason: null,
    costUsd: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    startedAt: null,
    finishedAt: null,
    ...given,
  }
}
