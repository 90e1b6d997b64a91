import { existsSync, statSync } from 'node:fs'
import { createApp } from '../api/server/app'
import type { Config } from '../config/load'
import type { InboxService } from '../engine/inbox/inbox-service'
import type { IssueService } from '../engine/issues/issue-service'
import type { MessageService } from '../engine/messages/message-service'
import type { RegistryService } from '../engine/registry/registry-service'
import type { TaskService } from '../engine/tasks/task-service'
import type { TodoService } from '../engine/todos/todo-service'
import { leaveDatabases } from '../util/end-process'
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
  /** The process ends when this is closed. Default: false. */
  endsProcess?: boolean
}

/**
 * A log of so many bytes is left to the next process, which reads it in about a millisecond. Who closes the database last copies
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
  const tasks = async (): Promise<TaskService> => await (await write()).tasks()
  const messages = async (): Promise<MessageService> => await (await write()).messages()
  const inbox = async (): Promise<InboxService> => await (await write()).inbox()
  const registry = async (): Promise<RegistryService> => await (await write()).registry()
  const issues = async (): Promise<IssueService> => (await (await write()).trackers()).issues
  const todos = async (): Promise<TodoService> => (await (await write()).trackers()).todos
  const catchUp = createCatchUp({ config, store, hostName: host.name, engine })
  const services = createServices({
    config,
    store,
    engine,
    tasks,
    messages,
    registry,
    inbox,
    issues,
    todos,
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
  tasks(): Promise<TaskService>
  messages(): Promise<MessageService>
  registry(): Promise<RegistryService>
  inbox(): Promise<InboxService>
  trackers(): Promise<{ issues: IssueService; todos: TodoService }>
  close(): Promise<void>
}

/** The write side is loaded and opened when something is first written: most commands only read. */
async function openWriteSide(config: Config, host: HostIdentity): Promise<WriteSide> {
  const store = await openDatabase(config, { mode: 'read-write' })
  let recording: RecordEngine | undefined
  let service: TaskService | undefined
  let messages: MessageService | undefined
  let registry: RegistryService | undefined
  let inbox: InboxService | undefined
  let trackers: { issues: IssueService; todos: TodoService } | undefined
  return {
    async engine() {
      const { createRecordEngine, todoFoldOf } = await import('./record-engine')
      recording ??= createRecordEngine(store, host, null, {
        ...(config.manifest.enabled && { manifestHome: config.home }),
        todos: todoFoldOf(config),
      })
      return recording
    },
    async tasks() {
      const { createTaskService } = await import('../engine/tasks/create-service')
      service ??= createTaskService({ store, spawnLimits: config.tasks })
      return service
    },
    async messages() {
      const { createMessageService } = await import('../engine/messages/create-service')
      messages ??= createMessageService({ store })
      return messages
    },
    async inbox() {
      const { createInboxService } = await import('../engine/inbox/create-service')
      inbox ??= createInboxService({ store })
      return inbox
    },
    async registry() {
      const { createRegistryService } = await import('../engine/registry/create-service')
      registry ??= createRegistryService({ store })
      return registry
    },
    async trackers() {
      const { trackerServices, trackerSettings } = await import('./tracker-services')
      const files = createIssueFiles({ hostName: host.name, home: config.home })
      trackers ??= trackerServices(store, files, trackerSettings(config))
      return trackers
    },
    close: async () => await (recording ?? store).close(),
  }
}
