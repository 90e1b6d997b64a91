import { agentId, attemptId, issueId, questionId, taskId } from '../../../src/domain/ids'
import type { Attempt, Issue, Question, Task } from '../../../src/domain/task/task'
import type { Assignment, JoinAnswer, PollAnswer } from '../../../src/domain/task/worker-protocol'
import type { CreatedTask } from '../../../src/engine/tasks/task-inputs'
import type { TaskService } from '../../../src/engine/tasks/task-service'
import { shownAttemptWith, shownTaskWith } from '../../samples/tasks'

type Method = keyof TaskService

/** The port of tasks: keeps what was asked of it and answers something that fits. */
export class KeptTasks {
  readonly calls: [Method, ...unknown[]][] = []
  failure: Error | null = null
  /** Answers of polls, in turn; then empty ones. */
  readonly polls: Partial<PollAnswer>[] = []
  readonly service: TaskService

  constructor() {
    const one = (method: Method) => async (_caller: unknown, id: unknown) => this.task(String(id), method)
    const answers: { [M in Method]: (...args: never[]) => Promise<unknown> } = {
      create: async () => this.created(),
      createInEpic: async () => this.created(),
      createPlan: async () => ({
        plan: { id: 'p-11111111', title: 'a plan', creator: 'operator', createdAt: '2026-01-01T00:00:00.000Z' },
        tasks: [someTask('t-11111111')],
        counts: { unassigned: 1 },
        isDone: false,
        isRepeat: false,
      }),
      describeAgent: async () => this.joined().agent,
      behind: async () => null,
      drainMachine: async () => this.joined().agent,
      resumeMachine: async () => this.joined().agent,
      patch: one('patch'),
      cancel: one('cancel'),
      pause: one('pause'),
      resume: one('resume'),
      deploy: one('deploy'),
      retry: one('retry'),
      offer: one('offer'),
      accept: one('accept'),
      reject: one('reject'),
      release: one('release'),
      progress: one('progress'),
      finish: one('finish'),
      setConversation: one('setConversation'),
      input: async () => ({ uuid: 'u-1' }),
      dropOld: async () => ({ entries: 0, tasks: 0 }),
      claim: async () => this.assignment(),
      createEpic: async () => someEpic('ld-1111'),
      join: async () => this.joined(),
      poll: async () => this.polled(),
      report: async (_caller: unknown, id: unknown): Promise<Attempt> =>
        someAttempt(String(id).split('.')[0] ?? '', 'a-1'),
      keepWorkCopy: async () => 0,
      ask: async (_caller: unknown, id: unknown): Promise<Question> =>
        someQuestion('q-1', String(id).split('.')[0] ?? ''),
      answer: async (_caller: unknown, id: unknown): Promise<Question> => someQuestion(String(id), 't-11111111'),
      sweep: async () => ({ lost: 0, woken: 0, expired: 0 }),
      renewAll: async () => {},
    }
    const kept = Object.entries(answers).map(([method, answer]) => [
      method,
      async (...args: unknown[]) => {
        this.calls.push([method as Method, ...args])
        if (this.failure !== null) throw this.failure
        return (answer as (...given: unknown[]) => Promise<unknown>)(...args)
      },
    ])
    this.service = Object.fromEntries(kept) as unknown as TaskService
  }

  of(method: Method): unknown[][] {
    return this.calls.filter(([name]) => name === method).map(([, ...args]) => args)
  }

  private task = (id: string, reason: string): Task => someTask(id, { reason })
  private created = (): CreatedTask => ({ task: someTask('t-11111111'), routed: null, isRepeat: false })
  private polled = (): PollAnswer => ({
    assignments: [],
    commands: [],
    lost: [],
    renewed: [],
    leaseMs: 15_000,
    serverInstance: null,
    epoch: null,
    now: '2026-01-01T00:00:00.000Z',
    ...this.polls.shift(),
  })
  private joined = (): JoinAnswer => ({
    agent: {
      id: 'a-1' as never,
      name: 'w',
      kind: 'worker',
      status: 'online',
      host: null,
      capabilities: [],
      clis: null,
      machine: null,
      drainingSince: null,
      restartAskedAt: null,
      concurrency: 1,
      running: 0,
      limitedUntil: null,
      version: null,
      description: null,
      model: null,
      isSpecialist: false,
      createdAt: '2026-01-01T00:00:00.000Z',
      lastSeenAt: null,
    },
    token: 'lwk_new',
    leaseMs: 15_000,
    followedRoots: [],
    epoch: null,
  })
  assignment = (): Assignment => ({
    attemptId: 't-11111111.1' as never,
    generation: 1,
    token: 'lat_1',
    leaseMs: 15_000,
    task: someTask(taskId('t-11111111')),
    conversation: { kind: 'none', reason: 'first' },
    agentCli: null,
  })
}

function someQuestion(id: string, task: string, given: Partial<Question> = {}): Question {
  return {
    id: questionId(id),
    taskId: taskId(task),
    attemptId: attemptId(`${task}.1`),
    toolUseId: null,
    toolName: 'Bash',
    input: { command: 'ls' },
    isCut: false,
    dangers: [],
    alwaysRules: [],
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

function someEpic(id: string, given: Partial<Issue> = {}): Issue {
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

const someAttempt = (task: string, agent: string, given: Partial<Attempt> = {}): Attempt =>
  shownAttemptWith({
    id: attemptId(`${task}.1`),
    taskId: taskId(task),
    agentId: agentId(agent),
    agentName: agent,
    dispatchReason: 'oldest',
    ...given,
  })

const someTask = (id: string, given: Partial<Task> = {}): Task =>
  shownTaskWith({ id: taskId(id), reason: 'created', source: 'api', ...given })
