import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Address, address, type MessageId, type SessionId, type TaskId, taskId } from '../../../domain/ids'
import type { CarriedMessage } from '../../../domain/message/message-store'
import { uuidText } from '../../../util/uuid'
import type { Program } from '../../sql/program'
import { statement } from '../../sql/statement'
import type { Schema } from '../../sql/tables'

interface LineRow extends Omit<CarriedMessage, 'line' | 'isLost'> {
  line: Uint8Array
  isLost: number
}

/** What stands beside a line may have an earlier time. Milliseconds. */
const SLACK_MS = 5_000

const isOfModel = (event: string) =>
  `${event}.role = 'assistant' and ${event}.type in ('text', 'thinking', 'tool_call')`

/**
 * Whether a line `l` of a message `t` will be followed no more: a compaction stands behind it, or a whole turn that goes on from elsewhere,
 * where a person took the conversation back. Or the task goes on in another conversation, which does not hold the line: its former one
 * could not be resumed.
 */
const IS_LOST = `(l.followed_at is null and (exists (
  select 1 from conversation_events c where c.session_id = l.session_id and c.subagent_id is null and c.at > l.at and (
    c.type = 'compaction' or (c.type = 'prompt' and c.at > l.at + ${SLACK_MS} and exists (
      select 1 from conversation_events m where m.session_id = l.session_id and m.subagent_id is null
        and m.at > c.at + ${SLACK_MS} and ${isOfModel('m')}))))
  or exists (
  select 1 from tasks k join sessions x on x.native_id = k.last_session_native_id
    where k.public_id = t.to_address and x.id <> l.session_id
      and not exists (select 1 from conversation_events e where e.session_id = x.id and e.uuid = l.line_uuid)
      and exists (select 1 from conversation_events m where m.session_id = x.id and m.subagent_id is null
        and m.at > l.at + ${SLACK_MS} and ${isOfModel('m')}))))`

/** For messages `t`: delivered, and out of the receiver's sight before it went on. */
export const isLapsed = (): RawBuilder<SqlBool> =>
  sql<SqlBool>`(t.status = 'delivered' and exists (select 1 from message_lines l where l.message_id = t.id)
    and not exists (select 1 from message_lines l where l.message_id = t.id and not ${sql.raw(IS_LOST)}))`

const linesBy = (db: Kysely<Schema>) =>
  db
    .selectFrom('message_lines as l')
    .innerJoin('messages as t', 't.id', 'l.message_id')
    .innerJoin('sessions as s', 's.id', 'l.session_id')
    .select([
      'l.message_id as id',
      't.to_address as to',
      's.native_id as session',
      'l.line_uuid as line',
      'l.at',
      'l.followed_at as followedAt',
      sql<number>`case when ${sql.raw(IS_LOST)} then 1 else 0 end`.as('isLost'),
    ])
const unsettledBy = (db: Kysely<Schema>, limit: RawBuilder<number>) =>
  linesBy(db).where('l.is_settled', '=', 0).orderBy('l.message_id').orderBy('l.session_id').limit(limit)

const carried = ({ line, isLost, ...row }: LineRow): CarriedMessage => ({
  ...row,
  line: uuidText(line),
  isLost: isLost === 1,
})

const UNSETTLED = statement<{ limit: number }>()((db, param) => unsettledBy(db, param('limit')))
const UNSETTLED_TO = statement<{ limit: number; to: Address }>()((db, param) =>
  unsettledBy(db, param('limit')).where('t.to_address', '=', param('to')),
)
export const ANY_UNSETTLED = statement()((db) =>
  db.selectFrom('message_lines').select('message_id').where('is_settled', '=', 0).limit(1),
)

/** Lines that the messages (of this address) do not know of yet, oldest messages first. */
export function* unsettledLines(limit: number, to?: Address): Program<CarriedMessage[]> {
  return (yield* to === undefined ? UNSETTLED.rows({ limit }) : UNSETTLED_TO.rows({ limit, to })).map(carried)
}

const settling = (followed: 'is' | 'is not') =>
  statement<{ id: MessageId; session: SessionId }>()((db, param) =>
    db
      .updateTable('message_lines')
      .set({ is_settled: 1 })
      .where('message_id', '=', param('id'))
      .where('session_id', 'in', (eb) =>
        eb.selectFrom('sessions').select('sessions.id').where('native_id', '=', param('session')),
      )
      .where('followed_at', followed, null),
  )
const SETTLE = { followed: settling('is not'), last: settling('is') }

/** The message knows the line as it was read; one that changed since stays unsettled. */
export function* settleLine({ id, session, followedAt }: CarriedMessage): Program<void> {
  yield* SETTLE[followedAt === null ? 'last' : 'followed'].run({ id, session })
}

const LINES_OF = statement<{ id: MessageId }>()((db, param) =>
  linesBy(db).where('l.message_id', '=', param('id')).orderBy('l.at').limit(100),
)

/** Lines that carry the message, of all sessions. */
export function* linesOf(id: MessageId): Program<CarriedMessage[]> {
  return (yield* LINES_OF.rows({ id })).map(carried)
}

const LAST_SESSION = statement<{ task: TaskId }>()((db, param) =>
  db.selectFrom('tasks').select('last_session_native_id as last').where('public_id', '=', param('task')),
)
const CONVERSATIONS = statement<{ task: TaskId; at: Address }>()((db, param) =>
  db
    .selectFrom('attempts as a')
    .innerJoin('tasks as t', 't.id', 'a.task_id')
    .select('a.conversation')
    .where((eb) =>
      eb.or([
        eb('t.public_id', '=', param('task')),
        eb(
          't.public_id',
          'in',
          // Sessions are aliases as well; they are nobody's public id.
          eb
            .selectFrom('address_aliases as al')
            .select(sql<TaskId>`al.alias`.as('alias'))
            .where('al.address', '=', param('at')),
        ),
      ]),
    )
    .where('a.conversation', 'is not', null)
    .$narrowType<{ conversation: string }>()
    .orderBy('a.id', 'desc')
    .limit(200),
)

/**
 * Conversations in which attempts of the task ran, and of those that go on for its address, newest first: what stands there was said
 * to the task.
 */
export function* conversationsOf(task: string): Program<SessionId[]> {
  const last = yield* LAST_SESSION.first({ task: taskId(task) })
  const attempts = yield* CONVERSATIONS.rows({ task: taskId(task), at: address(task) })
  const sessions = attempts.map(({ conversation }) => (JSON.parse(conversation) as { sessionId: SessionId }).sessionId)
  return [...new Set(last?.last == null ? sessions : [last.last, ...sessions])]
}
