import type { InboxId, TaskId } from '../../../domain/ids'
import type { InboxRow, InboxTask, InboxTx, NewInboxRow } from '../../../domain/inbox'
import { INBOX_LIMITS } from '../../../domain/inbox'
import { perDialect, type TaskDialect } from '../../sql/dialect'
import { first, type Program, rows, run } from '../../sql/program'
import { FINAL_STATUSES, INBOX } from '../rows'

const FIELDS = INBOX.names('key')

const INSERT = `${INBOX.insert(FIELDS)} on conflict (source, once_key) do nothing`
const SELECT = `select ${INBOX.select('t')} from inbox t`
/** Decided on by whoever reads it: nobody else changes it before the unit's end. */
const BY_ID = perDialect((db) => `${SELECT} where t.public_id = ?${db.lock}`)
const BY_KEY = perDialect((db) => `${SELECT} where t.id = ?${db.lock}`)
const BY_ONCE_KEY = perDialect((db) => `${SELECT} where t.source = ? and t.once_key = ?${db.lock}`)
/** Nobody was told of it, or only a lead task that is over. */
export const UNTOLD = `t.status = 'new' and (t.told_to is null
  or exists (select 1 from tasks k where k.public_id = t.told_to and k.status in ${FINAL_STATUSES}))`
const UNTOLD_ROWS = perDialect((db) => `${SELECT} where ${UNTOLD} order by t.id limit ?${db.lock}`)

export function* insertInbox(db: TaskDialect, row: NewInboxRow): Program<InboxRow | undefined> {
  const added = yield* run(INSERT, ...INBOX.values(row, FIELDS))
  return added === 0 ? undefined : yield* findInbox(db, row.id)
}

export function* findInbox(db: TaskDialect, id: InboxId): Program<InboxRow | undefined> {
  const row = yield* first<object>(BY_ID(db), id)
  return row && INBOX.read(row)
}

export function* inboxByKey(db: TaskDialect, key: number): Program<InboxRow | undefined> {
  const row = yield* first<object>(BY_KEY(db), key)
  return row && INBOX.read(row)
}

export function* inboxByOnceKey(db: TaskDialect, source: string, onceKey: string): Program<InboxRow | undefined> {
  const row = yield* first<object>(BY_ONCE_KEY(db), source, onceKey)
  return row && INBOX.read(row)
}

export function* updateInbox(key: number, patch: Parameters<InboxTx['update']>[1]): Program<void> {
  const update = INBOX.update(patch)
  if (update !== undefined) yield* run(update.sql, ...update.params, key)
}

export function* countNew(source: string): Program<number> {
  const row = yield* first<{ n: number }>(`select count(*) as n from inbox where status = 'new' and source = ?`, source)
  return Number(row?.n ?? 0)
}

export function* untold(db: TaskDialect, limit: number): Program<InboxRow[]> {
  return (yield* rows<object>(UNTOLD_ROWS(db), limit)).map((row) => INBOX.read(row))
}

export function* addTask(key: number, task: TaskId, at: number): Program<void> {
  yield* run(
    `insert into inbox_tasks (inbox_id, task_public_id, at) values (?, ?, ?)
      on conflict (inbox_id, task_public_id) do nothing`,
    key,
    task,
    at,
  )
}

const TASK = `t.public_id as "taskId", t.title as title, t.status as status`

export function* tasksOf(key: number): Program<InboxTask[]> {
  return yield* rows<InboxTask>(
    `select ${TASK} from inbox_tasks i join tasks t on t.public_id = i.task_public_id
      where i.inbox_id = ? order by i.id desc limit ${INBOX_LIMITS.shown}`,
    key,
  )
}

export function* threadTask({
  key,
  source,
  threadKey,
}: Pick<InboxRow, 'key' | 'source' | 'threadKey'>): Program<InboxTask | undefined> {
  if (threadKey === null) return undefined
  return yield* first<InboxTask>(
    `select ${TASK} from inbox n join inbox_tasks i on i.inbox_id = n.id join tasks t on t.public_id = i.task_public_id
      where n.source = ? and n.thread_key = ? and n.id < ? order by i.id desc limit 1`,
    source,
    threadKey,
    key,
  )
}

/** An agent with a lead's rights that was heard of since, else the newest open task that leads. */
export function* presentLead(since: number): Program<string | undefined> {
  const row = yield* first<{ id: string }>(
    `select public_id as id from agents where kind = 'lead' and last_seen_at >= ? order by last_seen_at desc limit 1`,
    since,
  )
  if (row !== undefined) return row.id
  const task = yield* first<{ id: string }>(
    `select public_id as id from tasks where task_type = 'lead' and status not in ${FINAL_STATUSES} order by id desc limit 1`,
  )
  return task?.id
}
