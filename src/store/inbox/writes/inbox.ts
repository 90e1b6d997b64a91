import { type Kysely, sql } from 'kysely'
import type { AgentId, InboxId, TaskId } from '../../../domain/ids'
import type { InboxRow, InboxTask, InboxTx, NewInboxRow } from '../../../domain/inbox'
import { INBOX_LIMITS } from '../../../domain/inbox'
import { FINAL_TASK_STATUSES } from '../../../domain/task/task'
import { perDialect, type TaskDialect } from '../../sql/dialect'
import type { Program } from '../../sql/program'
import { insertRow, selectRows, updateRow } from '../../sql/row-statements'
import { statement } from '../../sql/statement'
import type { Schema } from '../../sql/tables'
import { INBOX } from '../rows'

const INSERT = insertRow(INBOX, INBOX.names('key'), [], (insert) =>
  insert.onConflict((conflict) => conflict.columns(['source', 'once_key']).doNothing()),
)

/** The reader decides on it: nobody else changes it before the unit's end. */
const BY_ID = perDialect(({ lock }) =>
  statement<{ id: InboxId }>()((db, param) =>
    selectRows(db, INBOX).where('t.public_id', '=', param('id')).modifyEnd(sql.raw(lock)),
  ),
)
const BY_KEY = perDialect(({ lock }) =>
  statement<{ key: number }>()((db, param) =>
    selectRows(db, INBOX).where('t.id', '=', param('key')).modifyEnd(sql.raw(lock)),
  ),
)
const BY_ONCE_KEY = perDialect(({ lock }) =>
  statement<{ source: string; onceKey: string }>()((db, param) =>
    selectRows(db, INBOX)
      .where('t.source', '=', param('source'))
      .where('t.once_key', '=', param('onceKey'))
      .modifyEnd(sql.raw(lock)),
  ),
)

export function* insertInbox(db: TaskDialect, row: NewInboxRow): Program<InboxRow | undefined> {
  const added = yield* INSERT.changed(row)
  return added === 0 ? undefined : yield* findInbox(db, row.id)
}

export function* findInbox(db: TaskDialect, id: InboxId): Program<InboxRow | undefined> {
  return yield* BY_ID(db).first({ id })
}

export function* inboxByKey(db: TaskDialect, key: number): Program<InboxRow | undefined> {
  return yield* BY_KEY(db).first({ key })
}

export function* inboxByOnceKey(db: TaskDialect, source: string, onceKey: string): Program<InboxRow | undefined> {
  return yield* BY_ONCE_KEY(db).first({ source, onceKey })
}

export function* updateInbox(key: number, patch: Parameters<InboxTx['update']>[1]): Program<void> {
  yield* updateRow(INBOX, patch, key)
}

const COUNT_NEW = statement<{ source: string }>()((db, param) =>
  db
    .selectFrom('inbox')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('status', '=', 'new')
    .where('source', '=', param('source')),
)

export function* countNew(source: string): Program<number> {
  return (yield* COUNT_NEW.first({ source }))?.n ?? 0
}

/** No lead was notified of it, or only a lead task that is over. */
const untoldRows = (db: Kysely<Schema>) =>
  selectRows(db, INBOX)
    .where('t.status', '=', 'new')
    .where((eb) =>
      eb.or([
        eb('t.told_to', 'is', null),
        eb.exists(
          eb
            .selectFrom('tasks as k')
            .select(sql.lit(1).as('one'))
            .whereRef('k.public_id', '=', 't.told_to')
            .where('k.status', 'in', FINAL_TASK_STATUSES),
        ),
      ]),
    )
const UNTOLD = perDialect(({ lock }) =>
  statement<{ limit: number }>()((db, param) =>
    untoldRows(db).orderBy('t.id').limit(param('limit')).modifyEnd(sql.raw(lock)),
  ),
)
export const ANY_UNTOLD = statement()((db) => untoldRows(db).clearSelect().select('t.id').limit(1))

export function* untold(db: TaskDialect, limit: number): Program<InboxRow[]> {
  return yield* UNTOLD(db).rows({ limit })
}

const ADD_TASK = statement<{ key: number; task: TaskId; at: number }>()((db, param) =>
  db
    .insertInto('inbox_tasks')
    .values({ inbox_id: param('key'), task_public_id: param('task'), at: param('at') })
    .onConflict((conflict) => conflict.columns(['inbox_id', 'task_public_id']).doNothing()),
)

export function* addTask(key: number, task: TaskId, at: number): Program<void> {
  yield* ADD_TASK.run({ key, task, at })
}

const TASKS_OF = statement<{ key: number }>()((db, param) =>
  db
    .selectFrom('inbox_tasks as i')
    .innerJoin('tasks as t', 't.public_id', 'i.task_public_id')
    .select(['t.public_id as taskId', 't.title', 't.status'])
    .where('i.inbox_id', '=', param('key'))
    .orderBy('i.id', 'desc')
    .limit(INBOX_LIMITS.shown),
)

export const tasksOf = (key: number): Program<InboxTask[]> => TASKS_OF.rows({ key })

const THREAD_TASK = statement<{ key: number; source: string; threadKey: string }>()((db, param) =>
  db
    .selectFrom('inbox as n')
    .innerJoin('inbox_tasks as i', 'i.inbox_id', 'n.id')
    .innerJoin('tasks as t', 't.public_id', 'i.task_public_id')
    .select(['t.public_id as taskId', 't.title', 't.status'])
    .where('n.source', '=', param('source'))
    .where('n.thread_key', '=', param('threadKey'))
    .where('n.id', '<', param('key'))
    .orderBy('i.id', 'desc')
    .limit(1),
)

export function* threadTask({
  key,
  source,
  threadKey,
}: Pick<InboxRow, 'key' | 'source' | 'threadKey'>): Program<InboxTask | undefined> {
  return threadKey === null ? undefined : yield* THREAD_TASK.first({ key, source, threadKey })
}

const LEAD = statement<{ since: number }>()((db, param) =>
  db
    .selectFrom('agents')
    .select('public_id as id')
    .where('kind', '=', 'lead')
    .where('last_seen_at', '>=', param('since'))
    .orderBy('last_seen_at', 'desc')
    .limit(1),
)
const LEAD_TASK = statement()((db) =>
  db
    .selectFrom('tasks')
    .select('public_id as id')
    .where('task_type', '=', 'lead')
    .where('status', 'not in', FINAL_TASK_STATUSES)
    .orderBy('id', 'desc')
    .limit(1),
)

/** An agent with a lead's rights that was heard of since, else the newest open task that leads. */
export function* presentLead(since: number): Program<AgentId | TaskId | undefined> {
  return ((yield* LEAD.first({ since })) ?? (yield* LEAD_TASK.first()))?.id
}
