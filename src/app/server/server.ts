import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createApp } from '../../api/server/app'
import { type Collector, createCollector } from '../../collector/collector'
import type { BackfillProgress } from '../../collector/options'
import { createPresence, type PresenceSource } from '../../collector/presence'
import { RowFollower } from '../../collector/row-follower'
import type { LiveConfig } from '../../config/live'
import type { Config, ConfigEntry } from '../../config/load'
import { AppError } from '../../domain/errors'
import type { StoreReads } from '../../domain/store'
import { spokeSinceCheck } from '../../domain/subagent/subagent-status'
import type { LeadPolicy } from '../../domain/task/lead-answers'
import { MINUTE_MS } from '../../domain/time-units'
import { UnitTimes } from '../../domain/unit-times'
import type { TaskService } from '../../engine/tasks/task-service'
import type { LeaseSettings, OwnHost } from '../../engine/unit/unit'
import { defaultHarness } from '../../harness/registry'
import { createWriteGate } from '../../store/sql/write-gate'
import { diskFault } from '../../util/files/disk-fault'
import { hookJournalFolder } from '../../util/hook-journal'
import type { Logger } from '../../util/log'
import { SERVER_LOCK } from '../../util/process/port-holder'
import { type ProcessLock, tryProcessLock } from '../../util/process/process-lock'
import { ownProcess } from '../../util/process/server-process'
import { removeStatusline } from '../../util/statusline-file'
import { startUpkeep as startUpkeepLoop } from '../../util/upkeep-loop'
import { VERSION } from '../../util/version'
import { startMessageDriver } from '../delivery/message-driver'
import { startMessageUpkeep } from '../delivery/message-upkeep'
import { ensureHome, type HostIdentity, hostIdentity, hostKey } from '../files/home'
import { followed, followedFiles, followedRoots, followedRows } from '../followed'
import { createIssueFiles } from '../issue-files/issue-files'
import { trackerSettings } from '../issue-files/tracker-services'
import { liveMods } from '../mod/live-mods'
import { startModSocket } from '../mod/mod-socket'
import { startNotifyUpkeep } from '../notify/notify-upkeep'
import { createServices } from '../services'
import { blobsOf, databasePath, openDatabase } from '../threads/database'
import { createRecordEngine, type KeptStore, type RecordEngine, todoFoldOf } from '../threads/record-engine'
import { RecordPool } from '../threads/record-pool'
import { threadedTasks } from '../threads/task-pool'
import { threadedStore } from '../threads/threaded-store'
import { createWriteServices } from '../write-services'
import { auditSettings } from './audit-settings'
import { startBudgetUpkeep } from './budget-upkeep'
import { createDashboardFiles } from './dashboard-files'
import { watchDatabaseFile } from './database-file'
import { startInboxUpkeep } from './inbox-upkeep'
import { type Certificate, openListeners } from './listeners'
import { startLocalWorker } from './local-worker'
import { openOwnToken } from './own-token'
import { startRetention } from './retention'
import { removeServerFile, writeServerFile } from './server-file'
import { Shutdown } from './shutdown'
import { startStatusline } from './statusline'
import { startSweeper } from './sweeper'

export interface ServerOptions {
  config: Config
  log: Logger
  /** Follows this machine's agents: `up` does, `serve` does not. */
  isCollecting: boolean
  /** Runs tasks here: `up` does, `serve` does not. The environment that runs get what is fit for them of. */
  worker?: { env: Readonly<Record<string, string | undefined>> }
  /** Reports new settings, where `config` follows them. */
  onSettings?: LiveConfig['onChange']
  /** Looks for new settings at once. */
  checkSettings?: LiveConfig['check']
  /** The settings in effect, for the audit log; left out: it hears of none. */
  settings?: () => readonly ConfigEntry[]
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
  /** How far that is; `null` = nothing is followed, or the first look is not over. */
  backfill(): BackfillProgress | null
  /** Resolves with why it can't go on: its database is another's, or gone. It must be stopped then. */
  lost: Promise<AppError>
  /**
   * Tells balancers to go elsewhere and gives them time for it, then ends streams and waiting polls, finishes requests under way, stops
   * listening and closes. A watchdog ends a stop that hangs.
   */
  stop(): Promise<void>
}

/** Lost work and old files are looked for this often; what is recorded is reported at once. */
const MANIFESTS_MS = 30_000

/** Shells that outlived their CLI end in silence: they are looked at this often. */
const SHELLS_MS = 2_000
/** The same while there is none, and nothing changes. */
const NO_SHELL_MS = 10_000

/** What changes no more, and what was added to sums, is looked for this often. */
const PACKS_MS = MINUTE_MS

/** Idle checkpoints keep the write-ahead log small; one runs this often when the server had a quiet moment. */
const CHECKPOINT_MS = MINUTE_MS

