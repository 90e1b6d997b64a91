import type { ConversationReads } from '../domain/conversation'
import type { CostReads } from '../domain/cost'
import { AppError } from '../domain/errors'
import type { FleetReads } from '../domain/fleet'
import type { InboxReads } from '../domain/inbox'
import type { IssueReads } from '../domain/issue-store'
import type { LaunchReads } from '../domain/launch'
import type { ManifestReads } from '../domain/manifest'
import type { MessageReads } from '../domain/message-store'
import type { OutputReads } from '../domain/output'
import type { OverviewReads } from '../domain/overview-store'
import { costOf } from '../domain/price'
import type { RecallReads } from '../domain/recall'
import type { RegistryReads } from '../domain/registry'
import type {
  DiagnosticReads,
  EventReads,
  FeedReads,
  JournalReads,
  SessionReads,
  SubagentReads,
  WriteTx,
} from '../domain/store'
import type { RunReads } from '../domain/subagent-run'
import type { TaskReads } from '../domain/task-store'
import type { LinkReads, TodoReads } from '../domain/todo-store'
import type { ToolUseReads } from '../domain/tool-use'
import type { TreeReads } from '../domain/tree-level'
import { conversationReads } from './conversation'
import { dashboardReads } from './dashboard-reads'
import { diagnosticReads } from './diagnostics'
import { kyselyOverSqlite } from './dialect/kysely-sqlite'
import { openSqlite, type SqliteConnection } from './dialect/sqlite-connection'
import { readApplied, sqliteMigrationTarget } from './dialect/sqlite-migration'
import { SqliteWake } from './dialect/sqlite-wake'
import { SqliteWriter, type UnitViews } from './dialect/sqlite-writer'
import { refuseInsideUnit } from './dialect/unit-scope'
import { WriteGate } from './dialect/write-gate'
import { eventReads } from './events'
import { feedReads } from './feed'
import { inboxReads } from './inbox-reads'
import { issueReads } from './issue-reads/issue-reads'
import { journalReads } from './journals'
import type { KeptStore, MaintenanceTask } from './kept-store'
import { launchReads } from './launch-reads'
import { manifestReads } from './manifests'
import { messageReads } from './message-reads'
import { migrateUp, requireCurrent } from './migrator'
import { outputReads } from './outputs'
import { overviewReads } from './overview/overview-reads'
import type { ReadContext } from './read-context'
import { recallReads } from './recall-reads'
import { registryReads } from './registry/registry-reads'
import { runReads } from './runs'
import type { Schema } from './schema'
import { sessionReads } from './sessions'
import { sqliteCapabilities } from './sqlite-capabilities'
import { maintainSqlite } from './sqlite-maintenance'
import { subagentReads } from './subagents'
import { taskReads } from './task-reads/task-reads'
import { linkReads, todoReads } from './todos'
import { toolUseReads } from './tool-uses'

export interface SqliteStoreOptions {
  /** The database file. */
  path: string
  /** `read-only` opens no write connection; `write` is refused. */
  mode: 'read-write' | 'read-only'
  /** Makes the file and brings the schema up first. Default: false, and another schema than ours is refused. */
  migrate?: boolean
  /** Memory of `createWriteGate`, shared by all threads of this process that write. */
  gate?: SharedArrayBuffer
  /** Milliseconds that a read or a unit waits for a foreign lock. Default: 2,000. */
  busyTimeoutMs?: number
  /** Opens on a network file system all the same: only one host uses the file. Default: false. */
  allowNetwork?: boolean
}

