import { existsSync, mkdirSync, type Stats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { type ErrorCode, toAppError } from '../domain/errors'
import type { JournalRef } from '../domain/harness/harness'
import type { FileOutcome } from '../domain/record/recorder'
import { MINUTE_MS } from '../domain/time-units'
import { packedNow, unpackedSize } from '../util/files/packed-file'
import { hookJournalNumber } from '../util/hook-journal'
import { type Candidate, sortForBackfill } from './backfill-order'
import { type Clock, systemClock } from './clock'
import { FileHeads } from './file-heads'
import { walkFolder } from './folder-walk'
import { FolderWatch } from './folder-watch'
import { removeOldHookJournals, rotateHookJournal } from './hook-rotation'
import { isSameFile, type Snapshot, snapshotOf, statFile } from './journal-file'
import type { BackfillProgress, CollectorOptions, CollectorSource, CollectorStats, KnownFile } from './options'
import { RecordQueue } from './record-queue'

/** Follows the journals of this host's agents and asks the recorder to bring the record up to them. */
export interface Collector {
  /**
   * Begins to follow. Resolves when changes from now on are seen; what is there already is recorded behind it (`ready`).
   * Nothing in the folders makes it fail. Once only.
   */
  start(): Promise<void>
  /** Resolves when every file that was there at the start is recorded, or when the collector is stopped. */
  readonly ready: Promise<void>
  /** Looks at every file now; resolves when all that was there at the call is recorded, or when the collector is stopped. */
  catchUp(): Promise<void>
  /** Gives every file a turn again, behind what is live: the record may have less than it acknowledged. */
  recordAnew(): void
  /** Ends following; resolves when the recordings under way are over. */
  stop(): Promise<void>
  stats(): CollectorStats
}

export function createCollector(options: CollectorOptions): Collector {
  return new FolderCollector(options)
}

/** Errors of the recorder that concern every file: all wait until one recording succeeds again. */
const OUTAGES: readonly ErrorCode[] = [
  'unavailable',
  // The server gave this worker another token, or does not know it any more: its poll joins again.
  'unauthorized',
  'storage_full',
  'storage_readonly',
  'storage_corrupt',
  'schema_mismatch',
]
/** A folder that does not exist is looked for this often; one `stat` each. */
const AWAIT_MS = 1_000
/** Looks at all files are this frequent where the system does not report every change. */
const UNWATCHED_RESCAN_MS = 2_000
/** A change older than this that no notification reported means that notifications can't be relied on, for this long. */
const LATE_MS = 1_000
const DISTRUST_MS = 10 * MINUTE_MS
/** A file found by a scan that was modified before this is old: it waits behind what is live. */
const LIVE_MS = MINUTE_MS
/** Renamed or removed folders are looked into together after this pause. */
const SUBTREE_PAUSE_MS = 20
const MAX_SUBTREES = 1_000
const UNREAD = 'a file could not be read'
const READ_IN_PART = 'only the first lines of a file could be read'
/** Stands for a file that the recorder was asked about, with nothing certain yet. */
const ASKED: Omit<Snapshot, 'scan'> = { size: -1, inode: -1, changedAt: -1, isFresh: true }

class FolderCollector implements Collector {
  readonly ready: Promise<void>
  readonly #options: CollectorOptions
  readonly #clock: Clock
  readonly #rescanMs: number
  readonly #hookFolder: string | null
  readonly #sources: readonly { folder: string; files: CollectorSource['files'] }[]
  readonly #watches: FolderWatch[]
  readonly #queue: RecordQueue
  readonly #files = new Map<string, Snapshot>()
  readonly #heads = new FileHeads()
  readonly #subtrees = new Set<string>()
  /** Sizes of files that the first look found, until each had its turn. */
  readonly #owed = new Map<string, number>()
  #backfill: BackfillProgress | null = null
  readonly #warned = new Set<string>()
  readonly #timers = new Map<string, () => void>()
  readonly #counts = {
    recordings: 0,
    bytesAdded: 0,
    eventsAdded: 0,
    scans: 0,
    lastScanMs: 0,
    lastScanAt: null as number | null,
  }
  /** Number of the scan that was begun last. */
  #scanNumber = 0
  #known: ReadonlyMap<string, KnownFile> = new Map()
  #outage: CollectorStats['outage'] = null
  #runningScan: Promise<void> | null = null
  #nextScan: Promise<void> | null = null
  #isReady = false
  #isStopped = false
  #becomeReady: () => void = () => {}

  constructor(options: CollectorOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#rescanMs = Math.max(options.rescanMs ?? 15_000, 100)
    this.#hookFolder = options.hookJournal === null ? null : resolve(options.hookJournal.folder)
    this.ready = new Promise((done) => {
      this.#becomeReady = done
    })
    this.#sources = options.sources.flatMap(({ files, roots }) =>
      roots.flatMap((root) => files.folders.map((below) => ({ folder: join(resolve(root), below), files }))),
    )
    const folders = this.#sources.map(({ folder }) => folder)
    const watched = new Set(this.#hookFolder === null ? folders : [this.#hookFolder, ...folders])
    this.#watches = [...watched].map((folder) => this.#watch(folder))
    this.#queue = new RecordQueue({
      concurrency: Math.max(options.concurrency ?? 4, 1),
      spacingMs: options.spacingMs ?? 25,
      clock: this.#clock,
      work: (path) => this.#takeTurn(path),
      hasChanged: (path) => this.#hasChanged(path),
      isOutage: (error) => OUTAGES.includes(toAppError(error).code),
      onOutage: (error) => this.#setOutage(error),
      onFailure: (path, error) => {
        const { code, message } = toAppError(error)
        this.#options.log.warn('a file could not be recorded; trying again', { path, code, message })
      },
    })
  }

  async start(): Promise<void> {
    if (this.#hookFolder !== null) this.#makeHookFolder(this.#hookFolder)
    this.#known = await this.#loadKnown()
    const taken = new Set<string>()
    for (const watch of this.#watches) await watch.check(taken)
    if (this.#isStopped) return
    void this.#recordFound()
    this.#repeat('await', AWAIT_MS, () => this.#lookForFolders())
  }

  async catchUp(): Promise<void> {
    await this.#scan()
    await this.#queue.idle()
  }

  recordAnew(): void {
    for (const path of this.#files.keys()) this.#queue.request(path, 'backfill')
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    for (const cancel of this.#timers.values()) cancel()
    this.#timers.clear()
    for (const watch of this.#watches) watch.stop()
    await this.#queue.stop()
    await this.#runningScan
    this.#becomeReady()
  }

  stats(): CollectorStats {
    const now = this.#clock.now()
    return {
      folders: this.#watches.map((watch) => ({
        path: watch.folder,
        state: watch.state(now),
        problem: watch.problem,
      })),
      files: this.#files.size,
      queued: this.#queue.size,
      ...this.#counts,
      outage: this.#outage,
      isReady: this.#isReady,
      backfill: this.#backfill && { ...this.#backfill },
    }
  }

  // What is there already, and what no notification reported.

  async #recordFound(): Promise<void> {
    await this.#scan()
    await this.#queue.backfilled()
    this.#isReady = !this.#isStopped
    this.#becomeReady()
    this.#scanLater()
  }

  #scanLater(): void {
    const now = this.#clock.now()
    const isWatched = this.#watches.every((watch) => ['watched', 'awaited', 'duplicate'].includes(watch.state(now)))
    const { lastScanMs } = this.#counts
    const ms = isWatched
      ? Math.max(this.#rescanMs, lastScanMs * 50)
      : Math.min(this.#rescanMs, Math.max(UNWATCHED_RESCAN_MS, lastScanMs * 20))
    this.#once('scan', ms, () => void this.#scan().then(() => this.#scanLater()))
  }

  /** A complete look that begins after now. Calls that come while one waits share it. Never fails. */
  #scan(): Promise<void> {
    this.#nextScan ??= (this.#runningScan ?? Promise.resolve()).then(() => {
      this.#nextScan = null
      this.#runningScan = this.#lookAtAll()
        .catch((error: unknown) => this.#warnOnce('', error))
        .finally(() => {
          this.#runningScan = null
        })
      return this.#runningScan
    })
    return this.#nextScan
  }

  async #lookAtAll(): Promise<void> {
    if (this.#isStopped) return
    const startedAt = this.#clock.now()
    const scan = ++this.#scanNumber
    const found: Candidate[] = []
    const walked: string[] = []
    const taken = new Set<string>()
    for (const watch of this.#watches) {
      if ((await watch.check(taken)) === 'absent') continue
      const isThere = await this.#walk(watch.folder, (path, stats) => {
        const candidate = this.#compare(path, stats, watch)
        if (candidate !== null) found.push(candidate)
      })
      if (isThere) walked.push(watch.folder + sep)
    }
    if (this.#isStopped) return
    if (scan === 1) this.#oweAll(found)
    this.#offer(found)
    if (scan === 1) this.#expectKnown()
    // A folder that is away may be a disk that is: its files count as gone only when it is back without them.
    for (const [path, file] of this.#files) {
      if (file.scan < scan && walked.some((folder) => path.startsWith(folder))) this.#queue.request(path, 'live')
    }
    await this.#tidyHooks()
    this.#counts.scans++
    this.#counts.lastScanAt = startedAt
    this.#counts.lastScanMs = this.#clock.now() - startedAt
  }

  #walk(folder: string, onFile: (path: string, stats: Stats) => void): Promise<boolean> {
    return walkFolder(folder, {
      isWanted: (path) => this.#refOf(path) !== null,
      onFile: (path, stats) => {
        const journal = this.#refOf(path)?.path
        // Where a file is there plain and packed, the plain one counts.
        if (journal === path || (journal !== undefined && !existsSync(journal))) onFile(journal, stats)
      },
      onUnreadable: (path, error) => this.#warnOnce(path, error),
      isStopped: () => this.#isStopped,
    })
  }

  /** Compares a file that a scan found with what is known of it; `null` = there is nothing to do. */
  #compare(path: string, stats: Stats, watch: FolderWatch): Candidate | null {
    const now = this.#clock.now()
    const ref = this.#refOf(path)
    const file = this.#files.get(path)
    const present = snapshotOf(stats, now, this.#scanNumber)
    if (ref === null) return null
    if (file !== undefined) file.scan = this.#scanNumber
    else if (this.#isRecorded(path, stats)) {
      this.#files.set(path, present)
      return null
    }
    const isWatched = watch.state(now) === 'watched'
    const isChanged = file === undefined || !isSameFile(file, present)
    if (!isChanged && (isWatched || !file.isFresh)) return null
    const isLate = this.#scanNumber > 1 && !this.#queue.has(path) && now - stats.ctimeMs > LATE_MS
    if (isChanged && isLate && isWatched) watch.noteMissed(now + DISTRUST_MS)
    return { path, ref, modifiedAt: stats.mtimeMs, size: stats.size, isChanged }
  }

  #isRecorded(path: string, stats: Stats): boolean {
    const known = this.#known.get(path)
    if (known === undefined || known.inode !== stats.ino || stats.ctimeMs > known.recordedAt) return false
    return known.size === stats.size || known.size === unpackedSize(path)
  }

  #offer(found: Candidate[]): void {
    const now = this.#clock.now()
    const isFirst = this.#counts.scans === 0
    for (const { path, modifiedAt, isChanged } of sortForBackfill(found)) {
      const isLive = !isFirst && isChanged && now - modifiedAt < LIVE_MS
      this.#queue.request(path, isLive ? 'live' : 'backfill')
    }
  }

  #oweAll(found: readonly Candidate[]): void {
    for (const { path, size } of found) this.#owed.set(path, size)
    const bytesTotal = found.reduce((sum, { size }) => sum + size, 0)
    this.#backfill = { filesDone: 0, filesTotal: this.#owed.size, bytesDone: 0, bytesTotal }
  }

  #settle(path: string): void {
    const size = this.#owed.get(path)
    if (size === undefined || this.#backfill === null) return
    this.#owed.delete(path)
    this.#backfill.filesDone++
    this.#backfill.bytesDone += size
  }

  /** Files of the record that the first scan should have found. */
  #expectKnown(): void {
    for (const path of this.#known.keys()) {
      if (!this.#files.has(path) && this.#refOf(path) !== null) this.#files.set(path, { ...ASKED, scan: 0 })
    }
    this.#known = new Map()
  }

  // What the system tells.

  #watch(folder: string): FolderWatch {
    return new FolderWatch({
      folder,
      isWatching: this.#options.isWatching ?? true,
      onChange: (path, isEntry) => this.#onChange(path, isEntry),
      onLost: () => void this.#scan(),
      onProblem: (problem, error) => {
        const { message } = toAppError(error)
        this.#options.log.warn(`a folder ${problem}: it is scanned every few seconds instead`, { folder, message })
      },
    })
  }

  #onChange(path: string, isEntry: boolean): void {
    if (this.#isStopped) return
    const journal = this.#refOf(path)?.path
    if (journal !== undefined) this.#queue.request(journal, 'live')
    else if (isEntry) {
      this.#subtrees.add(path)
      if (!this.#timers.has('subtrees')) this.#once('subtrees', SUBTREE_PAUSE_MS, () => void this.#lookIntoSubtrees())
    }
  }

  /** Something that is no journal came or went: if it is a folder, so did the files in it, and nothing may report those. */
  async #lookIntoSubtrees(): Promise<void> {
    const paths = [...this.#subtrees]
    this.#subtrees.clear()
    if (paths.length > MAX_SUBTREES) return this.#scan()
    const gone = new Set<string>()
    const found: Candidate[] = []
    for (const path of paths) {
      const stats = await lstat(path).catch(() => null)
      if (stats === null) gone.add(path)
      if (!stats?.isDirectory()) continue
      await this.#walk(path, (file, { mtimeMs, size }) => {
        const ref = this.#refOf(file)
        if (ref !== null && !this.#queue.isBusy(file))
          found.push({ path: file, ref, modifiedAt: mtimeMs, size, isChanged: true })
      })
    }
    if (this.#isStopped) return
    this.#offer(found)
    if (gone.size === 0) return
    for (const path of this.#files.keys()) if (isBelow(path, gone)) this.#queue.request(path, 'live')
  }

  async #lookForFolders(): Promise<void> {
    const now = this.#clock.now()
    const awaited = this.#watches.filter((watch) => watch.state(now) === 'awaited')
    for (const watch of awaited) {
      // A folder that turns out to be another one's double is found out by the scan.
      if ((await watch.check(new Set())) === 'new') await this.#scan()
    }
  }

  // One file's turn.

  async #takeTurn(path: string): Promise<void> {
    await this.#record(path)
    this.#settle(path)
  }

  async #record(path: string): Promise<void> {
    const found = this.#find(path)
    if (found === null) return
    const { ref, isUndecided } = found
    const now = this.#clock.now()
    const stats = await statFile(path)
    if (stats === 'unreadable') return
    if (stats === 'missing') return this.#recordGone(ref)
    // Its first line is not whole yet: the rest of it is a change of its own. For a packed file none will come.
    if (isUndecided && packedNow(path) !== null) this.#warnOnce(path, "it can't be unpacked", UNREAD)
    if (isUndecided) return
    if (!this.#files.has(path)) this.#files.set(path, { ...ASKED, scan: this.#scanNumber })
    const outcome = await this.#options.recorder.recordFile(ref)
    this.#count(outcome)
    if (outcome.state === 'missing') {
      if ((await statFile(path)) === 'missing') return this.#recordGone(ref)
      this.#warnOnce(path, outcome.reason, UNREAD)
    } else if (outcome.reason !== undefined) this.#warnOnce(path, outcome.reason, READ_IN_PART)
    // As it looked before the recording: had it changed since, it looks different now.
    this.#files.set(path, snapshotOf(stats, now, this.#scanNumber))
    if (ref.kind === 'hooks') rotateHookJournal(path, stats.size, this.#options.hookJournal?.rotateBytes)
  }

  async #hasChanged(path: string): Promise<boolean> {
    const file = this.#files.get(path)
    const stats = await statFile(path)
    if (typeof stats === 'string') return file !== undefined && stats === 'missing'
    return file === undefined || !isSameFile(file, snapshotOf(stats, this.#clock.now(), 0))
  }

  async #recordGone(ref: JournalRef): Promise<void> {
    if (!this.#files.has(ref.path)) return
    await this.#options.recorder.recordGone(ref)
    this.#files.delete(ref.path)
    this.#heads.forget(ref.path)
  }

  #count(outcome: FileOutcome): void {
    this.#counts.recordings++
    this.#counts.bytesAdded += outcome.bytesAdded
    this.#counts.eventsAdded += outcome.eventsAdded
  }

  #refOf(path: string): JournalRef | null {
    return this.#find(path)?.ref ?? null
  }

  #find(path: string): { ref: JournalRef; isUndecided: boolean } | null {
    const { hookJournal } = this.#options
    if (hookJournal !== null && dirname(path) === this.#hookFolder) {
      if (hookJournalNumber(basename(path)) === null) return null
      const ref: JournalRef = { agent: hookJournal.agent, kind: 'hooks', path, sessionId: null, subagentId: null }
      return { ref, isUndecided: false }
    }
    const own = this.#sources.filter(({ folder }) => path.startsWith(folder + sep))
    // What the record has of other folders may be of any of them.
    for (const { files } of own.length > 0 ? own : this.#sources) {
      const found = this.#heads.find(files, path)
      if (found !== null) return found
    }
    return null
  }

  // The hook journal, trouble, timers.

  #makeHookFolder(folder: string): void {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
    } catch (error) {
      this.#warnOnce(folder, error)
    }
  }

  async #tidyHooks(): Promise<void> {
    const { hookJournal } = this.#options
    if (hookJournal === null || this.#hookFolder === null) return
    const isDone = async (path: string, keepMs: number) => {
      const file = this.#files.get(path)
      const now = this.#clock.now()
      const stats = await statFile(path)
      if (file === undefined || typeof stats === 'string' || this.#queue.isBusy(path)) return false
      return isSameFile(file, snapshotOf(stats, now, 0)) && now - stats.mtimeMs > keepMs
    }
    await removeOldHookJournals(this.#hookFolder, isDone, hookJournal.keepMs)
  }

  async #loadKnown(): Promise<ReadonlyMap<string, KnownFile>> {
    try {
      return (await this.#options.loadKnown?.()) ?? new Map()
    } catch (error) {
      // Only slower: every file is recorded once.
      const { code, message } = toAppError(error)
      this.#options.log.warn('the state of earlier recording could not be read', { code, message })
      return new Map()
    }
  }

  #setOutage(error: unknown | null): void {
    if (error === null) {
      this.#outage = null
      this.#options.log.info('recording continues')
      return
    }
    const { code, message } = toAppError(error)
    this.#outage = { message, since: this.#clock.now() }
    this.#options.log.warn('recording is paused; nothing is lost, and it resumes by itself', { code, message })
  }

  #warnOnce(path: string, error: unknown, words = 'a folder could not be read'): void {
    if (this.#warned.has(path) || this.#warned.size >= MAX_SUBTREES) return
    this.#warned.add(path)
    const message = typeof error === 'string' ? error : toAppError(error).message
    this.#options.log.warn(words, { path, message })
  }

  #once(name: string, ms: number, run: () => void): void {
    if (this.#isStopped) return
    this.#timers.get(name)?.()
    const cancel = this.#clock.after(ms, () => {
      this.#timers.delete(name)
      run()
    })
    this.#timers.set(name, cancel)
  }

  #repeat(name: string, ms: number, run: () => Promise<void>): void {
    this.#once(name, ms, () => void run().then(() => this.#repeat(name, ms, run)))
  }
}

function isBelow(path: string, folders: Set<string>): boolean {
  for (let folder = dirname(path); folder.length > 1; folder = dirname(folder)) if (folders.has(folder)) return true
  return false
}
