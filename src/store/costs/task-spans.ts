import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { addSpan, type TaskSpan } from '../record/task-spans'
import type { ReadContext } from '../sql/read-context'

/** By session, in the order in which its tasks had it. */
export type TaskSpans = Map<number, TaskSpan[]>

/**
 * Which tasks had the sessions of some messages `u`, and from when on, in that order. What came before the first of them is its own
 * too: it goes on from there.
 */
export const readSpansIn = (context: ReadContext, messages: RawBuilder<unknown>): Promise<TaskSpans> =>
  readSpans(context, sql`where s.id in (select u.session_id from usage_messages u where ${messages})`)

/** The same of the sessions alone that an attempt of one of these tasks had; of those all tasks. Two walks along indexes. */
export function readSpansOf(context: ReadContext, tasks: readonly number[]): Promise<TaskSpans> {
  const { inKeys } = context.capabilities
  const own = sql`select ${conversationOf(context, 'k')} from attempts k where ${inKeys(sql.ref<number>('k.task_id'), tasks)}`
  return readSpans(context, sql`where ${conversationOf(context, 'a')} in (${own})`)
}

const conversationOf = ({ capabilities }: ReadContext, attempt: string) =>
  sql.raw(capabilities.jsonText(`${attempt}.conversation`, 'sessionId'))

async function readSpans(context: ReadContext, where: RawBuilder<unknown>): Promise<TaskSpans> {
  const { rows } = await sql<{ session: number; task: number; at: number }>`
    select s.id as session, a.task_id as task, a.started_at as at
      from attempts a join sessions s on s.native_id = ${conversationOf(context, 'a')} ${where}
     order by s.id, a.started_at, a.id
  `.execute(context.db)
  const spans: TaskSpans = new Map()
  for (const { session, task, at } of rows) {
    const known = spans.get(session) ?? []
    spans.set(session, known)
    addSpan(known, task, at)
  }
  return spans
}

/** As `taskAt`, for the database: whether a message `u` of their session is in the span of this number. */
export function isInSpan(spans: readonly TaskSpan[], number: number): RawBuilder<SqlBool> {
  const to = spans[number + 1]?.from ?? null
  const from = number === 0 ? null : (spans[number]?.from ?? null)
  if (from === null) return to === null ? sql`1 = 1` : sql`(u.at is null or u.at < ${to})`
  return to === null ? sql`u.at >= ${from}` : sql`u.at >= ${from} and u.at < ${to}`
}
