/** Short words for what tests do with tasks again and again. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../../src/api/client'
import type { Inputs } from '../../src/api/contract/operations'
import { type Attempt, FINAL_TASK_STATUSES, type Task, type TaskLogLine } from '../../src/domain/task/task'
import type { Claude } from './claude'
import { requestsOf, type Shown, shownIn } from './shown-conversation'
import { until } from './until'

type More = Omit<Inputs['tasks']['create'], 'task'>

export class TaskWords {
  readonly #client: () => Client
  readonly #claude: Claude | undefined
  readonly #own: More

  /** @param own  what a new task has beside the defaults */
  constructor(client: () => Client, claude: Claude | undefined, own: More = {}) {
    this.#client = client
    this.#claude = claude
    this.#own = own
  }

  async create(task: string, more: More = {}): Promise<Task> {
    return (await this.#client().tasks.create({ task, ...this.#own, ...more })).task
  }

  async get(id: string): Promise<Task> {
    return (await this.#client().tasks.get(id)).task
  }

  async attempts(id: string): Promise<Attempt[]> {
    return (await this.#client().tasks.get(id)).attempts
  }

  async newest(id: string): Promise<Attempt> {
    const attempt = (await this.attempts(id)).at(-1)
    if (attempt === undefined) throw new Error(`${id} has no attempt`)
    return attempt
  }

  async log(id: string): Promise<TaskLogLine[]> {
    return (await this.#client().tasks.log(id, { limit: 1_000 })).lines
  }

  /** The worker's own lines of a task's log. */
  async words(id: string): Promise<string[]> {
    return (await this.log(id)).filter(({ kind }) => kind === 'run').map(({ text }) => text)
  }

  /** Waits for a status without a live attempt. @throws Error with the log when the task ends in another way */
  async reached(id: string, status: Task['status']): Promise<Task> {
    let seen = ''
    const look = async (): Promise<Task | undefined> => {
      const { task, attempts } = await this.#client().tasks.get(id)
      seen = `${task.status} (${task.reason})`
      if (attempts.some(({ isLive }) => isLive)) return undefined
      if (task.status === status) return task
      if (!(FINAL_TASK_STATUSES as readonly string[]).includes(task.status)) return undefined
      throw new Error(`${id} is not ${status}`)
    }
    try {
      return await until(`${id} to be ${status}`, look)
    } catch (error) {
      // What led there is worth more than the place where it was waited for.
      const lines = (await this.log(id)).map(
        ({ at, attempt, kind, text }) => `${at} ${attempt ?? '-'} ${kind}: ${text}`,
      )
      const what = error instanceof Error ? error.message : String(error)
      throw new Error(`${what}; it was ${seen}\n${lines.join('\n')}`, { cause: error })
    }
  }

  /** Waits until a process works on the task; gives its attempt. */
  async running(id: string, number = 1): Promise<Attempt> {
    return until(`attempt ${number} of ${id}`, async () => {
      const attempt = (await this.attempts(id)).at(-1)
      return attempt?.isLive && attempt.number >= number && attempt.process !== null ? attempt : undefined
    })
  }

  /** What the model was shown in the first request of an attempt. */
  async shown(id: string, number = 1): Promise<Shown> {
    const { task, attempts } = await this.#client().tasks.get(id)
    const attempt = attempts.find((each) => each.number === number)
    const next = attempts.find((each) => each.number === number + 1)
    const first = attempt && requestsOf(attempt, next, this.#cli.requests())[0]
    if (first === undefined) throw new Error(`the model was asked nothing in attempt ${number} of ${id}`)
    return shownIn(first, task.task)
  }

  /** Bytes that the slow work of a task has written. */
  beats(id: string, folder = this.#cli.project): number {
    return statSync(join(folder, `beats-${id}`), { throwIfNoEntry: false })?.size ?? 0
  }

  /** Starts a task that works slowly and waits until it is in its tool call. */
  async slowly(text: string, more: More = {}): Promise<{ id: string; attempt: Attempt }> {
    const { id } = await this.create(text, more)
    const attempt = await this.running(id)
    await until(`the tool call of ${id}`, () => this.beats(id, attempt.cwd ?? undefined) > 0)
    return { id, attempt: (await this.attempts(id)).at(-1) ?? attempt }
  }

  /** Pauses a task and waits until its run is over. */
  async pause(id: string): Promise<void> {
    await this.#client().tasks.pause(id)
    await this.reached(id, 'paused')
  }

  /** Resumes a task and waits until it has completed; gives its newest attempt. */
  async resume(id: string): Promise<Attempt> {
    await this.#client().tasks.resume(id)
    await this.reached(id, 'completed')
    return this.newest(id)
  }

  get #cli(): Claude {
    if (this.#claude === undefined) throw new Error('the lab has no CLI')
    return this.#claude
  }
}
