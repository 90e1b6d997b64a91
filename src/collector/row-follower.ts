import { type FSWatcher, watch } from 'node:fs'
import { toAppError } from '../domain/errors'
import type { RowJournals } from '../domain/harness/harness-database'
import type { CollectorLog } from './options'

/** A database of an agent CLI, whose rows become journals. */
export interface RowSource {
  /** Its path, for people. */
  name: string
  journals: RowJournals
}

/** Milliseconds between two looks while no change is reported: they cost two calls of the system each. */
const IDLE_MS = 2_000
/** Milliseconds between two looks: as many times longer as a look took, within these bounds. */
const SPACING_MS = { least: 5, most: 100 }
const LOOK_SHARE = 1
/** Milliseconds after a look that failed. */
const FAILED_MS = 5_000

/**
 * Looks at databases whenever their files change, so that their journals grow. The collector follows the journals like all others. It never
 * fails: a database that can't be read is tried again.
 */
export class RowFollower {
  readonly #log: CollectorLog
  readonly #sources: readonly Followed[]
  #isStopped = false

  constructor(sources: readonly RowSource[], log: CollectorLog) {
    this.#log = log
    this.#sources = sources.map((source) => ({ source, watcher: null, timer: null, dueAt: 0, look: null, told: null }))
  }

  /** Looks at all of them once, and goes on. */
  start(): void {
    for (const followed of this.#sources) this.#schedule(followed, 0)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    for (const followed of this.#sources) {
      followed.watcher?.close()
      if (followed.timer !== null) clearTimeout(followed.timer)
    }
    await Promise.all(this.#sources.map(({ look }) => look))
    for (const { source } of this.#sources) source.journals.close()
  }

  /** Brings the earliest time of the next look forward. */
  #schedule(followed: Followed, ms: number): void {
    if (this.#isStopped) return
    const dueAt = performance.now() + ms
    if (followed.timer !== null) {
      if (followed.dueAt <= dueAt) return
      clearTimeout(followed.timer)
    }
    followed.dueAt = dueAt
    followed.timer = setTimeout(() => {
      followed.timer = null
      followed.look ??= this.#look(followed).finally(() => {
        followed.look = null
      })
    }, ms)
  }

  async #look(followed: Followed): Promise<void> {
    const { journals } = followed.source
    this.#watch(followed)
    const began = performance.now()
    followed.changedAt = null
    let nextMs = IDLE_MS
    try {
      const { againInMs, problem } = await journals.look()
      nextMs = Math.min(againInMs ?? IDLE_MS, IDLE_MS)
      this.#tell(followed, problem)
    } catch (error) {
      nextMs = FAILED_MS
      this.#tell(followed, toAppError(error).message)
    }
    const took = performance.now() - began
    followed.restUntil = performance.now() + Math.min(SPACING_MS.most, Math.max(SPACING_MS.least, took * LOOK_SHARE))
    const isChanged = followed.changedAt !== null
    this.#schedule(followed, Math.max(isChanged ? 0 : nextMs, followed.restUntil - performance.now()))
  }

  /** Databases may come later, and folders go; a watch that can't be had costs time only. */
  #watch(followed: Followed): void {
    if (followed.watcher !== null || this.#isStopped) return
    try {
      const watcher = watch(followed.source.journals.watched, () => {
        followed.changedAt = performance.now()
        // A look that runs takes its time after it.
        if (followed.look === null) this.#schedule(followed, Math.max(0, (followed.restUntil ?? 0) - performance.now()))
      })
      watcher.on('error', () => {
        watcher.close()
        followed.watcher = null
      })
      followed.watcher = watcher
    } catch {
      // It is not there yet.
    }
  }

  #tell(followed: Followed, problem: string | null): void {
    if (followed.told === problem) return
    followed.told = problem
    const { name } = followed.source
    if (problem === null) this.#log.info('a database is read again', { path: name })
    else this.#log.warn('a database can not be read as a whole', { path: name, problem })
  }
}

interface Followed {
  source: RowSource
  watcher: FSWatcher | null
  timer: ReturnType<typeof setTimeout> | null
  dueAt: number
  look: Promise<void> | null
  told: string | null
  /** When a change was reported during the look. */
  changedAt?: number | null
  restUntil?: number
}
