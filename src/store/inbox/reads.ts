import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { InboxFilter, InboxMessage, InboxReads, InboxReply, InboxRow, InboxTask } from '../../domain/inbox'
import { INBOX_LIMITS } from '../../domain/inbox'
import { checkLimit, decodeCursor, encodeCursor } from '../sql/cursor'
import { programDriver } from '../sql/program-driver'
import { isoTime, type ReadContext } from '../sql/read-context'
import { selectRows } from '../sql/row-statements'
import type { Schema } from '../sql/tables'
import { INBOX, SOURCE } from './rows'
import { ANY_UNTOLD } from './writes/inbox'
import { ANY_DUE } from './writes/replies'

/** Reads what came from outside. */
export function inboxReads(context: ReadContext): InboxReads {
  const select = async (where: RawBuilder<unknown>): Promise<InboxRow[]> => {
    const { rows } = await sql<object>`select ${sql.raw(INBOX.select('t'))} from inbox t where ${where}`.execute(
      context.db,
    )
    return rows.map((row) => INBOX.read(row))
  }
  return {
    async list(filter, page) {
      const limit = checkLimit(page.limit)
      const conditions = conditionsOf(filter)
      if (page.cursor !== undefined) conditions.push(sql`t.id < ${decodeCursor(page.cursor, filter, ['number'])[0]}`)
      const found = await select(sql`${sql.join(conditions, sql` and `)} order by t.id desc limit ${limit + 1}`)
      const rows = found.slice(0, limit)
      const last = found.length > limit ? rows.at(-1) : undefined
      return {
        rows: await withBelongings(context.db, rows),
        nextCursor: last === undefined ? null : encodeCursor(filter, [last.key]),
      }
    },

    find: async (id) => (await withBelongings(context.db, await select(sql`t.public_id = ${id}`)))[0],

    async count(statuses) {
      const { n } = await context.db
        .selectFrom('inbox')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .where('status', 'in', statuses)
        .executeTakeFirstOrThrow()
      return Number(n)
    },

    async sources() {
      const rows = await selectRows(context.db, SOURCE).orderBy('t.name').limit(INBOX_LIMITS.sources).execute()
      return rows.map((row) => {
        const { secret: _, createdAt, ...source } = SOURCE.read(row)
        return { ...source, createdAt: isoTime(createdAt) }
      })
    },

    async source(name) {
      const row = await selectRows(context.db, SOURCE).where('t.name', '=', name).executeTakeFirst()
      return row && SOURCE.read(row)
    },

    async work(now) {
      const drive = programDriver(context.db)
      // One after the other: a server that has nothing else to do needs no second connection for it.
      const isUntold = (await drive(ANY_UNTOLD.first())) !== undefined
      return { isUntold, isDue: (await drive(ANY_DUE.first({ now }))) !== undefined }
    },
  }
}

function conditionsOf(filter: InboxFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [sql`1 = 1`]
  if (filter.statuses !== undefined)
    conditions.push(
      filter.statuses.length === 0
        ? sql`1 = 0`
        : sql`t.status in (${sql.join(filter.statuses.map((one) => sql.lit(one)))})`,
    )
  if (filter.source !== undefined) conditions.push(sql`t.source = ${filter.source}`)
  if (filter.threadKey !== undefined) conditions.push(sql`t.thread_key = ${filter.threadKey}`)
  if (filter.taskId !== undefined)
    conditions.push(sql`t.id in (select inbox_id from inbox_tasks where task_public_id = ${filter.taskId})`)
  return conditions
}

/** Rows with their tasks, replies and what they follow up on: three reads for a page of any size. */
async function withBelongings(db: Kysely<Schema>, rows: InboxRow[]): Promise<InboxMessage[]> {
  if (rows.length === 0) return []
  const keys = sql.join(rows.map(({ key }) => sql.lit(key)))
  const [tasks, earlier, replies] = await Promise.all([
    sql<
      InboxTask & { key: number }
    >`select i.inbox_id as key, t.public_id as "taskId", t.title as title, t.status as status
      from inbox_tasks i join tasks t on t.public_id = i.task_public_id where i.inbox_id in (${keys}) order by i.id desc`.execute(
      db,
    ),
    sql<InboxTask & { key: number }>`select n.id as key, t.public_id as "taskId", t.title as title, t.status as status
      from inbox n join inbox_tasks i on i.id = (select max(x.id) from inbox o join inbox_tasks x on x.inbox_id = o.id
        where o.source = n.source and o.thread_key = n.thread_key and o.id < n.id)
      join tasks t on t.public_id = i.task_public_id where n.id in (${keys}) and n.thread_key is not null`.execute(db),
    db
      .selectFrom('inbox_replies')
      .select(['inbox_id', 'public_id', 'author', 'text', 'status', 'error', 'created_at'])
      .where(sql<boolean>`inbox_id in (${keys})`)
      .orderBy('id')
      .execute(),
  ])
  const tasksOf = grouped(tasks.rows.map(({ key, ...task }) => [key, task] as const))
  const earlierOf = grouped(earlier.rows.map(({ key, ...task }) => [key, task] as const))
  const repliesOf = grouped(
    replies.map(({ inbox_id, public_id, created_at, ...reply }): readonly [number, InboxReply] => [
      inbox_id,
      { id: public_id, ...reply, createdAt: isoTime(created_at) },
    ]),
  )
  return rows.map(({ key, onceKey: _, toldTo: __, receivedAt, answeredAt, ...row }) => ({
    ...row,
    receivedAt: isoTime(receivedAt),
    answeredAt: isoTime(answeredAt),
    tasks: (tasksOf.get(key) ?? []).slice(0, INBOX_LIMITS.shown),
    replies: (repliesOf.get(key) ?? []).slice(-INBOX_LIMITS.shown),
    followsUp: earlierOf.get(key)?.[0] ?? null,
  }))
}

function grouped<T>(entries: readonly (readonly [number, T])[]): Map<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const [key, value] of entries) groups.set(key, [...(groups.get(key) ?? []), value])
  return groups
}
