import type { SQL } from 'bun'
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
import { kyselyOverPostgres } from './dialect/kysely-postgres'
import { executorOf, openPool } from './dialect/postgres-connection'
import { mapPostgresError } from './dialect/postgres-errors'
import { postgresMigrationTarget, readPostgresApplied } from './dialect/postgres-migration'
import { PostgresSequencer } from './dialect/postgres-sequencer'
import { PostgresWake } from './dialect/postgres-wake'
import { PostgresWriter } from './dialect/postgres-writer'
import { refuseInsideUnit } from './dialect/unit-scope'
import { eventReads } from './events'
import { feedReads } from './feed'
import { inboxReads } from './inbox-reads'
import { issueReads } from './issue-reads/issue-reads'
import { journalReads } from './journals'
import type { KeptStore } from './kept-store'
import { launchReads } from './launch-reads'
import { manifestReads } from './manifests'
import { messageReads } from './message-reads'
import { migrateUp, requireCurrent } from './migrator'
import { outputReads } from './outputs'
import { overviewReads } from './overview/overview-reads'
import { postgresCapabilities } from './postgres-capabilities'
import { postgresUnit } from './postgres-unit'
import type { ReadContext } from './read-context'
import { recallReads } from './recall-reads'
import { registryReads } from './registry/registry-reads'
import { runReads } from './runs'
import type { Schema } from './schema'
import { sessionReads } from './sessions'
import { subagentReads } from './subagents'
import { taskReads } from './task-reads/task-reads'
import { linkReads, todoReads } from './todos'
import { toolUseReads } from './tool-uses'

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`. */
  url: string
  /** `read-only` refuses `write`. */
  mode: 'read-write' | 'read-only'
  /** Brings the schema up first. Default: false, and another schema than ours is refused. */
  migrate?: boolean
}

/**
 * Opens the store on a PostgreSQL database.
 *
 * @throws `unavailable` (server away, login refused) `schema_mismatch` `invalid` (the URL)
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<KeptStore> {
  if (!/^postgres(ql)?:\/\//.test(options.url)) {
    throw new AppError('invalid', 'the database URL must begin with postgres://', {
      hint: 'Set LODELINE_DATABASE_URL to postgres://user:password@host:port/database, or unset it for SQLite.',
    })
  }
  const pool = openPool(options.url)
  try {
    if (options.migrate === true && options.mode === 'read-write') await migrateUp(postgresMigrationTarget(pool))
    requireCurrent(await readPostgresApplied(executorOf(pool)))
    return new PostgresStore(pool, options)
  } catch (thrown) {
    await pool.close({ timeout: 0 })
    throw mapPostgresError(thrown)
  }
}

/** The store on PostgreSQL: a pool, units in transactions of their own, a sequencer for the feed. */
class PostgresStore implements KeptStore {
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
  private readonly pool: SQL
  private readonly writer: PostgresWriter<WriteTx> | undefined
  private readonly sequencer: PostgresSequencer
  private readonly wake: PostgresWake
  private isClosed = false

  constructor(pool: SQL, options: PostgresStoreOptions) {
    this.pool = pool
    // A pass that failed is made again by the next commit, or the next look while somebody listens.
    this.sequencer = new PostgresSequencer(pool, () => {})
    const isWriter = options.mode === 'read-write'
    this.wake = new PostgresWake(pool, () => {
      if (isWriter) this.sequencer.wake()
    })
    if (isWriter) {
      this.writer = new PostgresWriter(pool, { transaction: postgresUnit, onCommit: () => this.sequencer.wake() })
    }
    const context: ReadContext = {
      db: kyselyOverPostgres<Schema>(executorOf(pool), { beforeQuery: () => this.assertReadable() }),
      capabilities: postgresCapabilities,
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
      return Promise.reject(new AppError('storage_readonly', 'the store was opened for reading only'))
    }
    return this.writer.write(unit, options.weight ?? 'interactive')
  }

  /** The server looks after itself (autovacuum, checkpoints); deleted rows are overwritten in its own time. */
  async maintain(): Promise<void> {
    this.assertReadable()
  }

  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    await this.writer?.close()
    await this.wake.close()
    await this.sequencer.close()
    await this.pool.close({ timeout: 5 })
  }

  private assertReadable(): void {
    if (this.isClosed) throw new AppError('unavailable', 'the store is closed')
    refuseInsideUnit('a read')
  }
}
