import { existsSync, statSync } from 'node:fs'
import { createApp } from '../api/server/app'
import type { Config } from '../config/load'
import type { Logger } from '../util/log'
import { leaveDatabases } from '../util/process/end-process'
import { VERSION } from '../util/version'
import { ensureHome, type HostIdentity, hostIdentity } from './files/home'
import { createIssueFiles } from './issue-files/issue-files'
import { createCatchUp } from './processes/catch-up'
import { createServices } from './services'
import { databasePath, openDatabase } from './threads/database'
import type { KeptStore, RecordEngine } from './threads/record-engine'
import type { WriteNoun, WriteServices } from './write-methods'

export interface InProcessOptions {
  config: Config
  log: Logger
  /** The process ends when this is closed. Default: false. */
  endsProcess?: boolean
}

/**
 * A log of this many bytes is left to the next process, which reads it in about a millisecond. The last one to close the database copies
 * the log into it first, with two disk writes: 8 to 20 ms at the end of each command that wrote something.
 */
const LEFT_LOG_BYTES = 1_048_576

/** The API's handlers in this very process, for a command that found no server. */
export interface InProcessApp {
  fetch(request: Request): Promise<Response>
  close(): Promise<void>
}

/**
 * Opens the embedded database and the same handlers that a server runs, with the operator's rights. Starts no timer and no
 * thread. A database that does not exist yet is made; one with another schema is refused.
 *
 * @throws `schema_mismatch`  the database is older (start `lode up` once) or newer than this program
 */
export async function openInProcess({ config, log, endsProcess }: InProcessOptions): Promise<InProcessApp> {
  ensureHome(config.home)
  if (!existsSync(databasePath(config.home)))
    await (await openDatabase(config, { mode: 'read-write', migrate: true })).close()
  const store = await openDatabase(config, { mode: 'read-only' })
  const host = hostIdentity(config.home)
  let writing: Promise<WriteSide> | undefined
  const write = (): Promise<WriteSide> => {
    writing ??= openWriteSide(config, host)
    return writing
  }
  const engine = async (): Promise<RecordEngine> => await (await write()).engine()
  const catchUp = createCatchUp({ config, store, hostName: host.name, engine })
  const services = createServices({
    config,
    store,
    engine,
    writes: async (noun) => await (await write()).service(noun),
    issueFiles: createIssueFiles({ hostName: host.name, home: config.home, bd: config.issues.bd }),
    collector: null,
    host,
    followedRoots: [],
    catchUp,
  })
  const app = createApp({
    store,
    services,
    access: { kind: 'in_process' },
    version: VERSION,
    runtime: `bun ${Bun.version}`,
    log,
    secrets: config.secrets,
  })
  return {
    fetch: (request) => app.fetch(request),
    async close() {
      await (await writing?.catch(() => undefined))?.close()
      // Every commit is durable in the log already; the end of the process closes the rest.
      if (endsProcess === true && isLogSmall(config)) return leaveDatabases()
      await store.close()
    },
  }
}

function isLogSmall({ home, databaseUrl }: Config): boolean {
  if (databaseUrl !== null) return false
  const log = statSync(`${databasePath(home)}-wal`, { throwIfNoEntry: false })
  return log !== undefined && log.size > 0 && log.size <= LEFT_LOG_BYTES
}

interface WriteSide {
  /** Loaded by itself: a command that writes tasks or issues has no use for parsers. */
  engine(): Promise<RecordEngine>
  service<Noun extends WriteNoun>(noun: Noun): Promise<WriteServices[Noun]>
  close(): Promise<void>
}

/** The write side is loaded and opened when something is first written: most commands only read. */
async function openWriteSide(config: Config, host: HostIdentity): Promise<WriteSide> {
  const store = await openDatabase(config, { mode: 'read-write' })
  let recording: RecordEngine | undefined
  const load = servicesOf(config, host, store)
  const services: Partial<WriteServices> = {}
  return {
    async engine() {
      const { createRecordEngine, todoFoldOf } = await import('./threads/record-engine')
      recording ??= createRecordEngine(store, host, config.home, {
        ...(config.manifest.enabled && { manifestHome: config.home }),
        todos: todoFoldOf(config),
        secrets: config.secrets,
        indexesOutput: config.search.toolOutput,
      })
      return recording
    },
    async service(noun) {
      if (services[noun] === undefined) Object.assign(services, await load[noun]())
      return services[noun] as WriteServices[typeof noun]
    },
    close: async () => await (recording ?? store).close(),
  }
}

/** How each service is made: a command asks for one or two, and loads no others. Issues and to-dos take turns, so they come together. */
function servicesOf(config: Config, host: HostIdentity, store: KeptStore) {
  const hasFolder = config.worker.dir !== null
  const trackers = async () => {
    const { trackerServices, trackerSettings } = await import('./issue-files/tracker-services')
    const files = createIssueFiles({ hostName: host.name, home: config.home, bd: config.issues.bd })
    return trackerServices(store, files, trackerSettings(config))
  }
  return {
    tasks: async () => {
      const { createTaskService } = await import('../engine/tasks/task-service')
      return {
        tasks: createTaskService({
          store,
          spawnLimits: config.tasks,
          hasFolder,
          lease: { ms: config.tasks.leaseMs, serverInstance: null, isStill: true },
        }),
      }
    },
    messages: async () => {
      const { createMessageService } = await import('../engine/messages/message-service')
      return { messages: createMessageService({ store }) }
    },
    inbox: async () => {
      const { createInboxService } = await import('../engine/inbox/inbox-service')
      return { inbox: createInboxService({ store, hasFolder }) }
    },
    needs: async () => {
      const { createNeedService } = await import('../engine/overview/need-service')
      return { needs: createNeedService({ store }) }
    },
    views: async () => {
      const { createViewService } = await import('../engine/views/view-service')
      return { views: createViewService({ store }) }
    },
    notify: async () => {
      const { createNotifyService } = await import('../engine/notify/notify-service')
      return { notify: createNotifyService({ store }) }
    },
    budgets: async () => {
      const { createBudgetService } = await import('../engine/budgets/budget-service')
      return { budgets: createBudgetService({ store }) }
    },
    tokens: async () => {
      const { createTokenService } = await import('../engine/tokens/token-service')
      return { tokens: createTokenService({ store }) }
    },
    users: async () => {
      const { createUserService } = await import('../engine/users/user-service')
      return { users: createUserService({ store }) }
    },
    audit: async () => {
      const { createAuditService } = await import('../engine/audit/audit-service')
      return { audit: createAuditService({ store }) }
    },
    registry: async () => {
      const { createRegistryService } = await import('../engine/registry/registry-service')
      return { registry: createRegistryService({ store, hasFolder }) }
    },
    issues: trackers,
    todos: trackers,
  } satisfies { [Noun in WriteNoun]: () => Promise<Pick<WriteServices, Noun>> }
}
