import { existsSync } from 'node:fs'
import { createApp } from '../api/server/app'
import type { Config } from '../config/load'
import type { IssueService } from '../engine/issues/issue-service'
import type { TaskService } from '../engine/tasks/task-service'
import type { Logger } from '../util/log'
import { VERSION } from '../util/version'
import { createCatchUp } from './catch-up'
import { databasePath, openDatabase } from './database'
import { ensureHome, type HostIdentity, hostIdentity } from './home'
import { createIssueFiles } from './issue-files'
import type { RecordEngine } from './record-engine'
import { createServices } from './services'

export interface InProcessOptions {
  config: Config
  log: Logger
}

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
export async function openInProcess({ config, log }: InProcessOptions): Promise<InProcessApp> {
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
  const tasks = async (): Promise<TaskService> => await (await write()).tasks()
  const issues = async (): Promise<IssueService> => await (await write()).issues()
  const catchUp = createCatchUp({ config, store, hostName: host.name, engine })
  const services = createServices({
    config,
    store,
    engine,
    tasks,
    issues,
    issueFiles: createIssueFiles({ hostName: host.name, home: config.home }),
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
  })
  return {
    fetch: (request) => app.fetch(request),
    async close() {
      await (await writing?.catch(() => undefined))?.close()
      await store.close()
    },
  }
}

interface WriteSide {
  /** Loaded by itself: a command that writes tasks or issues has no use for parsers. */
  engine(): Promise<RecordEngine>
  tasks(): Promise<TaskService>
  issues(): Promise<IssueService>
  close(): Promise<void>
}

/** The write side is loaded and opened when something is first written: most commands only read. */
async function openWriteSide(config: Config, host: HostIdentity): Promise<WriteSide> {
  const store = await openDatabase(config, { mode: 'read-write' })
  let recording: RecordEngine | undefined
  let service: TaskService | undefined
  let issueService: IssueService | undefined
  return {
    async engine() {
      const { createRecordEngine } = await import('./record-engine')
      recording ??= createRecordEngine(store, host, null, config.manifest.enabled ? { manifestHome: config.home } : {})
      return recording
    },
    async tasks() {
      const { createTaskService } = await import('../engine/tasks/create-service')
      service ??= createTaskService({ store })
      return service
    },
    async issues() {
      const { createIssueService } = await import('../engine/issues/create-service')
      const files = createIssueFiles({ hostName: host.name, home: config.home })
      issueService ??= createIssueService({ store, files, writes: () => config.issueFile.write })
      return issueService
    },
    close: async () => await (recording ?? store).close(),
  }
}
