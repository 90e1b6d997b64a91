import type { Kysely } from 'kysely'
import type { AuditTx } from '../../domain/audit'
import type { BudgetTx } from '../../domain/budget/budget-store'
import type { FeedKind } from '../../domain/feed'
import type { SessionId, SessionKey } from '../../domain/ids'
import type { InboxTx } from '../../domain/inbox'
import type { IssueTx } from '../../domain/issue/issue-store'
import type { MessageTx } from '../../domain/message/message-store'
import type { NotifyTx } from '../../domain/notify/notify'
import type { OldRowsTx } from '../../domain/old-rows'
import type { NeedTx } from '../../domain/overview/overview-store'
import type { HandoffTx } from '../../domain/recall/handoff-store'
import type { ManifestTx } from '../../domain/recall/manifest'
import type { NotifiedTx } from '../../domain/recall/notified-store'
import type { PackTx } from '../../domain/record/pack-store'
import type { RecordTx } from '../../domain/record/record-store'
import type { RegistryTx } from '../../domain/registry'
import type { SecretErasure, SecretTx } from '../../domain/secrets/secret-store'
import type { SessionWrites } from '../../domain/session/session-store'
import type { WriteTx } from '../../domain/store'
import type { TaskTx } from '../../domain/task/task-store'
import type { WorkCopyTx } from '../../domain/task/work-copy'
import type { TodoTx } from '../../domain/todo/todo-store'
import type { TokenTx } from '../../domain/token/token-store'
import type { UserTx } from '../../domain/user/user-store'
import type { ViewTx } from '../../domain/view/saved-view'
import { createAuditTx } from '../audit/writes'
import { createBudgetTx } from '../budgets/writes'
import { createInboxTx } from '../inbox/writes/inbox-tx'
import { createIssueTx } from '../issues/writes/issue-tx'
import { createMessageTx } from '../messages/writes/message-tx'
import { createNotifyTx } from '../notify/writes'
import { createNeedTx } from '../overview/dismissals'
import { packTx } from '../packs/pack-tx'
import { createHandoffTx } from '../recall/handoffs'
import { createManifestTx } from '../recall/manifests'
import { createNotifiedTx } from '../recall/notified'
import { createSqliteRecordTx } from '../record/drivers/sqlite'
import { sqliteDriver } from '../record/drivers/sqlite-driver'
import { SqliteTextQueue } from '../record/drivers/sqlite-text'
import { createRegistryTx } from '../registry/writes'
import { oldRows } from '../retention/old-rows'
import { secretErasure, sqliteErasure } from '../secrets/erasure'
import { createSecretTx } from '../secrets/writes'
import { sessionWrites } from '../session/writes/session-writes'
import { sqliteTaskDialect } from '../sql/dialect'
import type { Schema } from '../sql/tables'
import type { UnitScope } from '../sql/unit-scope'
import { cleanText } from '../sql/values'
import { createWorkCopyTx } from '../tasks/work-copies'
import { ReadAgents } from '../tasks/writes/read-agents'
import { ReadTasks } from '../tasks/writes/read-tasks'
import { createTaskTx } from '../tasks/writes/task-tx'
import { createTodoTx } from '../todos/writes'
import { createTokenTx } from '../tokens/writes'
import { createUserTx } from '../users/writes'
import { createViewTx } from '../views/views'
import { kyselyOverSqlite } from './kysely-sqlite'
import { deleteSqliteText } from './sqlite-capabilities'
import type { SqliteConnection } from './sqlite-connection'
import type { UnitViews } from './sqlite-writer'

const APPEND_FEED = 'insert into feed (at, kind, session_id, session_native_id, data) values (?, ?, ?, ?, ?)'

/** Makes units' views of one write connection. Ports over programs are made once: their statements are the connection's. */
export function sqliteTransactions(connection: SqliteConnection): UnitViews<WriteTx> {
  const clock = { now: 0 }
  const texts = new SqliteTextQueue(connection)
  const record = createSqliteRecordTx(connection, texts, () => clock.now)
  const readTasks = new ReadTasks()
  const readAgents = new ReadAgents()
  const tasks = createTaskTx(sqliteDriver(connection), sqliteTaskDialect, () => clock.now, readTasks, readAgents)
  const issues = createIssueTx(sqliteDriver(connection), sqliteTaskDialect)
  const todos = createTodoTx(sqliteDriver(connection), () => clock.now)
  const manifests = createManifestTx(sqliteDriver(connection))
  const needs = createNeedTx(sqliteDriver(connection))
  const messages = createMessageTx(sqliteDriver(connection), sqliteTaskDialect, () => clock.now)
  const inbox = createInboxTx(sqliteDriver(connection), sqliteTaskDialect)
  const registry = createRegistryTx(sqliteDriver(connection), sqliteTaskDialect)
  const tokens = createTokenTx(sqliteDriver(connection), sqliteTaskDialect)
  const users = createUserTx(sqliteDriver(connection), sqliteTaskDialect)
  const audit = createAuditTx(sqliteDriver(connection), sqliteTaskDialect)
  const secrets = createSecretTx(sqliteDriver(connection), () => clock.now)
  const notify = createNotifyTx(sqliteDriver(connection), sqliteTaskDialect)
  const budgets = createBudgetTx(sqliteDriver(connection))
  const workCopies = createWorkCopyTx(sqliteDriver(connection), () => clock.now)
  const views = createViewTx(sqliteDriver(connection))
  const handoffs = createHandoffTx(sqliteDriver(connection), () => clock.now)
  const notified = createNotifiedTx(sqliteDriver(connection), () => clock.now)
  return {
    open(scope, now) {
      clock.now = now
      readTasks.clear()
      readAgents.clear()
      const ports = {
        record,
        tasks,
        issues,
        todos,
        manifests,
        needs,
        messages,
        inbox,
        registry,
        tokens,
        users,
        audit,
        secrets,
        notify,
        budgets,
        workCopies,
        views,
        handoffs,
        notified,
        texts,
      }
      return new SqliteUnit(connection, ports, scope, now)
    },
    mark: () => texts.length,
    undo: (mark) => texts.cut(mark),
    beforeCommit: () => texts.flush(),
  }
}

