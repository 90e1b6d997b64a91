import type { Address, MessageId } from '../../domain/ids'
import { messageId } from '../../domain/ids'
import type { MessageKind, MessageSender } from '../../domain/message/message'
import type { WaitingMail, WaitingMessage } from '../../domain/message/message-offer'
import { addressOf } from '../messages/addresses'
import { first, type Program, rows } from '../sql/program'

/** Messages that one look sees, and characters of each: a hook has room for less. */
const MAX_MESSAGES = 50
const CHARACTERS = 8_000

interface Row {
  id: string
  kind: MessageKind
  status: 'produced' | 'queued'
  from_kind: MessageSender['kind']
  from_address: Address | null
  from_name: string
  wants_reply: number
  is_cut: number
  full_at: string | null
  text: string
  length: number
}

const COLUMNS = `id, kind, status, from_kind, from_address, from_name, wants_reply, is_cut, full_at, substr(text, 1, ${CHARACTERS}) as text, length(text) as length`
/** Each by an index of its own. */
const waiting = (status: string) =>
  `select seq, ${COLUMNS} from messages where to_address = ? and status = '${status}' order by seq limit ${MAX_MESSAGES + 1}`

/** What waits or flies at a session's address, oldest first. */
export function* sessionMail(session: string, now: number): Program<WaitingMail> {
  const at = yield* addressOf(session)
  const flying = yield* rows<Row & { seq: number }>(waiting('queued'), at)
  const produced = yield* rows<Row & { seq: number }>(waiting('produced'), at)
  const all = [...flying, ...produced].sort((a, b) => a.seq - b.seq)
  if (all.length === 0) return { at, messages: [], isAwaited: false, hasMore: false }
  const wait = yield* first('select 1 as one from message_waits where address = ? and until >= ? limit 1', at, now)
  return {
    at,
    messages: all.slice(0, MAX_MESSAGES).map(message),
    isAwaited: wait !== undefined,
    hasMore: all.length > MAX_MESSAGES,
  }
}

function message(row: Row): WaitingMessage {
  const id: MessageId = messageId(row.id)
  return {
    id,
    kind: row.kind,
    status: row.status,
    from: { kind: row.from_kind, address: row.from_address, name: row.from_name },
    wantsReply: row.wants_reply !== 0,
    isCut: row.is_cut !== 0 || row.length > CHARACTERS,
    fullAt: row.full_at,
    text: row.text,
  }
}
