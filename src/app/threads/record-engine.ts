import { zstdCompressSync } from 'bun'
import type { Config } from '../../config/load'
import type { AuditActor } from '../../domain/audit'
import type { BlobStore } from '../../domain/blob-store'
import { pricesInUse } from '../../domain/cost/price'
import type { AgentName, SessionId, SubagentId } from '../../domain/ids'
import type { FileOutcome, Recorder } from '../../domain/record/recorder'
import { DEFAULT_SECRETS, type SecretSettings, secretMask } from '../../domain/secrets/mask'
import type { ShellProcess } from '../../domain/session/shell'
import type { Store, WriteTx } from '../../domain/store'
import type { TodoFoldOptions } from '../../domain/todo/todo-step'
import { actorOf, addLine } from '../../engine/audit/record-act'
import { type Sealed, sealPacks } from '../../engine/packs/seal-packs'
import { FileRecorder } from '../../engine/record/file-recorder'
import { rebuild } from '../../engine/record/rebuild'
import { type ErasedSecret, eraseSecret } from '../../engine/secrets/erase'
import { type SecretScan, scanSecrets } from '../../engine/secrets/scan'
import type { ForgottenBeside } from '../../engine/services'
import { SYSTEM } from '../../engine/unit/unit'
import { defaultHarness } from '../../harness/registry'
import { type ProjectPlace, projectOf } from '../../util/git/git-project'
import { blankHookJournals, removeHandoffs, removeRuns } from '../files/forget-files'
import type { HostIdentity } from '../files/home'
import { removeKept } from '../files/kept-files'
import { overwriteFiles } from '../files/overwrite-files'
import { forgetRows } from '../files/rows-folder'
import { Manifests } from '../manifests/manifests'
import { checkShells, MAX_SHELLS } from '../processes/shell-processes'
import { Readers } from './readers'

/** What a look at a CLI's process gave. */
export interface SeenProcess {
  sessionId: string
  /** The machine that looked; this one by default. */
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
  /** Looks at the processes of background shells whose CLI tells nothing of them any longer. Returns whether there are any. */
  checkShells(): Promise<boolean>
  setShells(seen: ShellProcess[]): Promise<void>
  /**
   * Removes the session for good, from the database and from this machine's files of Lodeline. `null` = no such session.
   *
   * @param by  for the audit log; default the program itself, as for what is too old
   */
  forget(id: SessionId, by?: AuditActor): Promise<ForgottenBeside | null>
  rebuild(onProgress?: (done: RebuildTotals) => void): Promise<RebuildTotals>
  /** Looks for secrets in what was recorded before. */
  scanSecrets(): Promise<SecretScan>
  /** Takes a secret out of the database and of this machine's files of Lodeline. */
  eraseSecret(id: string, by: AuditActor): Promise<ErasedSecret>
  /** Notes that somebody read what a run of a sub-agent answered. @returns whether that is new; `null` = no such run */
  markRead(session: SessionId, subagent: SubagentId, run: number, by: string): Promise<boolean | null>
  /** Counts what sessions cost anew, where that was done by other prices. */
  recountCosts(): Promise<void>
  /** Puts together what was added to the sums of usage. */
  foldUsage(): Promise<void>
  /** Tells the manifests what time alone brings, and removes old ones (`null` = none). Nothing where no manifests are kept. */
  sweepManifests(retentionDays: number | null): Promise<void>
  /** Moves what changes no more into packs. `null` = others do it, or there is no place that all servers reach. */
  sealPacks(): Promise<Sealed | null>
  /** Writes the log of the embedded database back into its file, when nobody is in the way. */
  checkpoint(): Promise<void>
  close(): Promise<void>
}

/** The agent CLI of each of these sessions. One that is not recorded yet counts as the first CLI's. */
async function agentsOf(
  store: Pick<Store, 'sessions'>,
  of: readonly { sessionId: string }[],
): Promise<(session: string) => AgentName> {
  const agents = new Map<string, AgentName>()
  for (const id of new Set(of.map(({ sessionId }) => sessionId)))
    agents.set(id, (await store.sessions.find(id as SessionId))?.agent ?? defaultHarness().name)
  return (session) => agents.get(session) ?? defaultHarness().name
}