/**
 * Opens the store on a SQLite file.
 *
 * @throws `not_found`        no such file, and `migrate` is not set
 * @throws `schema_mismatch`  the file's schema is older or newer than ours
 * @throws `invalid` `storage_readonly` `storage_corrupt` `storage_full` `unavailable`
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<KeptStore> {
  const allowNetwork = options.allowNetwork === true
  let writer: SqliteConnection | undefined
  let reader: SqliteConnection | undefined
  try {
    if (options.mode === 'read-write') {
      writer = openSqlite(options.path, { role: 'write', create: options.migrate === true, allowNetwork })
      if (options.migrate === true) await migrateUp(sqliteMigrationTarget(writer))
    }
    reader = openSqlite(options.path, { role: 'read', allowNetwork })
    requireCurrent(readApplied(reader))
    // Most commands only read: the write side, with all its programs, is loaded where it is opened.
    const views = writer === undefined ? undefined : (await import('./sqlite-unit')).sqliteTransactions(writer)
    return new SqliteStore(
      reader,
      writer === undefined || views === undefined ? undefined : { connection: writer, views },
      options,
    )
  } catch (thrown) {
    reader?.close()
    writer?.close()
    throw thrown
  }
}

/** The store on SQLite: one write connection with its writer, one connection for reads. */
class SqliteStore implements KeptStore {
  readonly sessions: SessionReads
  readonly events: EventReads
  readonly conversations: ConversationReads
  readonly subagents: SubagentReads
  readonly runs: RunReads
  readonly toolUses: ToolUseReads
  readonly todos: TodoReads
  readonly links: LinkReads
  readonly feed: FeedReads
  readonly journals: JournalReads
  readonly diagnostics: DiagnosticReads
  readonly tasks: TaskReads
  readonly issues: IssueReads
  readonly recall: RecallReads
  readonly messages: MessageReads
  readonly inbox: InboxReads
  readonly registry: RegistryReads
  readonly manifests: ManifestReads
  readonly launches: LaunchReads
  readonly outputs: OutputReads
  readonly overview: OverviewReads
  readonly tree: TreeReads
  readonly costs: CostReads
  readonly fleet: FleetReads
  private readonly reader: SqliteConnection
  private readonly connection: SqliteConnection | undefined
  private readonly gate: WriteGate | undefined
  private readonly writer: SqliteWriter<WriteTx> | undefined
  private readonly wake: SqliteWake
  private isClosed = false

  constructor(
    reader: SqliteConnection,
    writes: { connection: SqliteConnection; views: UnitViews<WriteTx> } | undefined,
    options: SqliteStoreOptions,
  ) {
    const busyTimeoutMs = options.busyTimeoutMs ?? 2_000
    this.reader = reader
    this.connection = writes?.connection
    if (options.gate !== undefined) this.gate = new WriteGate(options.gate)
    this.wake = new SqliteWake(reader, this.gate)
    if (writes !== undefined) {
      this.writer = new SqliteWriter(writes.connection, {
        views: writes.views,
        busyTimeoutMs,
        onCommit: () => this.wake.wake(),
        ...(this.gate === undefined ? {} : { gate: this.gate }),
      })
    }
    const context: ReadContext = {
      db: kyselyOverSqlite<Schema>(reader, { beforeQuery: () => this.assertReadable(), busyTimeoutMs }),
      capabilities: sqliteCapabilities(reader),
      costOf,
    }
    this.sessions = sessionReads(context)
    this.events = eventReads(context)
    this.conversations = conversationReads(context)
    this.subagents = subagentReads(context, this.sessions)
    this.runs = runReads(context, this.sessions)
    this.toolUses = toolUseReads(context)
    this.todos = todoReads(context)
    this.links = linkReads(context)
    this.feed = feedReads(context, (wake) => this.wake.subscribe(wake))
    this.journals = journalReads(context)
    this.diagnostics = diagnosticReads(context)
    this.tasks = taskReads(context)
    this.issues = issueReads(context)
    this.messages = messageReads(context)
    this.inbox = inboxReads(context)
    this.registry = registryReads(context)
    this.recall = recallReads(context)
    this.manifests = manifestReads(context)
    this.launches = launchReads(context)
    this.outputs = outputReads(context)
    this.overview = overviewReads(context)
    const { tree, costs, fleet } = dashboardReads(context, this.feed)
    this.tree = tree
    this.costs = costs
    this.fleet = fleet
  }

  write<T>(unit: (tx: WriteTx) => T | Promise<T>, options: { weight?: 'interactive' | 'bulk' } = {}): Promise<T> {
    try {
      refuseInsideUnit('write')
    } catch (thrown) {
      return Promise.reject(thrown)
    }
    if (this.writer === undefined) {
      return Promise.reject(readOnly())
    }
    return this.writer.write(unit, options.weight ?? 'interactive')
  }

  async maintain(task: MaintenanceTask): Promise<void> {
    if (this.connection === undefined) throw readOnly()
    await maintainSqlite(this.reader.path, task)
  }

  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    this.wake.close()
    await this.writer?.close()
    this.gate?.leave()
    this.reader.close()
    this.connection?.close()
  }

  private assertReadable(): void {
    if (this.isClosed) throw new AppError('unavailable', 'the store is closed')
    refuseInsideUnit('a read')
  }
}

const readOnly = (): AppError => new AppError('storage_readonly', 'the store was opened for reading only')