/**
 * Starts everything that `lode up` and `lode serve` run, in the order in which each part needs the ones before.
 *
 * @throws `conflict` when a server already runs on this folder; `invalid` for an address that is refused; the database's errors
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { config, log, isCollecting } = options
  ensureHome(config.home)
  const shutdown = new Shutdown(log)
  let isDraining = false
  async function stop(): Promise<void> {
    if (!isDraining && config.server.drainMs > 0) {
      isDraining = true
      log.info('draining: balancers send requests elsewhere now', { ms: config.server.drainMs })
      await new Promise((resolve) => setTimeout(resolve, config.server.drainMs))
    }
    isDraining = true
    await shutdown.run()
  }
  try {
    const lock = tryServerLock(config.home)
    if (!lock)
      throw new AppError('conflict', `Another server is already running for ${config.home}.`, {
        hint: "Run 'lode status' to see it.",
      })
    shutdown.add('lock', async () => lock.release())
    // Hooks sent over HTTP are kept there, also where nobody follows the folder.
    mkdirSync(hookJournalFolder(config.home), { recursive: true, mode: 0o700 })
    const host = hostIdentity(config.home)
    const isFollowing = isCollecting && config.collector.enabled
    const ownHost: OwnHost = {
      hostName: host.name,
      hostKey: hostKey(config.home),
      roots: isFollowing ? followedRoots(config) : [],
    }
    const instance = crypto.randomUUID()
    const { store, engine, writes, unitTimes } = await openParts(config, host, { ownHost, instance }, log, shutdown)
    const { tasks, messages, inbox, issues, todos, needs, notify, budgets } = writes
    const collector = isFollowing ? await makeCollector(config, host, store, engine, log) : null
    const installation = { folder: config.home, name: host.name, isShared: config.databaseUrl !== null }
    const token = await openOwnToken(installation, writes.tokens, store.tokens, log)
    shutdown.add('token', async () => token.stop())
    const services = createServices({
      config,
      store,
      engine: async () => engine,
      writes: async (noun) => writes[noun],
      issueFiles: createIssueFiles({ hostName: host.name, home: config.home, bd: config.issues.bd }),
      collector,
      host,
      followedRoots: ownHost.roots,
      rotateToken: token.rotate,
      ...(options.checkSettings && { checkSettings: options.checkSettings }),
    })
    if (options.settings)
      shutdown.add(
        'settings',
        await auditSettings({
          store,
          audit: writes.audit,
          log,
          settings: options.settings,
          onSettings: options.onSettings,
        }),
      )
    const dashboard = createDashboardFiles()
    const { url, localUrl } = await openListeners(
      {
        ...config.listen,
        front: config.server,
        isInsecureAllowed: options.isInsecureAllowed === true,
        operatorToken: token,
        login: await providerOf(config),
        ...(options.certificate ? { certificate: options.certificate } : {}),
      },
      (access) =>
        createApp({
          store,
          provesTokens: config.databaseUrl !== null,
          unitTimes,
          services,
          access,
          version: VERSION,
          runtime: `bun ${Bun.version}`,
          log,
          dashboard,
          secrets: config.secrets,
          isDraining: () => isDraining,
        }),
      shutdown,
    )
    const startedAt = new Date().toISOString()
    const server = { url: localUrl, pid: process.pid, version: VERSION, startedAt, process: ownProcess(instance) }
    writeServerFile(config.home, server)
    shutdown.add('server file', async () => removeServerFile(config.home))
    // After the file, and before anything ends a lease: see `worker/link/server-proof.ts`.
    if (config.databaseUrl === null && (await store.tasks.hasOpen())) await tasks.renewAll()
    if (collector) await startCollecting(config, host, store, collector, engine, log, shutdown)
    shutdown.add('timers', startUpkeep(config, store, engine, tasks, log))
    const { leaseMs } = config.tasks
    shutdown.add(
      'sweeper',
      startSweeper({ store, tasks, issues, todos, needs, config: { ...config.todos, leaseMs }, log }),
    )
    shutdown.add('budgets', startBudgetUpkeep({ store, budgets, log }))
    shutdown.add('notifications', startNotifyUpkeep({ store, notify, config, localUrl, log }))
    const statusSettings = async () => ({
      stuckAfterMs: services.stuckAfterMs,
      askingTools: await services.agentLines.askingTools(null),
    })
    const endStatusline = startStatusline({ store, home: config.home, settings: statusSettings, log })
    const mods = liveMods()
    const endModSocket = startModSocket({
      ...{ store, config, mods, settings: statusSettings, log },
      linkFrom: services.recalls.linkFrom,
    })
    if (endModSocket !== null) shutdown.add('mod', endModSocket)
    shutdown.add('status line', async () => {
      await endStatusline()
      removeStatusline(config.home)
    })
    shutdown.add('inbox', startInboxUpkeep({ store, inbox, config, log }))
    shutdown.add('messages', startMessageUpkeep({ store, messages, engine, config, host, log }))
    if (isFollowing) shutdown.add('message driver', startMessageDriver({ store, messages, config, host, mods, log }))
    if (options.worker && config.worker.enabled)
      shutdown.add(
        'worker',
        startLocalWorker(config, {
          ...options.worker,
          serverUrls: [localUrl],
          token: token.current,
          log,
          ...(options.onSettings && { onSettings: options.onSettings }),
        }),
      )
    const { lost, stop: endWatch } = watchDatabase(config)
    shutdown.add('database file', async () => endWatch())
    log.info(`listening on ${url}`, { home: config.home, version: VERSION })
    return {
      url,
      ready: collector?.ready ?? Promise.resolve(),
      backfill: () => collector?.stats().backfill ?? null,
      lost,
      stop,
    }
  } catch (error) {
    await shutdown.run()
    throw error
  }
}

function tryServerLock(home: string): ProcessLock | null {
  try {
    return tryProcessLock(join(home, SERVER_LOCK))
  } catch (error) {
    throw new AppError(
      diskFault(error) ?? 'storage_readonly',
      `Nothing can be written to Lodeline's folder ${home}: ${(error as Error).message}.`,
      {
        hint: 'Free some space, make the folder writable, or choose another one with --home DIR or LODELINE_HOME.',
        cause: error,
      },
    )
  }
}

/** A database server tells by itself when it is gone. */
const watchDatabase = ({ home, databaseUrl }: Config): ReturnType<typeof watchDatabaseFile> =>
  databaseUrl === null ? watchDatabaseFile(databasePath(home)) : { lost: new Promise(() => {}), stop: () => {} }

