import { appendFileSync, closeSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../domain/errors'
import type { AttemptId, TaskId } from '../../domain/ids'
import { WORK_COPY_LIMITS, type WorkCopy } from '../../domain/task/work-copy'
import { MINUTE_MS } from '../../domain/time-units'
import { Backoff, pause } from '../link/backoff'
import type { WorkerClient } from '../options'
import { isPassing } from '../output/spool-uploader'
import { type TakenCopy, WorkCopyTaker } from './take-work-copy'
import type { Worktree } from './worktree'

/** So long a copy is sent again, in milliseconds. */
const AGAIN_MS = 10 * MINUTE_MS

interface Options {
  worktree: Worktree
  attemptId: AttemptId
  hostName: string
  /** A folder of the attempt's own. */
  folder: string
  asWorker<T>(work: (client: WorkerClient) => Promise<T>): Promise<T>
  log(text: string): void
}

/** Keeps the state of an attempt's worktree at the server, turn by turn. Nothing waits for it but the attempt's end. */
export class WorkCopies {
  readonly #options: Options
  readonly #taker: WorkCopyTaker
  #last: Promise<void> = Promise.resolve()
  #isWanted = false

  constructor(options: Options) {
    this.#options = options
    this.#taker = new WorkCopyTaker(options.worktree, options.folder)
  }

  /** Begins to keep the state of now. Resolves when the server has it, or can't get it, which the log says. */
  keep(): Promise<void> {
    // One that waits for its turn takes the state of then.
    if (!this.#isWanted) {
      this.#isWanted = true
      this.#last = this.#last.then(() => {
        this.#isWanted = false
        return this.#keep()
      })
    }
    return this.#last
  }

  /** Resolves when nothing is on its way any more. Never fails. */
  get settled(): Promise<void> {
    return this.#last
  }

  close(): void {
    void this.#last.then(() => this.#taker.close())
  }

  async #keep(): Promise<void> {
    try {
      const taken = await this.#taker.take()
      if (taken === null) return
      await this.#sendUntilKept(taken).finally(() => rmSync(taken.file, { force: true }))
      this.#taker.kept(taken)
    } catch (error) {
      this.#options.log(`the files of the worktree are not kept at the server: ${(error as Error).message}`)
    }
  }

  /** A server that is away, at the attempt's end above all, may be back soon. */
  async #sendUntilKept(taken: TakenCopy): Promise<void> {
    const until = performance.now() + AGAIN_MS
    const backoff = new Backoff(500, 10_000)
    for (;;) {
      try {
        return await this.#send(taken)
      } catch (error) {
        if (!isPassing(error) || performance.now() > until) throw error
        await pause(backoff.next())
      }
    }
  }

  async #send({ file, state: _, ...copy }: TakenCopy): Promise<void> {
    const { asWorker, attemptId, hostName, worktree } = this.#options
    const { remote } = worktree
    if (remote === null) return
    const opened = openSync(file, 'r')
    try {
      const buffer = new Uint8Array(WORK_COPY_LIMITS.partBytes)
      for (let offset = 0; offset < copy.size; ) {
        const bytes = buffer.subarray(0, readSync(opened, buffer, 0, buffer.length, offset))
        const query = { ...copy, remote, hostName, offset }
        const kept = (await asWorker((client) => client.attempts.keepWorkCopy(attemptId, query, bytes))).offset
        if (kept === offset) throw new AppError('internal', `the server kept nothing beyond ${offset} bytes`)
        offset = kept
      }
    } finally {
      closeSync(opened)
    }
  }
}

/** Brings a copy's bundle from the server into a folder. @returns the file */
export async function fetchBundle(
  client: Pick<WorkerClient, 'tasks'>,
  task: TaskId,
  { commit, size }: WorkCopy,
  folder: string,
): Promise<string> {
  const file = join(folder, `${commit}.bundle`)
  writeFileSync(file, '', { mode: 0o600 })
  for (let offset = 0; offset < size; ) {
    const { bytes, commit: given } = await client.tasks.workCopyPart(task, { offset })
    if (given !== commit || bytes.length === 0)
      throw new AppError('conflict', 'A newer copy of the worktree took the place of this one.', { hint: 'Try again.' })
    appendFileSync(file, bytes)
    offset += bytes.length
  }
  return file
}