class SqliteUnit implements WriteTx {
  readonly now: number
  readonly record: RecordTx
  readonly tasks: TaskTx
  readonly issues: IssueTx
  readonly todos: TodoTx
  readonly manifests: ManifestTx
  readonly needs: NeedTx
  readonly messages: MessageTx
  readonly inbox: InboxTx
  readonly registry: RegistryTx
  readonly tokens: TokenTx
  readonly users: UserTx
  readonly audit: AuditTx
  readonly secrets: SecretTx
  readonly notify: NotifyTx
  readonly budgets: BudgetTx
  readonly workCopies: WorkCopyTx
  readonly views: ViewTx
  readonly handoffs: HandoffTx
  readonly notified: NotifiedTx
  private readonly connection: SqliteConnection
  private readonly texts: SqliteTextQueue
  private readonly scope: UnitScope
  private madeSessions: SessionWrites | undefined

  constructor(
    connection: SqliteConnection,
    ports: {
      record: RecordTx
      tasks: TaskTx
      issues: IssueTx
      todos: TodoTx
      manifests: ManifestTx
      needs: NeedTx
      messages: MessageTx
      inbox: InboxTx
      registry: RegistryTx
      tokens: TokenTx
      users: UserTx
      audit: AuditTx
      secrets: SecretTx
      notify: NotifyTx
      budgets: BudgetTx
      workCopies: WorkCopyTx
      views: ViewTx
      handoffs: HandoffTx
      notified: NotifiedTx
      texts: SqliteTextQueue
    },
    scope: UnitScope,
    now: number,
  ) {
    this.connection = connection
    this.texts = ports.texts
    this.scope = scope
    this.now = now
    this.record = scope.guard(ports.record)
    this.tasks = scope.guard(ports.tasks)
    this.issues = scope.guard(ports.issues)
    this.todos = scope.guard(ports.todos)
    this.manifests = scope.guard(ports.manifests)
    this.needs = scope.guard(ports.needs)
    this.messages = scope.guard(ports.messages)
    this.inbox = scope.guard(ports.inbox)
    this.registry = scope.guard(ports.registry)
    this.tokens = scope.guard(ports.tokens)
    this.users = scope.guard(ports.users)
    this.audit = scope.guard(ports.audit)
    this.secrets = scope.guard(ports.secrets)
    this.notify = scope.guard(ports.notify)
    this.budgets = scope.guard(ports.budgets)
    this.workCopies = scope.guard(ports.workCopies)
    this.views = scope.guard(ports.views)
    this.handoffs = scope.guard(ports.handoffs)
    this.notified = scope.guard(ports.notified)
  }

  get sessions(): SessionWrites {
    // Forgetting removes rows of the text index.
    this.texts.flush()
    this.madeSessions ??= this.scope.guard(sessionWrites(this.queries(), this.now, deleteSqliteText))
    return this.madeSessions
  }

  appendFeed(kind: FeedKind, session: { key: SessionKey; id: SessionId } | null, data?: Record<string, unknown>): void {
    this.scope.assertOpen()
    const text = cleanText(JSON.stringify(data ?? {}))
    const id = session === null ? null : cleanText(session.id)
    this.connection.statement(APPEND_FEED).run(this.now, kind, session?.key ?? null, id, text)
  }

  get old(): OldRowsTx {
    return this.scope.guard(oldRows(() => this.queries()))
  }

  get packs(): PackTx {
    return this.scope.guard(packTx(this.queries(), this.now, { locks: false }))
  }

  get erasure(): SecretErasure {
    this.texts.flush()
    return this.scope.guard(secretErasure(this.queries(), this.now, sqliteErasure))
  }

  private queries(): Kysely<Schema> {
    return kyselyOverSqlite<Schema>(this.connection, { beforeQuery: () => this.scope.assertOpen() })
  }
}