/** A store with the upkeep of its own kind. */
export type KeptStore = Store & { maintain(task: 'checkpoint' | 'scrub'): Promise<void> }

/**
 * zstd level 3: 9:1 on transcripts at about 500 MB/s on one core. Level 1 saves little time for 12 % more bytes.
 */
const ZSTD_LEVEL = 3

export interface RecordEngineOptions {
  /** Where packs go; `null` = nowhere. */
  blobs?: BlobStore | null
  /** Lodeline's folder, where launches in the background are to be listed; without it they are not. */
  manifestHome?: string
  /** How lists of to-dos are folded. Default `TODO_FOLD_DEFAULTS`. */
  todos?: TodoFoldOptions
  /** What counts as a secret. Default `DEFAULT_SECRETS`. */
  secrets?: SecretSettings
  /** Whether search finds what tools gave out. Default: it does. */
  indexesOutput?: boolean
}

/** What the settings say of folding to-dos. */
export const todoFoldOf = ({ todos }: Pick<Config, 'todos'>): TodoFoldOptions => ({
  maxItems: todos.maxPerSession,
  onReplace: todos.onReplace,
})

/** @param home  Lodeline's folder, whose files are forgotten with a session; `null` = there are none */
export function createRecordEngine(
  store: KeptStore,
  host: HostIdentity,
  home: string | null = null,
  { blobs = null, manifestHome, todos, secrets, indexesOutput = true }: RecordEngineOptions = {},
): RecordEngine {
  const manifests = manifestHome === undefined ? null : new Manifests({ home: manifestHome, host, store })
  const settleManifests = async (sessionId: string): Promise<void> => {
    // The record is kept already: a manifest that can't be written now is written with the next change, or by the sweep.
    await manifests?.settle(sessionId).catch(() => {})
  }
  const openShells = async (over: readonly string[] = []) =>
    await store.shells.open(host.name, Date.now(), MAX_SHELLS, over)
  const checkOpenShells = async (over: readonly string[] = []): Promise<ShellProcess[]> =>
    checkShells(await openShells(over), Date.now())
  const writeShells = async (
    tx: WriteTx,
    seen: readonly ShellProcess[],
    agentOf: (session: string) => AgentName,
  ): Promise<void> => {
    if (seen.length === 0) return
    const hostKey = await tx.record.host(host.name, host.hostname)
    for (const shell of seen) {
      const session = await tx.record.session(agentOf(shell.sessionId), shell.sessionId, hostKey)
      if (!session) continue
      await tx.sessions.setShell(session.key, shell)
      await tx.appendFeed('subagent.updated', { key: session.key, id: shell.sessionId }, { ids: [shell.task] })
    }
  }
  const foldUsage = async (): Promise<void> => {
    while (await store.write((tx) => Promise.resolve(tx.record.foldUsage()), { weight: 'bulk' }));
  }
  const setShells = async (seen: readonly ShellProcess[]): Promise<void> => {
    if (seen.length === 0) return
    const agentOf = await agentsOf(store, seen)
    await store.write((tx) => writeShells(tx, seen, agentOf))
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
  const readers = new Readers()
  const harnessOf = (agent: AgentName) => readers.of(agent)
  const mask = secretMask(secrets)
  const recorder = new FileRecorder({
    store,
    harnessOf,
    host,
    compress: (bytes) => zstdCompressSync(bytes as Uint8Array<ArrayBuffer>, { level: ZSTD_LEVEL }),
    projectOf: place,
    mask,
    indexesOutput,
    ...(todos && { todos }),
  })
  return {
    async recordFile(ref, origin): Promise<FileOutcome> {
      // Hooks of every agent CLI are in one journal.
      await (ref.kind === 'hooks' ? readers.loadAll() : readers.load(ref.agent))
      const outcome = await recorder.recordFile(ref, origin)
      if (outcome.bytesAdded > 0 && manifests !== null) {
        // No manifest says that a shell is lost before its process was looked at.
        await setShells(await checkOpenShells()).catch(() => {})
        await settleManifests(origin?.host.name ?? host.name)
      }
      return outcome
    },
    recordGone: (ref, origin) => recorder.recordGone(ref, origin),
    async setProcesses(seen) {
      const gone = seen.flatMap(({ sessionId, state }) => (state === 'gone' ? sessionId : []))
      const shells = gone.length === 0 ? [] : await checkOpenShells(gone)
      const agentOf = await agentsOf(store, [...seen, ...shells])
      await store.write(async (tx) => {
        await writeShells(tx, shells, agentOf)
        for (const { sessionId, host: on = host, id, started, state, at } of seen) {
          const hostKey = await tx.record.host(on.name, on.hostname)
          const session = await tx.record.session(agentOf(sessionId), sessionId, hostKey)
          if (!session) continue
          if (!(await tx.sessions.setProcess(session.key, hostKey, { id, started, state, at }))) continue
          await tx.appendFeed('session.updated', { key: session.key, id: sessionId as SessionId })
        }
      })
      await settleManifests(host.name)
    },
    async checkShells() {
      const open = await openShells()
      await setShells(checkShells(open, Date.now()))
      return open.length > 0
    },
    setShells,
    async forget(id, by = actorOf(SYSTEM)) {
      const session = await store.sessions.find(id)
      if (!session) return null
      if (home !== null) {
        const paths = (await store.journals.listBySession(id)).map(({ path }) => path)
        removeKept(home, paths)
        forgetRows(home, paths)
        // Before the database: a hook journal that is read again must not bring the lines back.
        blankHookJournals(home, id)
      }
      const { attempts, stored, ...work } = await store.write(async (tx) => {
        const forgotten = await tx.sessions.forget(session.key, todos)
        const stored = await tx.handoffs.forget(id)
        await tx.notified.forget(id)
        await tx.appendFeed('session.forgotten', { key: session.key, id })
        await addLine(tx.audit, tx.now, { act: 'session.forget', actor: by, target: id, detail: {} })
        return { ...forgotten, stored }
      })
      if (home !== null) removeRuns(home, attempts)
      recorder.reset()
      await store.maintain('scrub')
      manifests?.forget(id)
      return { ...work, handoffs: stored + (home === null ? 0 : removeHandoffs(home, id)) }
    },
    async rebuild(onProgress) {
      await readers.loadAll()
      const done = await rebuild({
        store,
        harnessOf,
        host,
        projectOf: place,
        mask,
        indexesOutput,
        ...(todos && { todos }),
        ...(onProgress ? { onProgress } : {}),
      })
      recorder.reset()
      await foldUsage()
      await setShells(await checkOpenShells())
      await settleManifests(host.name)
      return done
    },
    scanSecrets: () => scanSecrets(store, secrets ?? DEFAULT_SECRETS),
    async eraseSecret(id, by) {
      const overwrite = (bytes: Uint8Array, word: string) => (home === null ? [] : overwriteFiles(home, bytes, word))
      const erased = await eraseSecret(id, { store, by, overwriteFiles: overwrite })
      recorder.reset()
      await store.maintain('scrub')
      return erased
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
    foldUsage,
    async recountCosts() {
      const digest = Bun.CryptoHasher.hash('sha256', pricesInUse(), 'hex')
      for (let after: number | null = 0; after !== null; ) {
        const from: number = after
        after = await store.write((tx) => Promise.resolve(tx.record.recountCosts(digest, from)), { weight: 'bulk' })
      }
    },
    async sweepManifests(retentionDays) {
      if (manifests === null) return
      await setShells(await checkOpenShells())
      await manifests.sweep(retentionDays)
    },
    sealPacks: async () => (blobs === null ? null : await sealPacks({ store, blobs })),
    checkpoint: () => store.maintain('checkpoint'),
    close: () => store.close(),
  }
}
