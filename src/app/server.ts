import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ensureToken } from '../api/client/token-file'
import { createApp } from '../api/server/app'
import { createCookies } from '../api/server/cookie'
import { createLoginCodes } from '../api/server/login-codes'
import { tokenVerifier } from '../api/server/token-verifier'
import { type Collector, createCollector } from '../collector/collector'
import { createPresence } from '../collector/presence'
import type { Config } from '../config/load'
import { AppError } from '../domain/errors'
import type { LeadPolicy } from '../domain/lead-answers'
import type { OwnHost } from '../engine/tasks/unit'
import { claudeCode } from '../harness/claude-code'
import { createWriteGate } from '../store/dialect/write-gate'
import { hookJournalFolder } from '../util/hook-journal'
import type { Logger } from '../util/log'
import { tryProcessLock } from '../util/process-lock'
import { VERSION } from '../util/version'
import { createDashboardFiles } from './dashboard-files'
import { openDatabase } from './database'
import { endedLogins } from './ended-logins'
import { ensureHome, type HostIdentity, hostIdentity, hostKey } from './home'
import { startInboxUpkeep } from './inbox-upkeep'
import { createIssueFiles } from './issue-files'
import { type Certificate, openListeners } from './listeners'
import { startLocalWorker } from './local-worker'
import { startMessageDriver } from './message-driver'
import { startMessageUpkeep } from './message-upkeep'
import { createRecordEngine, type KeptStore, type RecordEngine, todoFoldOf } from './record-engine'
import { RecordPool } from './record-pool'
import { startRetention } from './retention'
import { removeServerFile, writeServerFile } from './server-file'
import { createServices } from './services'
import { Shutdown } from './shutdown'
import { startSweeper } from './sweeper'
import { threadedTasks } from './task-pool'
import { threadedStore } from './threaded-store'
import { trackerSettings } from './tracker-services'
import { createWriteServices } from './write-services'

export interface ServerOptions {
  config: Config
  log: Logger
  /** Follows this machine's agents: `up` does, `serve` does not. */
  isCollecting: boolean
  /** Runs tasks here: `up` does, `serve` does not. The environment that runs get what is fit for them of. */
  worker?: { env: Readonly<Record<string, string | undefined>>; cwd: string }
  /** The operator wants traffic in the clear beyond this machine. */
  isInsecureAllowed?: boolean
  /** Serves HTTPS. */
  certificate?: Certificate
}

export interface RunningServer {
  /** e.g. `http://127.0.0.1:4655`. */
  url: string
  /** Resolves when what was on disk at the start is recorded; at once without a collector. */
  ready: Promise<void>
  /** Stops listening, drains and closes, in this order; a watchdog ends a stop that hangs. */
  stop(): Promise<void>
}

/** Lost work and old files are looked for this often; what is recorded is told at once. */
const MANIFESTS_MS = 30_000

/** Idle checkpoints keep the write-ahead log small; one runs this often when the server had a quiet moment. */
const CHECKPOINT_MS = 60_000

/**
 * Starts everything that `lode up` and `lode serve` run, in the order in which each part needs the ones before.
 *
 * @throws `conflict` when a server already runs on this folder; `invalid` for an address that is refused; the database's errors
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { config, log, isCollecting } = options
  ensureHome(config.home)
  const shutdown = new Shutdown(log)
  try {
    const lock = tryProcessLock(join(config.home, 'server.lock'))
    if (!lock)
      throw new AppError('conflict', `another server runs on ${config.home}`, { hint: "See it with 'lode status'." })
    shutdown.add('lock', async () => lock.release())
    // Hooks sent over HTTP are kept there, also where nobody follows the folder.
    mkdirSync(hookJournalFolder(config.home), { recursive: true, mode: 0o700 })
    const host = hostIdentity(config.home)
    const isFollowing = isCollecting && config.collector.enabled
    const followed = {
      hostName: host.name,
      hostKey: hostKey(config.home),
      roots: isFollowing ? [...config.claude.roots] : [],
    }
    const { store, engine, writes } = await openParts(config, host, followed, log, shutdown)
    const { tasks, messages, inbox, issues, todos, needs } = writes
    const collector = isFollowing ? makeCollector(config, host, store, engine, log) : null
    const services = createServices({
      config,
      store,
      engine: async () => engine,
      writes: async (noun) => writes[noun],
      issueFiles: createIssueFiles({ hostName: host.name, home: config.home }),
      collector,
      host,
      followedRoots: followed.roots,
    })
    const token = await ensureToken(config.home)
    const dashboard = createDashboardFiles()
    const { url, localUrl } = openListeners(
      {
        ...config.listen,
        isInsecureAllowed: options.isInsecureAllowed === true,
        verifyToken: tokenVerifier(token),
        login: { codes: createLoginCodes(), cookies: createCookies(token, Date.now, endedLogins(config.home)) },
        ...(options.certificate ? { certificate: options.certificate } : {}),
      },
      (access) =>
        createApp({ store, services, access, version: VERSION, runtime: `bun ${Bun.version}`, log, dashboard }),
      shutdown,
    )
    const startedAt = new Date().toISOString()
    writeServerFile(config.home, { url: localUrl, pid: process.pid, version: VERSION, startedAt })
    shutdown.add('server file', async () => removeServerFile(config.home))
    if (collector) await startCollecting(config, store, collector, engine, shutdown)
    shutdown.add('timers', startUpkeep(config, store, engine, log))
    shutdown.add('sweeper', startSweeper({ store, tasks, issues, todos, needs, config: config.todos, log }))
    shutdown.add('inbox', startInboxUpkeep({ store, inbox, log }))
    shutdown.add('messages', startMessageUpkeep({ store, messages, engine, config, host, log }))
    if (isFollowing) shutdown.add('message driver', startMessageDriver({ store, messages, config, log }))
    if (options.worker && config.worker.enabled)
      shutdown.add('worker', startLocalWorker(config, { ...options.worker, serverUrl: localUrl, token, log }))
    log.info(`listening on ${url}`, { home: config.home, version: VERSION })
    return { url, ready: collector?.ready ?? Promise.resolve(), stop: () => shutdown.run() }
  } catch (error) {
    await shutdown.run()
    throw error
  }
}

/** On SQLite the main loop only reads, and threads write; PostgreSQL's driver waits for the network and needs none. */
async function openParts(config: Config, host: HostIdentity, followedRoots: OwnHost, log: Logger, shutdown: Shutdown) {
  const settings = {
    followedRoots,
    trackers: trackerSettings(config),
    spawnLimits: config.tasks,
    leads: leadsOf(config),
  }
  if (config.databaseUrl !== null) {
    const store = await openDatabase(config, { mode: 'read-write', migrate: true })
    const engine = createRecordEngine(store, host, config.home, { ...manifestsOf(config), todos: todoFoldOf(config) })
    shutdown.add('database', () => engine.close())
    const issueFiles = createIssueFiles({ hostName: host.name, home: config.home })
    return { store, engine, writes: createWriteServices({ store, issueFiles, ...settings }) }
  }
  await (await openDatabase(config, { mode: 'read-write', migrate: true })).close()
  // The readers stand at the gate too: what a thread commits wakes the feed's followers and waiting polls at once.
  const gate = createWriteGate()
  const store = threadedStore(await openDatabase(config, { mode: 'read-only', gate }), config.home)
  shutdown.add('readers', () => store.close())
  const engine = new RecordPool({
    home: config.home,
    host,
    gate,
    hasManifests: config.manifest.enabled,
    todos: todoFoldOf(config),
    onDeath: (reason) => log.error('a record thread ended; the next file starts another', { reason }),
  })
  shutdown.add('writers', () => engine.close())
  const tasks = threadedTasks({ home: config.home, gate, ...settings }, (reason) =>
    log.error('the task thread ended; the next call starts another', { reason }),
  )
  shutdown.add('task writer', () => tasks.close())
  return { store, engine, writes: tasks.services }
}

