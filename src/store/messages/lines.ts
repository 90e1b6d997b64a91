import type { MessageId, SessionId } from '../../domain/ids'
import type { CarriedMessage } from '../../domain/message-store'
import { uuidText } from '../../util/uuid'
import { first, type Program, rows, run } from '../record/program'

interface LineRow {
  id: MessageId
  session: SessionId
  line: Uint8Array
  at: number
  followedAt: number | null
}

/** Lines that the messages do not know of yet, oldest messages first. */
export function* unsettledLines(limit: number): Program<CarriedMessage[]> {
  const found = yield* rows<LineRow>(
    `select l.message_id as id, s.native_id as session, l.line_uuid as line, l.at as at, l.followed_at as "followedAt"
      from message_lines l join sessions s on s.id = l.session_id where l.is_settled = 0 order by l.message_id, l.session_id limit ?`,
    limit,
  )
  return found.map((row) => ({ ...row, line: uuidText(row.line) }))
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
  const found = yield* rows<LineRow>(
    `select l.message_id as id, s.native_id as session, l.line_uuid as line, l.at as at, l.followed_at as "followedAt"
      from message_lines l join sessions s on s.id = l.session_id where l.message_id = ? order by l.at limit 100`,
    id,
  )
  return found.map((row) => ({ ...row, line: uuidText(row.line) }))
}

/** Conversations in which attempts of the task ran, newest first: what stands there was said to the task. */
export function* conversationsOf(task: string): Program<SessionId[]> {
  const last = yield* first<{ last: SessionId | null }>(
    'select last_session_native_id as last from tasks where public_id = ?',
    task,
  )
  const attempts = yield* rows<{ conversation: string }>(
    `select a.conversation as conversation from attempts a join tasks t on t.id = a.task_id
      where t.public_id = ? and a.conversation is not null order by a.number desc limit 100`,
    task,
  )
  const sessions = attempts.map(({ conversation }) => (JSON.parse(conversation) as { sessionId: SessionId }).sessionId)
  return [...new Set(last?.last == null ? sessions : [last.last, ...sessions])]
}
