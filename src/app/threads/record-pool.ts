import type { AuditActor } from '../../domain/audit'
import type { JournalRef } from '../../domain/harness/harness'
import type { SessionId, SubagentId } from '../../domain/ids'
import type { FileOrigin, FileOutcome } from '../../domain/record/recorder'
import type { SecretSettings } from '../../domain/secrets/mask'
import type { ShellProcess } from '../../domain/session/shell'
import type { TodoFoldOptions } from '../../domain/todo/todo-step'
import type { Sealed } from '../../engine/packs/seal-packs'
import type { ErasedSecret } from '../../engine/secrets/erase'
import type { SecretScan } from '../../engine/secrets/scan'
import type { ForgottenBeside } from '../../engine/services'
import { threadUrl } from '../../util/thread-url'
import type { HostIdentity } from '../files/home'
import type { RebuildTotals, RecordEngine, SeenProcess } from './record-engine'
import { ThreadClient } from './thread-call'

export interface RecordPoolOptions {
  home: string
  /** The setting; default: files of `home`. */
  blobs?: string | null
  host: HostIdentity
  /** Memory of `createWriteGate`, shared by all threads of this process that write. */
  gate: SharedArrayBuffer
  /** Memory of `UnitTimes`; default: it is noted nowhere how long units took. */
  unitTimes?: SharedArrayBuffer
  /** Whether launches in the background are listed; default: not. */
  hasManifests?: boolean
  /** How lists of to-dos are folded. Default `TODO_FOLD_DEFAULTS`. */
  todos?: TodoFoldOptions
  /** What counts as a secret. Default `DEFAULT_SECRETS`. */
  secrets?: SecretSettings
  /** Whether search finds what tools gave out. Default: it does. */
  indexesOutput?: boolean
  /** Threads when there is much to do; one stays for good. Default 2: one more than that gains nothing on two cores. */
  threads?: number
  /** Told when a thread died; the next call starts another. */
  onDeath?(reason: string): void
}

/** Open requests at one thread from which a second one is worth its memory. */
const BUSY_REQUESTS = 4
/** A helper thread with nothing to do is ended after this. */
const IDLE_MS = 5_000

/**
 * The record engine behind threads of this process: the main loop stays free for requests while files are read, compressed
 * and committed. One thread follows live files; a second one joins while there is a backlog.
 */
export class RecordPool implements RecordEngine {
  private readonly options: RecordPoolOptions
  private readonly threads: (Promise<ThreadClient> | undefined)[] = []
  private readonly clients: (ThreadClient | undefined)[] = []
  /** Where the bytes lie → thread that recorded them last and knows their cursor. */
  private readonly homes = new Map<string, number>()
  private idle: ReturnType<typeof setTimeout> | undefined
  private isClosed = false

  constructor(options: RecordPoolOptions) {
    this.options = options
  }

  async recordFile(ref: JournalRef, origin?: FileOrigin): Promise<FileOutcome> {
    const path = origin?.at ?? ref.path
    const at = this.choose(path)
    this.homes.set(path, at)
    const client = await this.thread(at)
    try {
      return await client.call<FileOutcome>('recordFile', [ref, origin])
    } finally {
      this.restSoon()
    }
  }

  async recordGone(ref: JournalRef, origin?: FileOrigin): Promise<void> {
    const path = origin?.at ?? ref.path
    const at = this.homes.get(path) ?? 0
    this.homes.delete(path)
    await (await this.thread(this.clients[at] ? at : 0)).call('recordGone', [ref, origin])
  }

  async setProcesses(seen: SeenProcess[]): Promise<void> {
    await (await this.thread(0)).call('setProcesses', [seen])
  }

  async checkShells(): Promise<boolean> {
    return await (await this.thread(0)).call<boolean>('checkShells', [])
  }

  async setShells(seen: ShellProcess[]): Promise<void> {
    await (await this.thread(0)).call('setShells', [seen])
  }