const leadsOf = ({ lead, worker }: Config): LeadPolicy => ({
  answers: lead.answers,
  allow: [...worker.allow],
  deny: [...worker.deny],
})

const manifestsOf = ({ home, manifest }: Config) => (manifest.enabled ? { manifestHome: home } : {})

function makeCollector(
  config: Config,
  host: HostIdentity,
  store: KeptStore,
  engine: RecordEngine,
  log: Logger,
): Collector {
  return createCollector({
    roots: config.claude.roots,
    recorder: engine,
    harness: claudeCode,
    hookJournal: { folder: hookJournalFolder(config.home) },
    log,
    rescanMs: config.collector.rescanSeconds * 1_000,
    concurrency: 8,
    async loadKnown() {
      const open = await store.journals.listOpen(host.name)
      return new Map(
        open.map(({ path, size, inode, grewAt }) => [path, { size, inode, recordedAt: grewAt ?? 0 }] as const),
      )
    },
  })
}

async function startCollecting(
  config: Config,
  store: KeptStore,
  collector: Collector,
  engine: RecordEngine,
  shutdown: Shutdown,
): Promise<void> {
  const presence = createPresence({
    roots: config.claude.roots,
    async onPresence({ sessionId, pid, procStart, state, at }) {
      const session = await store.sessions.find(sessionId)
      // A CLI that was never spoken to has no conversation to record. Failing makes it be told again, once it may have one.
      if (!session) throw new AppError('not_found', `no session ${sessionId} yet`)
      const { processId, processState } = session.signals
      if (processId === pid && processState === state) return
      await engine.setProcesses([{ sessionId, id: pid, started: procStart, state, at }])
    },
    loadAlive: () => aliveProcesses(store),
  })
  shutdown.add('collector', () => collector.stop())
  shutdown.add('presence', async () => presence.stop())
  await collector.start()
  await presence.start()
}

/** Sessions whose process was alive when a server last looked: newest first, as many as one page tells. */
async function aliveProcesses(store: KeptStore) {
  const { rows } = await store.sessions.list({}, { limit: 1_000 })
  return rows.flatMap(({ id, signals }) =>
    signals.processState === 'alive' && signals.processId !== null
      ? [{ sessionId: id, pid: signals.processId, procStart: null }]
      : [],
  )
}

function startUpkeep(config: Config, store: KeptStore, engine: RecordEngine, log: Logger): () => Promise<void> {
  const stopRetention = startRetention(config, store, engine, log)
  const checkpoints = setInterval(() => {
    engine.checkpoint().catch((error: unknown) => log.warn('checkpoint failed', { error }))
  }, CHECKPOINT_MS)
  const { enabled: hasManifests, retentionDays } = config.manifest
  let sweeping: Promise<void> = Promise.resolve()
  const sweepManifests = (): void => {
    sweeping = engine
      .sweepManifests(retentionDays)
      .catch((error: unknown) => log.warn('manifests could not be written; trying again', { error }))
  }
  // What ended while no server ran is told at its start.
  if (hasManifests) sweepManifests()
  const manifests = hasManifests ? setInterval(sweepManifests, MANIFESTS_MS) : undefined
  return async () => {
    clearInterval(manifests)
    await sweeping
    clearInterval(checkpoints)
    stopRetention()
  }
}
