import type { AuditReads, AuditTx } from './audit'
import type { BudgetReads, BudgetTx } from './budget/budget-store'
import type { ConversationReads } from './conversation/conversation'
import type { EventReads } from './conversation/event-store'
import type { OutputReads } from './conversation/output'
import type { ToolUseReads } from './conversation/tool-use'
import type { CostReads } from './cost/cost'
import type { DayReads } from './day/day'
import type { FeedKind, FeedReads } from './feed'
import type { IdReads } from './id-kind'
import type { SessionId, SessionKey } from './ids'
import type { InboxReads, InboxTx } from './inbox'
import type { IssueReads, IssueTx } from './issue/issue-store'
import type { Ended } from './last-read'
import type { MessageReads, MessageTx } from './message/message-store'
import type { NotifyReads, NotifyTx } from './notify/notify'
import type { OldRowsTx } from './old-rows'
import type { FleetReads } from './overview/fleet'
import type { NeedTx, OverviewReads } from './overview/overview-store'
import type { TreeReads } from './overview/tree-level'
import type { HandoffReads, HandoffTx } from './recall/handoff-store'
import type { ManifestReads, ManifestTx } from './recall/manifest'
import type { NotifiedReads, NotifiedTx } from './recall/notified-store'
import type { RecallReads } from './recall/recall'
import type { DiagnosticReads, JournalReads } from './record/journal-store'
import type { PackReads, PackTx } from './record/pack-store'
import type { RecordTx } from './record/record-store'
import type { RegistryReads, RegistryTx } from './registry'
import type { SecretErasure, SecretReads, SecretTx } from './secrets/secret-store'
import type { LaunchReads } from './session/launch'
import type { RetentionReads } from './session/retention'
import type { SessionReads, SessionWrites, SubagentReads } from './session/session-store'
import type { ShellReads } from './session/shell'
import type { RunReads } from './subagent/subagent-run'
import type { TaskReads, TaskTx } from './task/task-store'
import type { WorkCopyReads, WorkCopyTx } from './task/work-copy'
import type { LinkReads, TodoReads, TodoTx } from './todo/todo-store'
import type { TokenReads, TokenTx } from './token/token-store'
import type { UnitSubject } from './unit-subject'
import type { UserReads, UserTx } from './user/user-store'
import type { ViewReads, ViewTx } from './view/saved-view'

/** What can be read, by noun. Reads run on connections of their own and never wait for a writer. */
export interface StoreReads {
  readonly ids: IdReads
  readonly sessions: SessionReads
  readonly events: EventReads
  readonly conversations: ConversationReads
  readonly subagents: SubagentReads
  readonly runs: RunReads
  readonly shells: ShellReads
  readonly toolUses: ToolUseReads
  readonly todos: TodoReads
  readonly links: LinkReads
  readonly retention: RetentionReads
  readonly feed: FeedReads
  readonly journals: JournalReads
  readonly diagnostics: DiagnosticReads
  readonly tasks: TaskReads
  readonly issues: IssueReads
  readonly recall: RecallReads
  readonly messages: MessageReads
  readonly inbox: InboxReads
  readonly registry: RegistryReads
  readonly tokens: TokenReads
  readonly users: UserReads
  readonly manifests: ManifestReads
  readonly launches: LaunchReads
  readonly outputs: OutputReads
  readonly overview: OverviewReads
  readonly tree: TreeReads
  readonly costs: CostReads
  readonly days: DayReads
  readonly fleet: FleetReads
  readonly audit: AuditReads
  readonly secrets: SecretReads
  readonly notify: NotifyReads
  readonly budgets: BudgetReads
  readonly workCopies: WorkCopyReads
  readonly views: ViewReads
  readonly packs: PackReads
  readonly handoffs: HandoffReads
  readonly notified: NotifiedReads
}

/**
 * The port between the engine and a database. One contract, one test suite (`test/store-contract/`), two databases.
 *
 * Writes are units of work.
 */
export interface Store extends StoreReads {
  /**
   * Runs `unit` in a transaction of its own (a savepoint inside a group commit on SQLite) and resolves when it is durable.
   *
   * Units of one process run strictly one after another on SQLite; on PostgreSQL several run at once, each in a transaction
   * of its own, and one that met a deadlock is run again from its start. A unit may await its transaction and nothing else:
   * one that awaits a timer, the network or another store call is rolled back with `internal`. `tx.now` is its one time.
   *
   * @param options  `weight`: `bulk` units let waiting `interactive` ones go first (default). `about`: see `UnitSubject`
   * @throws `unavailable`       the database stayed locked for longer than `busyTimeoutMs`
   * @throws `storage_full` `storage_readonly` `storage_corrupt`  nothing of this unit was kept; earlier ones are untouched
   */
  write<T>(
    unit: (tx: WriteTx) => Ended<T> | Promise<Ended<T>>,
    options?: { weight?: 'interactive' | 'bulk'; about?: UnitSubject | undefined },
  ): Promise<T>

  /** Waits for running units, then closes every connection. Further calls throw `unavailable`. */
  close(): Promise<void>
}

/** A unit of work's view of the database: sees its own writes. */
export interface WriteTx {
  /** Milliseconds since the epoch, the same throughout the unit (the database's clock on PostgreSQL). */
  readonly now: number
  readonly record: RecordTx
  readonly sessions: SessionWrites
  readonly tasks: TaskTx
  readonly issues: IssueTx
  readonly messages: MessageTx
  readonly inbox: InboxTx
  readonly registry: RegistryTx
  readonly tokens: TokenTx
  readonly users: UserTx
  readonly todos: TodoTx
  readonly manifests: ManifestTx
  readonly needs: NeedTx
  readonly audit: AuditTx
  readonly secrets: SecretTx
  readonly notify: NotifyTx
  readonly budgets: BudgetTx
  readonly workCopies: WorkCopyTx
  readonly views: ViewTx
  readonly packs: PackTx
  readonly handoffs: HandoffTx
  readonly notified: NotifiedTx
  readonly old: OldRowsTx
  /** For taking one secret out. */
  readonly erasure: SecretErasure
  appendFeed(
    kind: FeedKind,
    session: { key: SessionKey; id: SessionId } | null,
    data?: Record<string, unknown>,
  ): void | Promise<void>
}
