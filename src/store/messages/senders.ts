import type { Address, MessageId } from '../../domain/ids'
import type { Program } from '../sql/program'
import { statement } from '../sql/statement'

/** Senders and receivers, with how much was sent. */

const ENDS = statement<{ id: MessageId }>()((db, param) =>
  db.selectFrom('messages').select(['from_address as from', 'to_address as to']).where('id', '=', param('id')),
)

/** Whether a message is from the address, or (`party`) from or to it. */
export function* isOf(id: MessageId, of: Address, as: 'sender' | 'party'): Program<boolean> {
  const ends = yield* ENDS.first({ id })
  return ends !== undefined && (ends.from === of || (as === 'party' && ends.to === of))
}

const WRITTEN = statement<{ from: Address; to: Address }>()((db, param) =>
  db
    .selectFrom('messages')
    .select('seq')
    .where('from_address', '=', param('from'))
    .where('to_address', '=', param('to'))
    .limit(1),
)

/** Whether a message went from the one to the other, whatever became of it. */
export function* hasWritten(from: Address, to: Address): Program<boolean> {
  return (yield* WRITTEN.first({ from, to })) !== undefined
}

/** The newest only: the index on the sender gives them without a look at the others. */
const SENT = statement<{ from: Address; limit: number }>()((db, param) =>
  db
    .selectFrom('messages')
    .select('created_at as at')
    .where('from_address', '=', param('from'))
    .where('cause', 'like', 'sent %')
    .orderBy('seq', 'desc')
    .limit(param('limit')),
)

/** Messages that somebody at this address chose to send since that time (results come about by themselves), counted up to `limit`. */
export function* countSent(from: Address, since: number, limit: number): Program<number> {
  return (yield* SENT.rows({ from, limit })).filter(({ at }) => at > since).length
}
