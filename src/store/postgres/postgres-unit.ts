import type { FeedKind } from '../../domain/feed'
import type { SessionId, SessionKey } from '../../domain/ids'
import type { SessionWrites } from '../../domain/session/session-store'
import type { WriteTx } from '../../domain/store'
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
import { createPostgresRecordTx } from '../record/drivers/postgres'
import { postgresDriver } from '../record/drivers/postgres-driver'
import { createRegistryTx } from '../registry/writes'
import { oldRows } from '../retention/old-rows'
import { postgresErasure, secretErasure } from '../secrets/erasure'
import { createSecretTx } from '../secrets/writes'
import { sessionWrites } from '../session/writes/session-writes'
import { postgresTaskDialect } from '../sql/dialect'
import type { Schema } from '../sql/tables'
import type { UnitScope } from '../sql/unit-scope'
import { createWorkCopyTx } from '../tasks/work-copies'
import { createTaskTx } from '../tasks/writes/task-tx'
import { createTodoTx } from '../todos/writes'
import { createTokenTx } from '../tokens/writes'
import { createUserTx } from '../users/writes'
import { createViewTx } from '../views/views'
import { kyselyOverPostgres } from './kysely-postgres'
import { deletePostgresText } from './postgres-capabilities'
import type { UnitExecutor } from './postgres-connection'

const APPEND_FEED = 'insert into feed (at, kind, session_id, session_native_id, data) values ($1, $2, $3, $4, $5)'

/** A unit's view of its transaction. */
export function postgresUnit(executor: UnitExecutor, scope: UnitScope, now: number): WriteTx {
  const driver = postgresDriver(executor)
  const record = createPostgresRecordTx(executor, () => now)
  let sessions: SessionWrites | undefined
  return {
    now,
    tasks: scope.guard(createTaskTx(driver, postgresTaskDialect, () => now)),
    issues: scope.guard(createIssueTx(driver, postgresTaskDialect)),
    todos: scope.guard(createTodoTx(driver, () => now)),
    manifests: scope.guard(createManifestTx(driver)),
    needs: scope.guard(createNeedTx(driver)),
    messages: scope.guard(createMessageTx(driver, postgresTaskDialect, () => now)),
    inbox: scope.guard(createInboxTx(driver, postgresTaskDialect)),
    registry: scope.guard(createRegistryTx(driver, postgresTaskDialect)),
    tokens: scope.guard(createTokenTx(driver, postgresTaskDialect)),
    users: scope.guard(createUserTx(driver, postgresTaskDialect)),
    audit: scope.guard(createAuditTx(driver, postgresTaskDialect)),
    secrets: scope.guard(createSecretTx(driver, () => now)),
    notify: scope.guard(createNotifyTx(driver, postgresTaskDialect)),
    budgets: scope.guard(createBudgetTx(driver)),
    workCopies: scope.guard(createWorkCopyTx(driver, () => now)),
    views: scope.guard(createViewTx(driver)),
    handoffs: scope.guard(createHandoffTx(driver, () => now)),
    notified: scope.guard(createNotifiedTx(driver, () => now)),
    old: scope.guard(oldRows(() => kyselyOverPostgres<Schema>(executor))),
    record: scope.guard(record),
    get sessions(): SessionWrites {
      sessions ??= scope.guard(sessionWrites(kyselyOverPostgres<Schema>(executor), now, deletePostgresText))
      return sessions
    },
    get packs() {
      return scope.guard(packTx(kyselyOverPostgres<Schema>(executor), now, { locks: true }))
    },
    get erasure() {
      return scope.guard(secretErasure(kyselyOverPostgres<Schema>(executor), now, postgresErasure))
    },
    appendFeed(
      kind: FeedKind,
      session: { key: SessionKey; id: SessionId } | null,
      data?: Record<string, unknown>,
    ): void | Promise<void> {
      const text = JSON.stringify(data ?? {})
      return executor.send(APPEND_FEED, [now, kind, session?.key ?? null, session?.id ?? null, text])
    },
  }
}
