import { zstdCompressSync } from 'bun'
import type { Config } from '../config/load'
import type { SessionId, SubagentId } from '../domain/ids'
import type { FileOutcome, Recorder } from '../domain/recorder'
import type { ShellProcess } from '../domain/shell'
import type { Store, WriteTx } from '../domain/store'
import type { TodoFoldOptions } from '../domain/todo-step'
import { FileRecorder } from '../engine/record/file-recorder'
import { rebuild } from '../engine/record/rebuild'
import { claudeCode } from '../harness/claude-code'
import { type ProjectPlace, projectOf } from '../util/git-project'
import type { HostIdentity } from './home'
import { removeKept } from './kept-files'
import { Manifests } from './manifests'
import { lookAtShells, MOST_SHELLS } from './shell-processes'

/** What a look at a CLI's process gave. */
export interface SeenProcess {
  sessionId: string
  /** The machine that looked; this one unless told. */
  host?: HostIdentity
  id: number
  started: string | null
  state: 'alive' | 'gone'
  /** Milliseconds since the epoch. */
  at: number
}

export interface RebuildTotals {
  incarnations: number
  bytes: number
  events: number
}

/** Everything that writes the record. Runs in this thread (`createRecordEngine`) or behind threads (`RecordPool`). */
export interface RecordEngine extends Recorder {
  setProcesses(seen: SeenProcess[]): Promise<void>
  /** Looks at the processes of background shells whose CLI tells nothing of them any longer. */
  lookAtShells(): Promise<void>
  setShells(seen: ShellProcess[]): Promise<void>
  /** Removes the session for good and scrubs the database files. `false` = no such session. */
  forget(id: SessionId): Promise<boolean>
  rebuild(onProgress?: (done: RebuildTotals) => void): Promise<RebuildTotals>
  /** Notes that somebody read what a run of a sub-agent answered. @returns whether that is new; `null` = no such run */
  markRead(session: SessionId, subagent: SubagentId, run: number, by: string): Promise<boolean | null>
  /** Tells the manifests what time alone brings, and removes old ones (`null` = none). Nothing where no manifests are kept. */
  sweepManifests(retentionDays: number | null): Promise<void>
  /** Writes the log of the embedded database back into its file, when nobody is in the way. */
  checkpoint(): Promise<void>
  close(): Promise<void>
}

/** A store with the upkeep of its own kind. */
export type KeptStore = Store & { maintain(task: 'checkpoint' | 'scrub'): Promise<void> }

/**
 * zstd level 3: 9:1 on transcripts at about 500 MB/s on one core (facts/toolchain). Level 1 saves little time for 12 % more bytes.
 */
const ZSTD_LEVEL = 3

export interface RecordEngineOptions {
  /** Lodeline's folder, where launches in the background are to be listed; without it they are not. */
  manifestHome?: string
  /** How lists of to-dos are folded. Default `TODO_FOLD_DEFAULTS`. */
  todos?: TodoFoldOptions
}

/** What the settings say of folding to-dos. */
export const todoFoldOf = ({ todos }: Pick<Config, 'todos'>): TodoFoldOptions => ({
  maxItems: todos.maxPerSession,
  onReplace: todos.onReplace,
})

