import { lstat, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { HarnessPresence, HeldSession, PresenceFile, PresenceFiles } from '../domain/harness/harness-live'
import { type SessionId, sessionId } from '../domain/ids'
import { MINUTE_MS } from '../domain/time-units'
import { type Clock, systemClock } from './clock'
import { FolderWatch } from './folder-watch'
import { type ProcessStart, type ProcessTable, systemProcesses } from './process-table'

/** What changed about the process that holds a session. */
export interface PresenceChange {
  sessionId: SessionId
  pid: number
  /** The process's start as the system counts it; `null` when only a dead process's file is left, and does not say. */
  procStart: string | null
  /** `gone`: no process of this host holds the session any longer. */
  state: 'alive' | 'gone'
  /** What the CLI says it is doing; `null` = it does not say. */
  status: 'busy' | 'idle' | null
  /** It was reported before, and the record has it otherwise now, or may have: what is gone may have been heard of since. */
  isAgain: boolean
  /** Milliseconds: when this was seen. */
  at: number
}

export interface PresenceSource {
  presence: HarnessPresence
  /** Configuration folders, as for the collector. */
  roots: readonly string[]
}

export interface PresenceOptions {
  /** What each agent CLI reports of its processes, in its own folders. */
  sources: readonly PresenceSource[]
  /** Called for each change, one after another. If it fails, the next look reports the same again. */
  onPresence(change: PresenceChange): void | Promise<void>
  /**
   * Sessions of this host whose process is alive as the record has it. Asked at the start and now and then: what has no process now is
   * reported as `gone`, and what is alive and not among them is reported again, as is what went within the last minute.
   */
  loadAlive?: () => Promise<Iterable<{ sessionId: string; pid: number; started: string | null }>>
  /** Milliseconds between two looks (default 2,000): a killed process tells nobody. */
  intervalMs?: number
  processes?: ProcessTable
  clock?: Clock
}

/** Follows which sessions have a living process. Looks only: it signals nothing and writes nothing. */
export interface Presence {
  /** Looks once, then keeps looking. Never fails. */
  start(): Promise<void>
  /** Looks now; resolves when all changes were reported. */
  check(): Promise<void>
  /** Resolves when the look under way is over. */
  stop(): Promise<void>
}

export function createPresence(options: PresenceOptions): Presence {
  return new FilePresence(options)
}

const DEFAULT_INTERVAL_MS = 2_000
const SECOND_LOOK_MS = 50
/** How often what we see is compared with what the record has: somebody else may have written it. */
const COMPARE_MS = 10_000
/** So long after its end a killed process may still be heard of: hooks that it had started speak for themselves. */
const AFTERMATH_MS = MINUTE_MS
/** The CLI writes its file some time after its process began, and clocks are exact to a second: a later start is another process. */
const START_SLACK_MS = 5_000
/** More files than any machine has CLIs; the rest of a flooded folder is not read. */
const MAX_FILES = 5_000

interface Held extends Omit<PresenceChange, 'at' | 'isAgain'> {
  startedAt: number
  /** Where its file is; empty = it was alive when we last ran. */
  folder: string
  /** Milliseconds: when it was first told that the process is gone; `null` = it is not, or that was not told. */
  goneAt: number | null
}

class FilePresence implements Presence {
  readonly #options: PresenceOptions
  readonly #clock: Clock
  readonly #processes: ProcessTable
  readonly #watches: { watch: FolderWatch; root: string; presence: HarnessPresence }[]
  /** The last report, by session. `gone` is kept while a file of the dead process lies about, so that it is reported once. */
  readonly #told = new Map<string, Held>()
  /** Files as read last, by path; `stamp` changes when they do. */
  readonly #files = new Map<string, { stamp: string; content: PresenceFile | null }>()
  #domain: string | null = null
  /** Sessions that are alive here and not so in the record. */
  readonly #again = new Set<string>()
  /** Milliseconds; `null` = never. */
  #comparedAt: number | null = null
  #running: Promise<void> | null = null
  #next: Promise<void> | null = null
  #cancelTimer: () => void = () => {}
  #cancelSecondLook: (() => void) | null = null
  #isStopped = false

  constructor(options: PresenceOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#processes = options.processes ?? systemProcesses
    const folders = new Map(
      options.sources.flatMap(({ presence, roots }) =>
        roots.map((root) => [join(resolve(root), presence.folder), { root: resolve(root), presence }] as const),
      ),
    )
    this.#watches = [...folders].map(([folder, of]) => ({
      ...of,
      watch: new FolderWatch({
        folder,
        isWatching: of.presence.by === 'files' || of.presence.isWatched,
        onChange: () => this.#lookTwice(),
        onLost: () => this.#lookTwice(),
        // Looking every few seconds is enough.
        onProblem: () => {},
      }),
    }))
  }

  async start(): Promise<void> {
    this.#domain = await this.#processes.findDomain()
    await this.check()
    this.#lookLater()
  }

  check(): Promise<void> {
    this.#next ??= (this.#running ?? Promise.resolve()).then(() => {
      this.#next = null
      this.#running = this.#lookOnce().finally(() => {
        this.#running = null
      })
      return this.#running
    })
    return this.#next
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancelTimer()
    this.#cancelSecondLook?.()
    for (const { watch } of this.#watches) watch.stop()
    await this.#running
  }

  /** Now, and a little later: of changes that follow one another closely the system may tell only the first. */
  #lookTwice(): void {
    if (this.#isStopped) return
    void this.check()
    this.#cancelSecondLook ??= this.#clock.after(SECOND_LOOK_MS, () => {
      this.#cancelSecondLook = null
      void this.check()
    })
  }

  #lookLater(): void {
    if (this.#isStopped) return
    this.#cancelTimer = this.#clock.after(this.#options.intervalMs ?? DEFAULT_INTERVAL_MS, () => {
      void this.check().then(() => this.#lookLater())
    })
  }

  async #lookOnce(): Promise<void> {
    if (this.#isStopped) return
    await this.#compare()
    const alive = new Map<string, Held>()
    const dead = new Map<string, Held>()
    const folders = await this.#readAll(alive, dead)
    for (const held of alive.values()) await this.#tell(held)
    for (const [id, held] of dead) if (!alive.has(id)) await this.#tell(held)
    for (const [id, held] of [...this.#told]) {
      if (alive.has(id) || dead.has(id)) continue
      // Its file is gone: the CLI has left the session. A folder that can't be read says nothing; then the process does.
      if (held.state === 'alive' && (folders.has(held.folder) || !(await this.#isRunning(held))))
        await this.#tell({ ...held, state: 'gone', status: null })
      if (this.#told.get(id)?.state === 'gone') this.#told.delete(id)
    }
  }

  /** What the record has otherwise than reported is reported again, and what it has alive is looked at. */
  async #compare(): Promise<void> {
    const now = this.#clock.now()
    if (this.#options.loadAlive === undefined || (this.#comparedAt !== null && now - this.#comparedAt < COMPARE_MS))
      return
    try {
      const recorded = new Set<string>()
      for (const { sessionId: id, pid, started } of await this.#options.loadAlive()) {
        recorded.add(id)
        const reported = this.#told.get(id)
        if (reported?.state === 'alive' && reported.pid === pid) continue
        const held = { sessionId: sessionId(id), pid, procStart: started, state: 'alive', status: null } as const
        this.#told.set(id, { ...held, startedAt: 0, folder: '', goneAt: null })
      }
      for (const [id, { state, goneAt }] of this.#told)
        if (state === 'alive' ? !recorded.has(id) : now - (goneAt ?? 0) < AFTERMATH_MS) this.#again.add(id)
      this.#comparedAt = now
    } catch {
      // Those sessions keep the state they had until the next look.
    }
  }

  /** Sorts all files by whether their process lives. @returns the folders that could be read. */
  async #readAll(alive: Map<string, Held>, dead: Map<string, Held>): Promise<Set<string>> {
    const seen = new Set<string>()
    const taken = new Set<string>()
    const folders = new Set<string>()
    for (const { watch, root, presence } of this.#watches) {
      const { folder } = watch
      if ((await watch.check(taken)) === 'absent') continue
      if (presence.by === 'look') {
        const held = presence.look(root)
        if (held === null) continue
        folders.add(folder)
        for (const each of held.slice(0, MAX_FILES)) await this.#sort(fileOf(each), folder, alive, dead)
        continue
      }
      const names = await readdir(folder).catch(() => null)
      if (names === null) continue
      folders.add(folder)
      for (const name of names.slice(0, MAX_FILES)) {
        const pid = presence.pidOf(name)
        if (pid === null) continue
        const path = join(folder, name)
        seen.add(path)
        const file = await this.#read(presence, path, pid)
        if (file !== null && this.#isOurs(file)) await this.#sort(file, folder, alive, dead)
      }
    }
    for (const path of this.#files.keys()) if (!seen.has(path)) this.#files.delete(path)
    return folders
  }

  /** Reads a file that changed. One that is half written counts as it was before. */
  async #read(presence: PresenceFiles, path: string, pid: number): Promise<PresenceFile | null> {
    const stats = await lstat(path).catch(() => null)
    const before = this.#files.get(path)
    if (stats === null) return null
    const stamp = `${stats.ino}:${stats.size}:${stats.ctimeMs}`
    if (before?.stamp === stamp && before.content !== null) return before.content
    const content = (await presence.read(path, pid)) ?? before?.content ?? null
    this.#files.set(path, { stamp, content })
    return content
  }

  /** Pids of another machine or container mean nothing here. Without a word about it they count as ours. */
  #isOurs(file: PresenceFile): boolean {
    return file.pidDomain === null || this.#domain === null || file.pidDomain.endsWith(this.#domain)
  }

  async #sort(file: PresenceFile, folder: string, alive: Map<string, Held>, dead: Map<string, Held>): Promise<void> {
    const start = await this.#processes.findStart(file.pid)
    const isAlive = start !== null && isProcessOf(file, start)
    const held: Held = {
      sessionId: sessionId(file.sessionId),
      pid: file.pid,
      procStart: isAlive ? start.text : file.procStart,
      state: isAlive ? 'alive' : 'gone',
      status: isAlive ? file.status : null,
      startedAt: file.startedAt ?? 0,
      folder,
      goneAt: null,
    }
    // Two processes may hold one session: the later one stands for both.
    const into = isAlive ? alive : dead
    const other = into.get(file.sessionId)
    if (other === undefined || other.startedAt <= held.startedAt) into.set(file.sessionId, held)
  }

  async #isRunning({ pid, procStart }: Held): Promise<boolean> {
    const start = await this.#processes.findStart(pid)
    return start !== null && (procStart === null || procStart === start.text)
  }

  async #tell(held: Held): Promise<void> {
    const reported = this.#told.get(held.sessionId)
    const isSame = reported?.pid === held.pid && reported.state === held.state && reported.status === held.status
    const isAgain = this.#again.has(held.sessionId)
    if (this.#isStopped || (isSame && reported.procStart === held.procStart && !isAgain)) return
    const { startedAt: _startedAt, folder: _folder, goneAt: _goneAt, ...change } = held
    const at = this.#clock.now()
    const goneAt = held.state === 'gone' ? ((isSame ? reported.goneAt : null) ?? at) : null
    try {
      await this.#options.onPresence({ ...change, isAgain: isSame && isAgain, at })
      this.#again.delete(held.sessionId)
      this.#told.set(held.sessionId, { ...held, goneAt })
    } catch {
      // Reported again at the next check; the failed part has logged why.
    }
  }
}

/** What a look found, as a file that says no more would. */
const fileOf = ({ pid, sessionId: id }: HeldSession): PresenceFile => ({
  pid,
  sessionId: id,
  procStart: null,
  pidDomain: null,
  startedAt: null,
  status: null,
})

/** Whether the process with the file's pid is the one that wrote it, and not a later one that was given the same number. */
export function isProcessOf(file: PresenceFile, start: ProcessStart): boolean {
  if (file.procStart !== null && file.procStart === start.text) return true
  // On Linux both count ticks, so another number is another process; elsewhere the words may differ.
  if (file.procStart !== null && /^\d+$/.test(file.procStart) && /^\d+$/.test(start.text)) return false
  return start.at === null || file.startedAt === null || start.at <= file.startedAt + START_SLACK_MS
}
