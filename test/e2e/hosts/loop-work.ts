/** Tasks at random, and messages to them: what a loop has done while it hurts what does it. */
import { listAll } from '../../../src/api/client/list-all'
import { isAppError } from '../../../src/domain/errors'
import { FINAL_TASK_STATUSES, type Task } from '../../../src/domain/task/task'
import type { SeededRandom } from '../../lab/seeded-random'
import { until } from '../../lab/until'
import type { LoopFleet } from './loop-fleet'

/** A task of the loop with the word that its text holds, and no other text does. */
export interface LoopTask {
  id: string
  word: string
  parent: LoopTask | null
}

/** A message that somebody sent to a task that was not over a moment before. */
export interface LoopMessage {
  id: string
  to: string
}

/** How long the servers may all be away, in milliseconds. */
const AWAY_MS = 180_000
/** How long the last tasks may take once nothing is hurt any more, in milliseconds. */
const END_MS = 300_000

const isOver = (status: string): boolean => (FINAL_TASK_STATUSES as readonly string[]).includes(status)

export class LoopWork {
  readonly tasks: LoopTask[] = []
  readonly messages: LoopMessage[] = []
  readonly #fleet: LoopFleet
  readonly #random: SeededRandom
  readonly #atOnce: number
  readonly #tell: (text: string) => void

  /** @param atOnce  tasks that have not ended yet are kept at this number */
  constructor(fleet: LoopFleet, random: SeededRandom, atOnce: number, tell: (text: string) => void) {
    this.#fleet = fleet
    this.#random = random
    this.#atOnce = atOnce
    this.#tell = tell
  }

  /** Makes tasks until there are enough: alone, after another, in its conversation, or both. Then says something to one of them, often. */
  async step(): Promise<void> {
    const known = await this.#all()
    const status = new Map(known.map((task) => [task.id as string, task.status]))
    const open = known.filter((task) => !isOver(task.status))
    for (let count = open.length; count < this.#atOnce; count++) await this.#create(status)
    // To one that runs, waits, or was just given to a worker.
    if (open.length > 0 && this.#random.below(3) > 0) await this.#say(this.#random.of(open).id)
  }

  /** Waits until all is done and read. */
  async end(): Promise<void> {
    await until(
      'all tasks to end',
      async () => (await this.#all()).every((task) => isOver(task.status)) && (await this.#areRead()),
      END_MS,
    )
  }

  #all(): Promise<Pick<Task, 'id' | 'status'>[]> {
    return this.#surely(() => Array.fromAsync(listAll(this.#fleet.client.tasks.list, { limit: 200 }, 'tasks')))
  }

  async #create(status: ReadonlyMap<string, string>): Promise<void> {
    const random = this.#random
    const word = `WORD${this.tasks.length}X${random.below(1e9).toString(36)}`
    const parent = this.tasks.length > 0 && random.below(3) > 0 ? random.of(this.tasks) : null
    const before = this.tasks.length > 1 && random.below(4) === 0 ? random.of(this.tasks) : null
    // One that is at work is waited for; what nobody has begun has no conversation yet.
    const stands = status.get(parent?.id ?? '') ?? ''
    const isBegun = stands === 'in_progress' || isOver(stands)
    const dependsOn = [before, isBegun ? null : parent].flatMap((task) => (task === null ? [] : [task.id]))
    const input = {
      ...this.#fleet.taskFields,
      task: `Tick for ${word}`,
      priority: random.below(101),
      retryPolicy: { maximumAttempts: 1_000, initialIntervalMs: 20, maximumIntervalMs: 200 },
      ...(parent === null ? {} : { parentTaskId: parent.id }),
      dependsOn: [...new Set(dependsOn)],
    }
    const idempotencyKey = crypto.randomUUID()
    const { task } = await this.#surely(() => this.#fleet.client.tasks.create(input, { idempotencyKey }))
    this.tasks.push({ id: task.id, word, parent })
    const child = parent === null ? '' : `, child of ${parent.id}`
    this.#tell(`made ${task.id}${child}, after ${dependsOn.join(' and ') || 'nothing'}`)
  }

  async #say(to: string): Promise<void> {
    const input = { to, text: `Mind the gap ${this.messages.length}` }
    const idempotencyKey = crypto.randomUUID()
    const { message } = await this.#surely(() => this.#fleet.client.messages.send(input, { idempotencyKey }))
    this.messages.push({ id: message.id, to })
    this.#tell(`said ${message.id} to ${to}`)
  }

  async #areRead(): Promise<boolean> {
    for (const { id } of this.messages) {
      const { message, steps } = await this.#surely(() => this.#fleet.client.messages.get(id))
      // It came after the end of its task, and waits.
      const isLate = steps.every(({ status }) => status === 'produced')
      if (message.status !== 'consumed' && !isLate) return false
    }
    return true
  }

  /** Again and again while no server answers: what is sent again has its key. */
  async #surely<T>(ask: () => Promise<T>): Promise<T> {
    const answer = await until(
      'a server to answer',
      async () => {
        try {
          return [await ask()] as const
        } catch (error) {
          if (isAppError(error) && error.code !== 'unavailable') throw error
          this.#tell(`  no answer: ${error instanceof Error ? error.message : error}`)
          return undefined
        }
      },
      AWAY_MS,
    )
    return answer[0]
  }
}
