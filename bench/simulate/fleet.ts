/**
 * A fleet that is not there, dispatched by the real service over a real database: machines, their runs and the people who make tasks are
 * numbers, and time is a number that goes on from second to second.
 */

import type { AgentId, AttemptId, TaskId } from '../../src/domain/ids'
import type { Store } from '../../src/domain/store'
import { NO_LIMITS } from '../../src/domain/task/placement/placement'
import { SPAWN_LIMITS } from '../../src/domain/task/task'
import type { Assignment, Caller } from '../../src/domain/task/worker-protocol'
import { createTaskService } from '../../src/engine/tasks/task-service'
import { Random } from '../common/random'

export interface SimulationOptions {
  store: Store
  machines: number
  /** Runs that one machine has at once. */
  agents: number
  /** The first one wants as much as all others together. */
  users: number
  seconds: number
  /** What all want, as a part of what the fleet can do. Above 1 the queue grows. */
  load: number
  seed: number
  /** Part of the machines that vanish in the course of it, with what they run. */
  lost: number
}

export interface Simulated {
  created: number
  completed: number
  queued: number
  /** Attempts that a vanished machine had, and that began again elsewhere. */
  lostRuns: number
  /** Seconds from a task's making until it began, of the users who want less than their part, and of the first. */
  waits: { modest: Spread; greedy: Spread }
  /** For each user the part of its tasks that began; the first wants more than its part. */
  begun: number[]
  /** How long polls took that gave tasks, in milliseconds of real time. */
  claimMs: Spread
  /** Polls that found nothing, for each that found a task. */
  emptyPolls: number
  feedEntries: { perTask: number; perSecond: number }
  /** Most runs of a machine at once. */
  mostAtOnce: number
  rssMb: number
  realSeconds: number
}

interface Spread {
  p50: number
  p99: number
  max: number
}

/** Seconds that a run takes, at least and at most. */
const RUN_SECONDS = [60, 900] as const
const LEASE_SECONDS = 300
/** A machine that has nothing to say polls this often. */
const BEAT_SECONDS = 100

interface Machine {
  id: AgentId
  caller: Caller
  bootId: string
  held: Map<AttemptId, { given: Assignment; endsAt: number }>
  isGone: boolean
  /** It heard in this second that there is nothing for it. */
  isDry: boolean
}

export async function simulate(options: SimulationOptions): Promise<Simulated> {
  return await new Simulation(options).run()
}

class Simulation {
  readonly #options: SimulationOptions
  readonly #random: Random
  readonly #service
  readonly #machines: Machine[] = []
  readonly #made = new Map<TaskId, { user: number; at: number; begunAt: number | null }>()
  readonly #claims: number[] = []
  #now = Date.parse('2026-01-01T00:00:00Z')
  #completed = 0
  #lost = 0
  #polls = { full: 0, empty: 0 }
  #mostAtOnce = 0

