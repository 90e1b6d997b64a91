import { stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import type { Collector } from '../collector/collector'
import type { Config } from '../config/load'
import { AppError } from '../domain/errors'
import type { SessionId } from '../domain/ids'
import type { Store } from '../domain/store'
import type { Attempt } from '../domain/task/task'
import type { AttemptReport } from '../domain/task/worker-protocol'
import type { IssueFiles } from '../engine/issues/trackers/issue-files'
import type { CollectorState, RebuildOutcome, Services, StorageState, WorkProgress } from '../engine/services'
import { databaseLocation } from '../util/net/database-url'
import { startOf } from '../util/process/process-tree'
import { agentLines } from './agents/agent-lines'
import { withClaimedOffers } from './delivery/claim-offers'
import { notifiedChanges } from './delivery/notified-changes'
import { offerMail } from './delivery/offer-mail'
import { storedNotified } from './delivery/stored-notified'
import type { HostIdentity } from './files/home'
import type { RunFiles, RunFilesOptions } from './files/run-files'
import { endingSession } from './hooks/ending-session'
import { handoffFiles } from './hooks/handoff-files'
import { storedHandoffs } from './hooks/stored-handoffs'
import { readingFirst } from './issue-files/issues-reading-first'
import { createBackground } from './processes/background'
import type { messageWait } from './receiver-facts'
import { taskBranches } from './task-branches'
import { databasePath } from './threads/database'
import type { RecordEngine } from './threads/record-engine'
import { usageWindowsOf } from './usage-windows'
import { callWriteMethod, type WriteNoun, type WriteServices, writeServicesOver } from './write-methods'

export interface ServicesOptions {
  config: Config
  store: Store
  /** The write side; loaded when something is first written, since most commands only read. */
  engine(): Promise<RecordEngine>
  /** The use cases of a noun; loaded when one is first asked for. */
  writes<Noun extends WriteNoun>(noun: Noun): Promise<WriteServices[Noun]>
  /** The files that issues are kept in step with. */
  issueFiles: IssueFiles
  /** `null` where none runs (in-process commands, `serve`). */
  collector: Collector | null
  /** This machine, and the folders of agent CLIs that this process's collector follows. */
  host: HostIdentity
  followedRoots: readonly string[]
  /** Only for in-process commands: see `Services.catchUp`. */
  catchUp?: (session: SessionId | null) => Promise<void>
  /** As `Services.rotateToken`. Left out: nothing in this process hangs on the token. */
  rotateToken?: () => Promise<string>
  /** Has this process, and a worker in it, go by the settings file as it is now. */
  checkSettings?: () => void
}

/** How long a hook's request waits until the hook is in the record, in milliseconds. */
const HOOK_WAIT_MS = 500

/** What the API asks of this process, over its store, engine and collector. */
export function createServices(options: ServicesOptions): Services {
  const { config, store, engine, writes, issueFiles, collector, host, followedRoots, catchUp, rotateToken } = options
  const written = writeServicesOver(async (noun, method, args) => {
    const answer = await callWriteMethod({ [noun]: await writes(noun) }, noun, method, args)
    if (noun === 'tasks' && method === 'report' && (args[2] as AttemptReport).ended)
      await noteEnd(answer as Attempt, store, engine, host.name)
    return answer
  })
  let rebuilding = false
  let waits: ReturnType<typeof messageWait> | undefined
  let loading: Promise<RunFiles> | undefined
  const runFiles = (): Promise<RunFiles> => {
    loading ??= loadRunFiles({ home: config.home, host, store, engine, roots: followedRoots })
    return loading
  }
  return {
    handoffs: config.databaseUrl === null ? handoffFiles(config.home) : storedHandoffs(store, config.home),
    agentLines,
    whyWaiting: async (message) => {
      const { messageWait } = await import('./receiver-facts')
      waits ??= messageWait(config, store, host)
      return await waits(message)
    },
    usageWindows: usageWindowsOf(config),
    get stuckAfterMs() {
      return config.stuckAfterMs
    },
    get retentionDays() {
      return config.retention.days
    },
    agentFiles: async (folder) => await (await import('./agents/agent-files')).readAgentFiles(folder),
    addAllowRule: async (rule) => {
      const { addAllowRule } = await import('../config/allow-rule')
      const added = addAllowRule({ env: process.env, cwd: config.home, flags: { home: config.home } }, rule)
      // The call that is let through may be made again at once.
      options.checkSettings?.()
      return added
    },
    hostname,
    branches: taskBranches(host.name),
    background: createBackground({ store, host, engine }),
    recalls: {
      notified: config.databaseUrl === null ? notifiedChanges(config.home) : storedNotified(store, config.home),
      linkFrom: config.todos.linkFrom,
      get hidesTodos() {
        return !config.todos.enabled
      },
    },
    ...written,
    issues: readingFirst(
      written.issues,
      store,
      issueFiles,
      config.todos.closePromoted ? async () => void (await written.todos.settle()) : null,
    ),
    todos: endingSession(written.todos, { home: config.home, store, engine }),
    // On PostgreSQL no file names the process that gives a message.
    messages: config.databaseUrl === null ? withClaimedOffers(config.home, written.messages) : written.messages,
    offerMail: offerMail({ store, messages: written.messages, host }),
    appendStream: async (...args) => (await runFiles()).appendStream(...args),
    appendRemote: async (...args) => (await runFiles()).appendRemote(...args),
    async openCommand(session, model, other) {
      // Only that command translates it; the new session has no id before.
      if (other !== null) return ['lode', 'session', 'resume', session, '--with', other]
      const { openCommand } = await import('./open-command')
      return await openCommand(config, session, (await store.sessions.find(session))?.agent ?? null, model)
    },
    async noteGoneProcesses() {
      const { noteGoneProcesses } = await import('./processes/gone-processes')
      await noteGoneProcesses({ config, hostName: host.name, store, engine })
    },
    snapshot: async (...args) => (await runFiles()).snapshot(...args),
    followedRoots: () => ({ hostName: host.name, roots: [...followedRoots] }),
    rotateToken: rotateToken ?? (async () => (await import('../api/client/token-file')).replaceToken(config.home)),
    async importPaths(paths, onProgress) {
      const { FILES_AT_ONCE, FILES_AT_ONCE_POSTGRES, importFiles } = await import('./files/import-files')
      const filesAtOnce = config.databaseUrl === null ? FILES_AT_ONCE : FILES_AT_ONCE_POSTGRES
      return await importFiles(paths, await engine(), filesAtOnce, onProgress, config.home)
    },
    async rebuild(onProgress) {
      if (rebuilding)
        throw new AppError('conflict', 'A rebuild is already running.', {
          hint: 'Wait until it is done: lode status shows its progress.',
        })
      rebuilding = true
      try {
        return await rebuild(store, await engine(), onProgress)
      } finally {
        rebuilding = false
      }
    },
    scanSecrets: async () => await (await engine()).scanSecrets(),
    eraseSecret: async (id, by) => await (await engine()).eraseSecret(id, by),
    async forget(id, by) {
      const forgotten = await (await engine()).forget(id, by)
      if (forgotten === null) throw new AppError('not_found', `There is no session ${id}.`)
      return forgotten
    },
    async recordHook(payload) {
      const { keepHookLine } = await import('./issue-files/sync-todos')
      const recorded = (await engine()).recordFile(keepHookLine(config.home, payload, Date.now()))
      // Where nobody follows the folder, nobody else would record it. Else the line is on the disk, and the collector has it too: a
      // database that another program holds must not hold up the agent.
      if (collector === null) await recorded
      else await Promise.race([recorded.catch(() => {}), Bun.sleep(HOOK_WAIT_MS)])
    },
    async syncTodos(session, payload) {
      const options = { home: config.home, store, engine, maxItems: config.todos.maxPerSession }
      return await (await import('./issue-files/sync-todos')).syncTodos(options, session, payload)
    },
    ...(catchUp ? { catchUp } : {}),
    collectorFacts: () => (collector ? collectorFacts(collector) : null),
    storageFacts: () => storageFacts(config),
  }
}

/**
 * A run's worker saw its process end, which the record may not know yet: on another host nobody looks, and a short run is over before
 * the next look.
 */
async function noteEnd(attempt: Attempt, store: Store, engine: ServicesOptions['engine'], here: string): Promise<void> {
  const { conversation, process: run, endedAt, hostName } = attempt
  if (conversation === null || run === null || endedAt === null || hostName === null) return
  const session = await store.sessions.find(conversation.sessionId)
  if (session === undefined) return
  const { processId, processState } = session.signals
  // What holds a conversation may be a child of the run's own process, and ends with it.
  const isItsChild = hostName === here && processId !== null && startOf(processId) === null
  // Somebody went on in it already.
  if (processState === 'alive' && processId !== run.pid && !isItsChild) return
  const host = { name: hostName, hostname: attempt.host ?? hostName }
  const gone = {
    sessionId: session.id,
    host,
    id: isItsChild ? processId : run.pid,
    started: null,
    state: 'gone' as const,
    at: Date.parse(endedAt),
  }
  await (await engine()).setProcesses([gone])
}

/** Most processes never run a task: what that takes is loaded with the first. */
async function loadRunFiles(options: RunFilesOptions): Promise<RunFiles> {
  return (await import('./files/run-files')).createRunFiles(options)
}

async function rebuild(
  store: Store,
  engine: RecordEngine,
  onProgress?: (progress: WorkProgress) => void,
): Promise<RebuildOutcome> {
  const startedAt = performance.now()
  const files = new Set<string>()
  let filesTotal = 0
  let bytesTotal = 0
  for await (const { journal } of store.journals.listAll())
    for (const incarnation of journal.incarnations) {
      files.add(journal.path)
      filesTotal++
      bytesTotal += incarnation.size
    }
  const done = await engine.rebuild(({ incarnations, bytes }) =>
    onProgress?.({ filesDone: incarnations, filesTotal, bytesDone: bytes, bytesTotal }),
  )
  const broken = await store.diagnostics.storage()
  return {
    files: files.size,
    bytes: done.bytes,
    sessions: await store.sessions.count(),
    events: done.events,
    malformedLines: broken.rows.malformed_lines ?? 0,
    durationMs: Math.round(performance.now() - startedAt),
  }
}

function collectorFacts(collector: Collector): CollectorState {
  const { folders, files, queued, outage, isReady, lastScanAt, backfill } = collector.stats()
  const problems = folders.flatMap(({ path, problem }) => (problem === null ? [] : [{ path, reason: problem }]))
  if (outage) problems.push({ path: 'database', reason: outage.message })
  return {
    isRunning: true,
    roots: folders.map((folder) => folder.path),
    files,
    filesBehind: queued + (isReady ? 0 : 1),
    backfill: isReady ? null : backfill,
    lastScanAt: lastScanAt === null ? null : new Date(lastScanAt).toISOString(),
    problems,
  }
}

async function storageFacts(config: Config): Promise<StorageState> {
  if (config.databaseUrl !== null) {
    return { kind: 'postgres', location: databaseLocation(config.databaseUrl), bytes: null }
  }
  const path = databasePath(config.home)
  const bytes = await stat(path).then(
    (file) => file.size,
    () => null,
  )
  return { kind: 'sqlite', location: path, bytes }
}