/** How people log in at a provider, where there is one. @throws `invalid` its secret can't be read */
async function providerOf({ login: { oidc }, server: { publicUrl } }: Config) {
  if (oidc === null) return {}
  const { clientSecret, oidcProvider } = await import('../login/oidc')
  return { provider: oidcProvider(oidc, publicUrl, clientSecret(oidc.secretFile, process.env)) }
}

/** On SQLite the main loop only reads, and threads write; PostgreSQL's driver waits for the network and needs none. */
async function openParts(
  config: Config,
  host: HostIdentity,
  { ownHost, instance }: { ownHost: OwnHost; instance: string },
  log: Logger,
  shutdown: Shutdown,
) {
  const settings = {
    followedRoots: ownHost,
    trackers: trackerSettings(config),
    spawnLimits: config.tasks,
    leads: leadsOf(config),
    hasFolder: config.worker.dir !== null,
    lease: { ms: config.tasks.leaseMs, serverInstance: config.databaseUrl === null ? instance : null },
  }
  if (config.databaseUrl !== null) {
    const entry = { instance, hostName: host.name, version: VERSION }
    const unitTimes = new UnitTimes('postgresql')
    const store = await openDatabase(config, { mode: 'read-write', migrate: true, server: entry, unitTimes })
    const engine = createRecordEngine(store, host, config.home, {
      blobs: await blobsOf(config),
      ...manifestsOf(config),
      todos: todoFoldOf(config),
      secrets: config.secrets,
      indexesOutput: config.search.toolOutput,
    })
    shutdown.add('database', () => engine.close())
    const issueFiles = createIssueFiles({ hostName: host.name, home: config.home, bd: config.issues.bd })
    const writes = createWriteServices({ store, issueFiles, ...(await inEpoch(settings, store)) })
    return { store, engine, writes, unitTimes }
  }
  await (await openDatabase(config, { mode: 'read-write', migrate: true })).close()
  // The readers stand at the gate too: what a thread commits wakes the feed's followers and waiting polls at once.
  const gate = createWriteGate()
  const unitTimes = new UnitTimes('sqlite')
  const store = threadedStore(await openDatabase(config, { mode: 'read-only', gate }), config)
  shutdown.add('readers', () => store.close())
  const engine = new RecordPool({
    home: config.home,
    blobs: config.blobs,
    host,
    gate,
    unitTimes: unitTimes.memory,
    hasManifests: config.manifest.enabled,
    todos: todoFoldOf(config),
    secrets: config.secrets,
    indexesOutput: config.search.toolOutput,
    onDeath: (reason) => log.error('a record thread ended; the next file starts another', { reason }),
  })
  shutdown.add('writers', () => engine.close())
  const tasks = threadedTasks(
    {
      ...{ home: config.home, blobs: config.blobs, gate, unitTimes: unitTimes.memory },
      ...(await inEpoch(settings, store)),
    },
    (reason) => log.error('the task thread ended; the next call starts another', { reason }),
  )
  shutdown.add('task writer', () => tasks.close())
  return { store, engine, writes: tasks.services, unitTimes }
}