  constructor(options: SimulationOptions) {
    this.#options = options
    this.#random = new Random(options.seed)
    this.#service = createTaskService({
      store: options.store,
      hasFolder: true,
      now: () => this.#now,
      lease: { ms: LEASE_SECONDS * 1_000, serverInstance: null },
      spawnLimits: { ...SPAWN_LIMITS, running: NO_LIMITS },
    })
  }

  async run(): Promise<Simulated> {
    const began = performance.now()
    const { machines, agents, seconds, load, users, store } = this.#options
    const feedBefore = await store.feed.head()
    for (let n = 0; n < machines; n++) await this.#join(n)
    const mean = (RUN_SECONDS[0] + RUN_SECONDS[1]) / 2
    const perSecond = (load * machines * agents) / mean
    // The fleet is full from the beginning.
    for (let n = 0; n < load * machines * agents; n++) await this.#make()
    let due = 0
    for (let second = 0; second < seconds; second++) {
      this.#now += 1_000
      for (due += perSecond; due >= 1; due--) await this.#make()
      await this.#endRuns()
      await this.#vanish(second)
      if (second % 5 === 0) await this.#service.sweep()
      await this.#beat(second)
      await this.#fill()
    }
    const begun = Array.from({ length: users }, (_, user) => partBegun([...this.#made.values()], user))
    const feed = (await store.feed.head()) - feedBefore
    return {
      created: this.#made.size,
      completed: this.#completed,
      queued: [...this.#made.values()].filter(({ begunAt }) => begunAt === null).length,
      lostRuns: this.#lost,
      waits: { modest: this.#waits((user) => user > 0), greedy: this.#waits((user) => user === 0) },
      begun,
      claimMs: spread(this.#claims),
      emptyPolls: round(this.#polls.empty / Math.max(1, this.#polls.full)),
      feedEntries: { perTask: round(feed / this.#made.size), perSecond: round(feed / seconds) },
      mostAtOnce: this.#mostAtOnce,
      rssMb: Math.round(process.memoryUsage().rss / 1e6),
      realSeconds: round((performance.now() - began) / 1_000),
    }
  }

  async #join(n: number): Promise<void> {
    const { agents } = this.#options
    const bootId = `boot-${n}`
    const { agent } = await this.#service.join(OPERATOR, {
      name: `machine-${this.#options.seed}-${n}`,
      kind: 'worker',
      capabilities: [],
      concurrency: agents,
      hostname: `host-${n}`,
      hostName: `host-${this.#options.seed}-${n}`,
      // Every tenth is large and has a GPU.
      machine: { ...SMALL, ...(n % 10 === 0 && LARGE) },
      bootId,
      isFormerGone: false,
      version: '1',
    })
    const caller: Caller = { kind: 'agent', agentId: agent.id, agentKind: 'worker' }
    this.#machines.push({ id: agent.id, caller, bootId, held: new Map(), isGone: false, isDry: false })
  }

  async #make(): Promise<void> {
    const user = this.#random.chance(0.5) ? 0 : 1 + this.#random.below(this.#options.users - 1)
    const caller = { kind: 'operator', user: { key: user, name: `user-${user}` } } as unknown as Caller
    const needs = this.#random.chance(0.05) ? [this.#random.pick(['gpus>=1', 'cores>=32'])] : []
    const { task } = await this.#service.create(
      caller,
      { task: 'x', requiredCapabilities: needs, repository: `https://host/${user}-${this.#random.below(3)}.git` },
      null,
    )
    this.#made.set(task.id, { user, at: this.#now, begunAt: null })
  }

  async #endRuns(): Promise<void> {
    for (const machine of this.#machines) {
      if (machine.isGone) continue
      for (const [id, { endsAt }] of machine.held) {
        if (endsAt > this.#now) continue
        await this.#service.report(machine.caller, id, { ended: COMPLETED })
        machine.held.delete(id)
        this.#completed++
      }
    }
  }

  async #vanish(second: number): Promise<void> {
    const { machines, lost, seconds } = this.#options
    const gone = this.#machines.filter(({ isGone }) => isGone).length
    // In the first half, so that what they had ends within the time.
    if (
      gone >= Math.round(machines * lost) ||
      second > seconds / 2 ||
      !this.#random.chance((4 * machines * lost) / seconds)
    )
      return
    const machine = this.#random.pick(this.#machines)
    this.#lost += machine.isGone ? 0 : machine.held.size
    machine.isGone = true
    machine.held.clear()
  }

  /** Those whose turn it is renew their leases. */
  async #beat(second: number): Promise<void> {
    for (let n = second % BEAT_SECONDS; n < this.#machines.length; n += BEAT_SECONDS) {
      const machine = this.#machines[n]
      if (machine !== undefined && !machine.isGone) await this.#poll(machine, 0)
    }
  }

  /** Machines with room ask, in any order, until those that are left find nothing. */
  async #fill(): Promise<void> {
    for (const machine of this.#machines) machine.isDry = false
    let emptyInARow = 0
    for (;;) {
      const free = this.#machines.filter((one) => !one.isGone && !one.isDry && one.held.size < this.#options.agents)
      if (free.length === 0 || emptyInARow > 20) return
      const machine = this.#random.pick(free)
      const began = performance.now()
      const count = await this.#poll(machine, this.#options.agents - machine.held.size)
      this.#claims.push(performance.now() - began)
      if (count === 0) {
        machine.isDry = true
        emptyInARow++
        this.#polls.empty++
      } else {
        emptyInARow = 0
        this.#polls.full++
      }
    }
  }

  async #poll(machine: Machine, capacity: number): Promise<number> {
    const attempts = [...machine.held].map(([id, { given }]) => ({ id, generation: given.generation }))
    const input = { bootId: machine.bootId, capacity, attempts, waitMs: 0 }
    const answer = await this.#service.poll(machine.caller, machine.id, input)
    for (const lost of answer.lost) machine.held.delete(lost)
    for (const given of answer.assignments) {
      const [least, most] = RUN_SECONDS
      const endsAt = this.#now + Math.round((least + this.#random.next() * (most - least)) * 1_000)
      machine.held.set(given.attemptId, { given, endsAt })
      const made = this.#made.get(given.task.id)
      if (made !== undefined) made.begunAt ??= this.#now
    }
    this.#mostAtOnce = Math.max(this.#mostAtOnce, machine.held.size)
    return answer.assignments.length
  }

  #waits(isOne: (user: number) => boolean): Spread {
    const some = [...this.#made.values()].filter(({ user }) => isOne(user))
    return spread(some.map(({ at, begunAt }) => ((begunAt ?? this.#now) - at) / 1_000))
  }
}

const OPERATOR: Caller = { kind: 'operator' }
const SMALL = {
  platform: 'linux',
  arch: 'x64',
  cores: 8,
  memoryBytes: 32 * 2 ** 30,
  gpus: [] as string[],
  repositories: [],
}
const LARGE = { cores: 64, gpus: ['GPU'] }
const COMPLETED = {
  outcome: 'completed',
  failureClass: null,
  reason: '',
  resetAt: null,
  output: null,
  exitCode: 0,
  signal: null,
  numTurns: 1,
  costUsd: null,
  usage: null,
} as const

function partBegun(made: readonly { user: number; begunAt: number | null }[], user: number): number {
  const own = made.filter((one) => one.user === user)
  return own.length === 0 ? 1 : round(own.filter(({ begunAt }) => begunAt !== null).length / own.length)
}

function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (part: number): number => round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0)
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

const round = (value: number): number => Math.round(value * 100) / 100
