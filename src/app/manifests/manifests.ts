import type { ManifestStatus, UntoldRun } from '../../domain/recall/manifest'
import type { Store } from '../../domain/store'
import { DAY_MS, MINUTE_MS } from '../../domain/time-units'
import { claimOf, dueStates, isClaimed, lineKey, manifestLine } from '../../engine/recovery/manifest'
import type { HostIdentity } from '../files/home'
import { ManifestFiles } from './manifest-files'
import { appendToProject, forgetInProjects } from './project-manifest'

/** What began longer ago and was never told is history: an import of old transcripts lists no launches. */
const FRESH_MS = DAY_MS
/** By then every source has said whether a run was in the background. */
const SETTLED_MS = 10 * MINUTE_MS
/** Runs that one round reports; more go in the next round. */
const BATCH = 200

export interface ManifestsOptions {
  home: string
  host: HostIdentity
  store: Store
  /** Milliseconds since the epoch; the clock unless a test gives another. */
  now?: () => number
}

/**
 * Writes the manifests of background work: the process that commits a launch or an end appends its line afterwards. A run is claimed in the
 * database first, so of several processes one writes, and settled after; a process that dies in between leaves its claim, and the
 * next look at it writes the line unless it is there.
 */
export class Manifests {
  private readonly options: ManifestsOptions
  private readonly files: ManifestFiles
  /** Hosts whose files this process records: its own, and those that send theirs. */
  private readonly hosts: Set<string>
  private running: Promise<void> | undefined
  private isAgain = false

  constructor(options: ManifestsOptions) {
    this.options = options
    this.files = new ManifestFiles(options.home)
    this.hosts = new Set([options.host.name])
  }

  /**
   * Writes news to the manifests. Calls while one is under way share the next one.
   *
   * @param host  the host whose record grew; this machine's by default
   * @throws the database's errors, and the system's when the day's file can't be written: a later call then writes the rest
   */
  async settle(host?: string): Promise<void> {
    if (host !== undefined) this.hosts.add(host)
    if (this.running !== undefined) {
      this.isAgain = true
      return await this.running
    }
    this.running = this.rounds().finally(() => {
      this.running = undefined
    })
    return await this.running
  }

  /** What time alone brings: lost runs, claims of dead processes, old files. @param retentionDays  `null` = files are kept for ever */
  async sweep(retentionDays: number | null): Promise<void> {
    const now = this.now()
    await this.settle()
    await this.options.store.write((tx) => tx.manifests.passOver(now - FRESH_MS, now - SETTLED_MS))
    if (retentionDays !== null) this.files.removeOld(retentionDays, now)
  }

  /** Takes a forgotten session's lines out. @throws the system's error */
  forget(session: string): void {
    this.files.forget(session)
    forgetInProjects(this.options.home, session)
  }

  private async rounds(): Promise<void> {
    do {
      this.isAgain = false
      while (await this.round()) {}
    } while (this.isAgain)
  }

  /** @returns whether there may be more */
  private async round(): Promise<boolean> {
    const { store } = this.options
    const now = this.now()
    const runs = await store.manifests.untold([...this.hosts], now - FRESH_MS, BATCH)
    const due = runs
      .filter(({ told }) => !isClaimed(told, now))
      .map((run) => ({ run, states: dueStates(run) }))
      .flatMap(({ run, states }) => {
        const last = states.at(-1)
        return last === undefined ? [] : [{ run, states, last, claim: claimOf(last, now) }]
      })
    if (due.length === 0) return false
    const mine = await store.write(async (tx) => {
      const claimed: typeof due = []
      for (const one of due) if (await tx.manifests.setTold(one.run, one.run.told, one.claim)) claimed.push(one)
      return claimed
    })
    for (const { run, states } of mine) for (const status of states) this.tell(run, status, now)
    await store.write(async (tx) => {
      for (const { run, last, claim } of mine) await tx.manifests.setTold(run, claim, last)
    })
    return mine.length > 0 && runs.length >= BATCH
  }

  private tell(run: UntoldRun, status: ManifestStatus, now: number): void {
    const line = manifestLine(run, status, now)
    const claimed = Number(run.told?.split('@')[1])
    // A rebuild reports runs again, and so does a claim whose process died.
    const days = [now, now - FRESH_MS, ...(Number.isSafeInteger(claimed) ? [claimed] : [])]
    if (this.files.has(lineKey(line), days)) return
    this.files.append(line, now)
    const { home, host } = this.options
    if (run.host.name === host.name && run.cwd !== null) appendToProject(run.cwd, line, home)
  }

  private now(): number {
    return this.options.now?.() ?? Date.now()
  }
}