  async forget(id: SessionId, by?: AuditActor): Promise<ForgottenBeside | null> {
    return await (await this.thread(0)).call<ForgottenBeside | null>('forget', [id, by])
  }

  async rebuild(onProgress?: (done: RebuildTotals) => void): Promise<RebuildTotals> {
    const first = await this.thread(0)
    return await first.call<RebuildTotals>('rebuild', [], (value) => onProgress?.(value as RebuildTotals))
  }

  async scanSecrets(): Promise<SecretScan> {
    return await (await this.thread(0)).call<SecretScan>('scanSecrets', [])
  }

  async eraseSecret(id: string, by: AuditActor): Promise<ErasedSecret> {
    return await (await this.thread(0)).call<ErasedSecret>('eraseSecret', [id, by])
  }

  async markRead(session: SessionId, subagent: SubagentId, run: number, by: string): Promise<boolean | null> {
    return await (await this.thread(0)).call<boolean | null>('markRead', [session, subagent, run, by])
  }

  async foldUsage(): Promise<void> {
    await (await this.thread(0)).call('foldUsage', [])
  }

  async recountCosts(): Promise<void> {
    await (await this.thread(0)).call('recountCosts', [])
  }

  async sweepManifests(retentionDays: number | null): Promise<void> {
    await (await this.thread(0)).call('sweepManifests', [retentionDays])
  }

  async checkpoint(): Promise<void> {
    await (await this.thread(0)).call('checkpoint', [])
  }

  async sealPacks(): Promise<Sealed | null> {
    return await (await this.thread(0)).call<Sealed | null>('sealPacks', [])
  }

  async close(): Promise<void> {
    this.isClosed = true
    clearTimeout(this.idle)
    for (const thread of this.threads) await (await thread?.catch(() => undefined))?.end()
  }

  /** The thread that knows the file, else the least busy one, else a new one while all are busy. */
  private choose(path: string): number {
    const known = this.homes.get(path)
    if (known !== undefined && this.clients[known] !== undefined) return known
    const most = this.options.threads ?? 2
    let best = 0
    for (let at = 0; at < most; at++) {
      const client = this.clients[at]
      if (client === undefined) {
        const isFirst = at === 0
        if (isFirst || (this.clients[best]?.pending ?? 0) >= BUSY_REQUESTS) return at
        continue
      }
      if (client.pending < (this.clients[best]?.pending ?? 0)) best = at
    }
    return best
  }

  private thread(at: number): Promise<ThreadClient> {
    const running = this.threads[at]
    if (running) return running
    const {
      home,
      blobs = null,
      host,
      gate,
      unitTimes,
      hasManifests = false,
      todos,
      secrets,
      indexesOutput,
      onDeath,
    } = this.options
    const client = new ThreadClient(threadUrl('app/threads/record-thread'), (reason) => {
      this.drop(at)
      if (!this.isClosed) onDeath?.(reason)
    })
    this.clients[at] = client
    const start = { home, blobs, host, gate, unitTimes, hasManifests, todos, secrets, indexesOutput }
    const opened = client.call('open', [start]).then(
      () => client,
      async (error: unknown) => {
        this.drop(at)
        await client.end().catch(() => {})
        throw error
      },
    )
    this.threads[at] = opened
    return opened
  }

  private drop(at: number): void {
    this.threads[at] = undefined
    this.clients[at] = undefined
  }

  /** Ends helper threads once nothing was asked of them for a while. */
  private restSoon(): void {
    if (this.clients.length < 2 || this.isClosed) return
    clearTimeout(this.idle)
    this.idle = setTimeout(() => {
      for (let at = 1; at < this.clients.length; at++) {
        const client = this.clients[at]
        if (!client || client.pending > 0) continue
        this.drop(at)
        client.end().catch(() => {})
      }
    }, IDLE_MS)
    this.idle.unref?.()
  }
}
