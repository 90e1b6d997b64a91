import type { Address, MessageId, SessionId } from '../../../domain/ids'
import type { CarriedMessage } from '../../../domain/message/message-store'
import { uuidText } from '../../../util/uuid'
import { first, type Program, rows, run } from '../../sql/program'

interface LineRow extends Omit<CarriedMessage, 'line' | 'isLost'> {
  line: Uint8Array
  isLost: number
}

/** What stands beside a line may have an earlier time. Milliseconds. */
const SLACK_MS = 5_000

/**
 * Whether a line `l` will be followed no more: a compaction stands behind it, or a whole turn that goes on from elsewhere, where a
 * person took the conversation back.
 */
const IS_LOST = `(l.followed_at is null and exists (
  select 1 from conversation_events c where c.session_id = l.session_id and c.subagent_id is null and c.at > l.at and (
    c.type = 'compaction' or (c.type = 'prompt' and c.at > l.at + ${SLACK_MS} and exists (
      select 1 from conversation_events m where m.session_id = l.session_id and m.subagent_id is null
        and m.at > c.at + ${SLACK_MS} and m.role = 'assistant' and m.type in ('text', 'thinking', 'tool_call'))))))`

/** Of messages `t`: delivered, and out of the receiver's sight before it went on. */
export const IS_LAPSED = `t.status = 'delivered' and exists (select 1 from message_lines l where l.message_id = t.id)
  and not exists (select 1 from message_lines l where l.message_id = t.id and not ${IS_LOST})`

const SELECT = `select l.message_id as id, t.to_address as "to", s.native_id as session, l.line_uuid as line, l.at as at, l.followed_at as "followedAt",
  case when ${IS_LOST} then 1 else 0 end as "isLost" from message_lines l join messages t on t.id = l.message_id join sessions s on s.id = l.session_id`

const carried = ({ line, isLost, ...row }: LineRow): CarriedMessage => ({
  ...row,
  line: uuidText(line),
  isLost: Number(isLost) === 1,
})

/** Lines that the messages (of this address) do not know of yet, oldest messages first. */
export function* unsettledLines(limit: number, to?: Address): Program<CarriedMessage[]> {
  const unsettled = `${SELECT} where l.is_settled = 0 ${to === undefined ? '' : 'and t.to_address = ?'}
    order by l.message_id, l.session_id limit ?`
  const params = to === undefined ? [limit] : [to, limit]
  return (yield* rows<LineRow>(unsettled, ...params)).map(carried)
}

/** The message knows the line as it was read; one that changed since stays unsettled. */
export function* settleLine({ id, session, followedAt }: CarriedMessage): Program<void> {
  yield* run(
    `update message_lines set is_settled = 1 where message_id = ? and session_id in (select id from sessions where native_id = ?)
      and followed_at is ${followedAt === null ? 'null' : 'not null'}`,
    id,
    session,
  )
}

/** Lines that carry the message, of all sessions. */
export function* linesOf(id: MessageId): Program<CarriedMessage[]> {
  return (yield* rows<LineRow>(`${SELECT} where l.message_id = ? order by l.at limit 100`, id)).map(carried)
}

/**
 * Conversations in which attempts of the task ran, and of those that go on for its address, newest first: what stands there was said
 * to the task.
 */
export function* conversationsOf(task: string): Program<SessionId[]> {
  const last = yield* first<{ last: SessionId | null }>(
    'select last_session_native_id as last from tasks where public_id = ?',
    task,
  )
  const attempts = yield* rows<{ conversation: string }>(
    `select a.conversation as conversation from attempts a join tasks t on t.id = a.task_id
      where (t.public_id = ? or t.public_id in (select al.alias from address_aliases al where al.address = ?))
        and a.conversation is not null order by a.id desc limit 200`,
    task,
    task,
  )
  const sessions = attempts.map(({ conversation }) => (JSON.parse(conversation) as { sessionId: SessionId }).sessionId)
  return [...new Set(last?.last == null ? sessions : [last.last, ...sessions])]
}
