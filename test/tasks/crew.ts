import type { AgentId, AttemptId, TaskId } from '../../src/domain/ids'
import type { Store } from '../../src/domain/store'
import type { PlacementLimits } from '../../src/domain/task/placement/placement'
import { type Attempt, type Rung, SPAWN_LIMITS, type Task } from '../../src/domain/task/task'
import type {
  Assignment,
  AttemptEnd,
  Caller,
  JoinInput,
  PollAnswer,
  PollInput,
} from '../../src/domain/task/worker-protocol'
import type { CreatedTask, CreateTask } from '../../src/engine/tasks/task-inputs'
import type { TaskService } from '../../src/engine/tasks/task-service'
import { createTaskService } from '../../src/engine/tasks/task-service'
import type { LeaseSettings } from '../../src/engine/unit/unit'

export const OPERATOR: Caller = { kind: 'operator' }

/** A service over a store with a clock that the test turns, and short words for what tests do again and again. */
export class Crew {
  readonly store: Store
  readonly service: TaskService
  /** What every task that it makes asks for and only its own workers can do: tests of one database leave each other alone. */
  readonly word = `crew-${crypto.randomUUID()}`
  now = Date.parse('2026-01-01T00:00:00Z')
  private boots = 0

  constructor(store: Store, options: { now?: number; lease?: LeaseSettings; limits?: PlacementLimits } = {}) {
    this.store = store
    this.now = options.now ?? this.now
    this.service = createTaskService({
      hasFolder: true,
      store,
      lease: options.lease,
      spawnLimits: { ...SPAWN_LIMITS, running: options.limits },
      now: () => this.now,
      followedRoots: () => ({ hostName: 'host-1', roots: ['/home/me/.claude'] }),
    })
  }

  async create(input: Partial<CreateTask> = {}, caller: Caller = OPERATOR): Promise<Task> {
    return (await this.make(input, null, caller)).task
  }

  make(input: Partial<CreateTask>, key: string | null = null, caller: Caller = OPERATOR): Promise<CreatedTask> {
    const requiredCapabilities = [this.word, ...(input.requiredCapabilities ?? [])]
    return this.service.create(caller, { task: 'do it', ...input, requiredCapabilities }, key)
  }

  /** Joins a worker; a new process each time, of which the former is gone. */
  async worker(name: string, more: Partial<JoinInput> = {}): Promise<Member> {
    const bootId = more.bootId ?? `boot-${++this.boots}`
    const { agent, token } = await this.service.join(OPERATOR, {
      name,
      kind: 'worker',
      concurrency: 10,
      hostname: 'box',
      hostName: 'host-1',
      isFormerGone: true,
      version: '1.0.0',
      ...more,
      capabilities: [this.word, ...(more.capabilities ?? [])],
      bootId,
    })
    return new Member(this, agent.id, name, bootId, agent.kind, token)
  }

  task(id: TaskId): Promise<Task> {
    return this.store.tasks.find(id).then((task) => task ?? fail(`no task ${id}`))
  }

  async attempts(id: TaskId): Promise<Attempt[]> {
    return await this.store.tasks.attempts(id)
  }

  /** Reasons in the task's log, oldest first. */
  async moves(id: TaskId): Promise<string[]> {
    const lines = await this.store.tasks.log(id, 0, 1_000)
    return lines.filter(({ kind }) => kind === 'move').map(({ text }) => text)
  }

  /** Time goes by with a server that looks after it each second. */
  async pass(ms: number): Promise<void> {
    const end = this.now + ms
    while (this.now < end) {
      this.now = Math.min(end, this.now + 1_000)
      await this.service.sweep()
    }
  }
}

/** One agent, and its process. */
export class Member {
  readonly crew: Crew
  readonly id: AgentId
  readonly name: string
  readonly bootId: string
  readonly token: string
  readonly caller: Caller
  /** What it lists with each poll. */
  readonly held = new Map<AttemptId, Assignment>()

  constructor(crew: Crew, id: AgentId, name: string, bootId: string, agentKind: 'lead' | 'worker', token: string) {
    this.crew = crew
    this.id = id
    this.name = name
    this.bootId = bootId
    this.token = token
    this.caller = { kind: 'agent', agentId: id, agentKind }
  }

  /** Polls, and lists from then on what it was given and did not lose. */
  async poll(more: Partial<PollInput> = {}): Promise<PollAnswer> {
    const attempts = [...this.held.values()].map(({ attemptId, generation }) => ({ id: attemptId, generation }))
    const input = { bootId: this.bootId, capacity: 0, attempts, waitMs: 0, ...more }
    const answer = await this.crew.service.poll(this.caller, this.id, input)
    for (const given of answer.assignments) this.held.set(given.attemptId, given)
    for (const lost of answer.lost) this.held.delete(lost)
    return answer
  }

  /** What it is given when it can begin one. */
  async take(): Promise<Assignment> {
    const { assignments } = await this.poll({ capacity: 1 })
    return assignments[0] ?? fail(`${this.name} was given nothing`)
  }

  async end(given: Assignment, outcome: AttemptEnd['outcome'], more: Partial<AttemptEnd> = {}): Promise<Attempt> {
    const ended = { ...NOTHING, outcome, ...more }
    const attempt = await this.crew.service.report(this.caller, given.attemptId, { ended })
    this.held.delete(given.attemptId)
    return attempt
  }

  /** Tells the conversation that a run is in. */
  async converse(given: Assignment, rung: Rung = 'fresh', sessionId: string = crypto.randomUUID()): Promise<string> {
    const conversation = {
      rung,
      sessionId: sessionId as never,
      resumedSessionId: null,
      forked: false,
      forkPoint: null,
      whyNot: [],
    }
    await this.crew.service.report(this.caller, given.attemptId, { conversation })
    return sessionId
  }
}

/** The caller with the attempt's token. */
export const callerOf = (given: Assignment, by: { id: AgentId }): Caller => ({
  kind: 'attempt',
  attemptId: given.attemptId,
  taskId: given.task.id,
  agentId: by.id,
  generation: given.generation,
})

const NOTHING: AttemptEnd = {
  outcome: 'completed',
  failureClass: null,
  reason: 'said so',
  resetAt: null,
  output: null,
  exitCode: 0,
  signal: null,
  numTurns: null,
  costUsd: null,
  usage: null,
}

export function fail(why: string): never {
  throw new Error(why)
}

/** The error that a call ends with. */
export async function refused(
  call: Promise<unknown>,
): Promise<{ code: string; message: string; hint?: string; details?: Record<string, unknown> }> {
  try {
    await call
  } catch (thrown) {
    return thrown as { code: string; message: string }
  }
  return fail('it was not refused')
}
