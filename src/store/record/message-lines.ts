import type { SessionKey } from '../../domain/ids'
import type { MessageLineRow } from '../../domain/record/record-store'
import { uuidText } from '../../util/uuid'
import { first, type Program, rows, run } from '../sql/program'
import { readBy } from './reads'

/** Lines looked at for one batch, the newest first. */
const LINES_AT_ONCE = 200

const INSERT = `insert into message_lines (session_id, message_id, line_uuid, at) select ?, m.id, ?, ? from messages m where m.id = ?
  on conflict (message_id, session_id, line_uuid) do nothing`

/** Keeps which lines carry messages. Marks of messages that are not ours, and prompts that are none, leave nothing. */
export function* addMessageLines(lines: MessageLineRow[]): Program<void> {
  for (const { sessionKey, messageId, line, at } of lines) yield* run(INSERT, sessionKey, line, at, messageId)
}

/** Notes which lines that carry messages the model went on from. */
export function* settleMessageLines(session: SessionKey): Program<void> {
  const waiting = yield* rows<{ message_id: string; line_uuid: Uint8Array }>(
    'select message_id, line_uuid from message_lines where session_id = ? and followed_at is null order by at desc, message_id limit ?',
    session,
    LINES_AT_ONCE,
  )
  for (const { message_id, line_uuid } of waiting) {
    const event = yield* first<{ type: string }>(
      'select type from conversation_events where session_id = ? and uuid = ?',
      session,
      line_uuid,
    )
    const kind = event?.type === 'tool_result' ? 'content' : 'notice'
    const by = yield* readBy(session, { line: uuidText(line_uuid), at: null, kind })
    if (by === null) continue
    yield* run(
      'update message_lines set followed_at = ?, is_settled = 0 where session_id = ? and message_id = ? and line_uuid = ?',
      by.at,
      session,
      message_id,
      line_uuid,
    )
  }
}