/** @param home  where files that repeat journals are kept: they are forgotten with them; `null` = there are none */
export function createRecordEngine(
  store: KeptStore,
  host: HostIdentity,
  home: string | null = null,
  { manifestHome, todos }: RecordEngineOptions = {},
): RecordEngine {
  const manifests = manifestHome === undefined ? null : new Manifests({ home: manifestHome, host, store })
  const settleManifests = async (of: string): Promise<void> => {
    // The record is kept already: a manifest that can't be written now is written with the next change, or by the sweep.
    await manifests?.settle(of).catch(() => {})
  }
  const look = async (over: readonly string[] = []): Promise<ShellProcess[]> =>
    lookAtShells(await store.shells.open(host.name, Date.now(), MOST_SHELLS, over), Date.now())
  const writeShells = async (tx: WriteTx, seen: readonly ShellProcess[]): Promise<void> => {
    if (seen.length === 0) return
    const hostKey = await tx.record.host(host.name, host.hostname)
    for (const shell of seen) {
      const session = await tx.record.session('claude-code', shell.sessionId, hostKey)
      if (!session) continue
      await tx.sessions.setShell(session.key, shell)
      await tx.appendFeed('subagent.updated', { key: session.key, id: shell.sessionId }, { ids: [shell.task] })
    }
  }
  const setShells = async (seen: readonly ShellProcess[]): Promise<void> => {
    if (seen.length === 0) return
    await store.write((tx) => writeShells(tx, seen))
    await settleManifests(host.name)
  }
  const places = new Map<string, ProjectPlace>()
  const place = (cwd: string): ProjectPlace => {
    const known = places.get(cwd)
    if (known) return known
    // Folders move rarely; a bounded memory forgets all at once rather than keep an order.
    if (places.size > 1_000) places.clear()
    const found = projectOf(cwd)
    places.set(cwd, found)
    return found
  }
  const harnessOf = () => claudeCode
  const recorder = new FileRecorder({
    store,
    harnessOf,
    host,
    compress: (bytes) => zstdCompressSync(bytes as Uint8Array<ArrayBuffer>, { level: ZSTD_LEVEL }),
    projectOf: place,
    ...(todos && { todos }),
  })
  return {
    async recordFile(ref, origin): Promise<FileOutcome> {
      const outcome = await recorder.recordFile(ref, origin)
      if (outcome.bytesAdded > 0 && manifests !== null) {
        // No manifest says that a shell is lost before its process was looked at.
        await setShells(await look()).catch(() => {})
        await settleManifests(origin?.host.name ?? host.name)
      }
      return outcome
    },
    recordGone: (ref, origin) => recorder.recordGone(ref, origin),
    async setProcesses(seen) {
      const gone = seen.flatMap(({ sessionId, state }) => (state === 'gone' ? sessionId : []))
      const shells = gone.length === 0 ? [] : await look(gone)
      await store.write(async (tx) => {
        await writeShells(tx, shells)
        for (const { sessionId, host: on = host, id, started, state, at } of seen) {
          const hostKey = await tx.record.host(on.name, on.hostname)
          const session = await tx.record.session('claude-code', sessionId, hostKey)
          if (!session) continue
          if (!(await tx.sessions.setProcess(session.key, hostKey, { id, started, state, at }))) continue
          await tx.appendFeed('session.updated', { key: session.key, id: sessionId as SessionId })
        }
      })
      await settleManifests(host.name)
    },
    lookAtShells: async () => await setShells(await look()),
    setShells,
    async forget(id) {
      const session = await store.sessions.find(id)
      if (!session) return false
      if (home !== null)
        removeKept(
          home,
          (await store.journals.listBySession(id)).map(({ path }) => path),
        )
      await store.write(async (tx) => {
        await tx.sessions.forget(session.key, todos)
        await tx.appendFeed('session.forgotten', { key: session.key, id })
      })
      recorder.reset()
      await store.maintain('scrub')
      manifests?.forget(id)
      return true
    },
    async rebuild(onProgress) {
      const done = await rebuild({
        store,
        harnessOf,
        host,
        projectOf: place,
        ...(todos && { todos }),
        ...(onProgress ? { onProgress } : {}),
      })
      recorder.reset()
      await setShells(await look())
      await settleManifests(host.name)
      return done
    },
    async markRead(id, subagent, run, by) {
      const session = await store.sessions.find(id)
      if (!session) return null
      return await store.write(async (tx) => {
        const isNew = await tx.sessions.markRead(session.key, subagent, run, by)
        if (isNew === true) await tx.appendFeed('subagent.updated', { key: session.key, id }, { ids: [subagent] })
        return isNew
      })
    },
    async sweepManifests(retentionDays) {
      if (manifests === null) return
      await setShells(await look())
      await manifests.sweep(retentionDays)
    },
    checkpoint: () => store.maintain('checkpoint'),
    close: () => store.close(),
  }
}
