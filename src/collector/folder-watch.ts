import { type FSWatcher, watch } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode, isAbsence } from './journal-file'
import type { FolderState } from './options'

export interface FolderWatchOptions {
  folder: string
  /** `false` = only tell whether the folder is there. */
  isWatching: boolean
  /** Something changed at this path. `isEntry`: it came, went or was renamed; else its content changed. */
  onChange(path: string, isEntry: boolean): void
  /** The folder itself went, or the system lost count of what changed. */
  onLost(): void
  /** Watching does not work as it should; told once for each cause. */
  onProblem(problem: string, error: unknown): void
}

/**
 * The system's notifications for one folder and all below. It may not exist, vanish and come back; notifications may be
 * unavailable or incomplete. The caller must also scan the files now and then: `state` says how often that is needed.
 */
export class FolderWatch {
  readonly #options: FolderWatchOptions
  #watcher: FSWatcher | null = null
  /** Device and inode of the folder that is there, e.g. `2049:77`; `null` = none. */
  #identity: string | null = null
  #problem: string | null = null
  #missedUntil = 0
  #isDuplicate = false
  #isStopped = false

  constructor(options: FolderWatchOptions) {
    this.#options = options
  }

  get folder(): string {
    return this.#options.folder
  }

  get problem(): string | null {
    return this.#problem
  }

  /** @param now  milliseconds since the epoch */
  state(now: number): FolderState {
    if (this.#isDuplicate) return 'duplicate'
    if (this.#identity === null) return 'awaited'
    if (this.#watcher === null) return 'unwatched'
    return this.#problem !== null || now < this.#missedUntil ? 'partial' : 'watched'
  }

  /** A change was found that the system has not reported: it counts as `partial` until `until`. */
  noteMissed(until: number): void {
    this.#missedUntil = until
  }

  /**
   * Sees whether the folder is (still) the one that is watched, and watches the one that is there.
   * @param taken  real paths that other watches follow; this one's is added
   * @returns `absent` = not there, or followed by another watch; `new` = not the one of the last check
   */
  async check(taken: Set<string>): Promise<'absent' | 'same' | 'new'> {
    const found = await this.#find()
    if (this.#isStopped) return 'absent'
    this.#isDuplicate = found !== null && taken.has(found.realPath)
    const identity = found === null || this.#isDuplicate ? null : found.identity
    if (found !== null) taken.add(found.realPath)
    const isNew = identity !== this.#identity
    if (isNew) {
      this.#unwatch()
      this.#identity = identity
      if (identity !== null) this.#problem = null
    }
    if (identity === null) return 'absent'
    if (this.#watcher === null && this.#options.isWatching) this.#watch()
    return isNew ? 'new' : 'same'
  }

  stop(): void {
    this.#isStopped = true
    this.#unwatch()
  }

  async #find(): Promise<{ identity: string; realPath: string } | null> {
    try {
      const stats = await stat(this.folder)
      if (!stats.isDirectory()) return null
      return { identity: `${stats.dev}:${stats.ino}`, realPath: await realpath(this.folder) }
    } catch (error) {
      if (!isAbsence(error)) this.#report(`can't be opened (${errorCode(error) ?? 'unknown error'})`, error)
      return null
    }
  }

  #watch(): void {
    try {
      const watcher = watch(this.folder, { recursive: true }, (event, name) => {
        // No name: the folder itself is gone, or the system lost count.
        if (typeof name === 'string' && name !== '') this.#options.onChange(join(this.folder, name), event === 'rename')
        else this.#options.onLost()
      })
      watcher.on('error', (error) => this.#report('is watched only partly', error))
      this.#watcher = watcher
    } catch (error) {
      this.#report("can't be watched", error)
    }
  }

  #report(problem: string, error: unknown): void {
    if (this.#problem === problem || this.#isStopped) return
    this.#problem = problem
    this.#options.onProblem(problem, error)
  }

  #unwatch(): void {
    this.#watcher?.close()
    this.#watcher = null
  }
}