/** It changes only by a restore, which no server survives. */
const inEpoch = async <Settings extends { lease: LeaseSettings }>(settings: Settings, store: StoreReads) => ({
  ...settings,
  lease: { ...settings.lease, epoch: await store.diagnostics.epoch() },
})

const leadsOf = ({ lead, worker }: Config): LeadPolicy => ({
  answers: lead.answers,
  allow: [...worker.allow],
  deny: [...worker.deny],
})

const manifestsOf = ({ home, manifest }: Config) => (manifest.enabled ? { manifestHome: home } : {})

async function makeCollector(
  config: Config,
  host: HostIdentity,
  store: KeptStore,
  engine: RecordEngine,
  log: Logger,
): Promise<Collector> {
  return createCollector({
    sources: (await followedFiles(config)).map(({ roots, ...files }) => ({ files, roots })),
    recorder: engine,
    hookJournal: { agent: defaultHarness().name, folder: hookJournalFolder(config.home) },
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
  host: HostIdentity,
  store: KeptStore,
  collector: Collector,
  engine: RecordEngine,
  log: Logger,
  shutdown: Shutdown,
): Promise<void> {
  const presence = createPresence({
    sources: await presenceSources(config),
    async onPresence({ sessionId, pid, procStart, state, isAgain, at }) {
      const session = await store.sessions.find(sessionId)
      // A CLI that nobody spoke to has no conversation to record. Failing makes it be reported again, once it may have one.
      if (!session) throw new AppError('not_found', `There is no session ${sessionId} yet.`)
      const { processId, processState } = session.signals
      // A hook that a killed process had started may speak after it was seen gone: that is no life.
      const isNews = isAgain && state === 'gone' && spokeSinceCheck(session.signals)
      if (processId === pid && processState === state && !isNews) return
      // Its process on another machine is that one's to judge.
      if (processState === 'alive' && session.processHost !== host.name && (state === 'gone' || isAgain)) return
      await engine.setProcesses([{ sessionId, id: pid, started: procStart, state, at }])
    },
    loadAlive: () => store.sessions.aliveOn(host.name),
  })
  const rows = new RowFollower(await followedRows(config), log)
  shutdown.add('collector', () => collector.stop())
  shutdown.add('databases', () => rows.stop())
  shutdown.add('presence', async () => presence.stop())
  await collector.start()
  rows.start()
  await presence.start()
}

async function presenceSources(config: Config): Promise<PresenceSource[]> {
  const sources: PresenceSource[] = []
  for (const { harness, roots } of followed(config))
    if (harness.presence !== null) sources.push({ presence: await harness.presence(), roots })
  return sources
}

function startUpkeep(
  config: Config,
  store: KeptStore,
  engine: RecordEngine,
  tasks: Pick<TaskService, 'dropOld'>,
  log: Logger,
): () => Promise<void> {
  const stopPacking = startUpkeepLoop({
    async check() {
      await engine.foldUsage()
      const sealed = await engine.sealPacks()
      if (sealed !== null && sealed.packs + sealed.removed > 0) log.info('moved chunks into packs', { ...sealed })
    },
    everyMs: PACKS_MS,
    log,
    failure: 'chunks could not be moved into packs, or sums not put together; trying again',
  })
  const stopRetention = startRetention(config, store, engine, tasks, log)
  const checkpoints = setInterval(() => {
    engine.checkpoint().catch((error: unknown) => log.warn('checkpoint failed', { error }))
  }, CHECKPOINT_MS)
  const stopShells = startUpkeepLoop({
    check: async (cause) => cause === 'change' || (await engine.checkShells()),
    everyMs: SHELLS_MS,
    quietMs: NO_SHELL_MS,
    onChange: (changed) => store.feed.onChange(changed),
    log,
    failure: 'background shells could not be checked; trying again',
  })
  const { enabled: hasManifests } = config.manifest
  let sweeping: Promise<void> = Promise.resolve()
  const sweepManifests = (): void => {
    sweeping = engine
      .sweepManifests(config.manifest.retentionDays)
      .catch((error: unknown) => log.warn('manifests could not be written; trying again', { error }))
  }
  // What ended while no server ran is reported at its start.
  if (hasManifests) sweepManifests()
  const manifests = hasManifests ? setInterval(sweepManifests, MANIFESTS_MS) : undefined
  return async () => {
    await stopShells()
    clearInterval(manifests)
    await sweeping
    clearInterval(checkpoints)
    stopRetention()
    await stopPacking()
  }
}
