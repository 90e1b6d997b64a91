import { type Kysely, sql } from 'kysely'
import type { Address, MessageId } from '../../../domain/ids'
import type { MessageStatus } from '../../../domain/message/message'
import type { Offered, OfferPlace } from '../../../domain/message/message-offer'
import type { MessageFlight, MessageRow, MessageTx, NewMessage } from '../../../domain/message/message-store'
import { isAmongTexts } from '../../sql/among'
import { perDialect, type TaskDialect, takeTurn } from '../../sql/dialect'
import type { Program } from '../../sql/program'
import { insertRow, selectRows, updateRow } from '../../sql/row-statements'
import { statement } from '../../sql/statement'
import type { Schema } from '../../sql/tables'
import { flatMessage, MESSAGE, readMessage } from '../rows'
import { isLapsed } from './lines'

const INSERT = insertRow(MESSAGE, MESSAGE.names('seq'), [], (insert) =>
  insert.onConflict((conflict) => conflict.columns(['to_address', 'cause']).doNothing()),
)

/** The reader decides on it: nobody else changes it before the unit's end. */
const BY_ID = perDialect(({ lock }) =>
  statement<{ id: MessageId }>()((db, param) =>
    selectRows(db, MESSAGE).where('t.id', '=', param('id')).modifyEnd(sql.raw(lock)),
  ),
)
const BY_CAUSE = perDialect(({ lock }) =>
  statement<{ to: Address; cause: string }>()((db, param) =>
    selectRows(db, MESSAGE)
      .where('t.to_address', '=', param('to'))
      .where('t.cause', '=', param('cause'))
      .modifyEnd(sql.raw(lock)),
  ),
)
const inOrder = (db: Kysely<Schema>, status: MessageStatus) =>
  selectRows(db, MESSAGE).where('t.status', '=', status).orderBy('t.seq')
const WAITING = perDialect(({ lock }) =>
  statement<{ to: Address; limit: number }>()((db, param) =>
    inOrder(db, 'produced').where('t.to_address', '=', param('to')).limit(param('limit')).modifyEnd(sql.raw(lock)),
  ),
)
const FLYING = perDialect(({ lock }) =>
  statement<{ to: Address }>()((db, param) =>
    inOrder(db, 'queued').where('t.to_address', '=', param('to')).modifyEnd(sql.raw(lock)),
  ),
)
const DELIVERED = perDialect(({ lock }) =>
  statement<{ to: Address }>()((db, param) =>
    inOrder(db, 'delivered').where('t.to_address', '=', param('to')).modifyEnd(sql.raw(lock)),
  ),
)
const FLOWN = perDialect((words) =>
  statement<{ targets: string }>()((db, param) =>
    inOrder(db, 'queued')
      .where((eb) => isAmongTexts(words, eb.ref('t.target'), param('targets')))
      .modifyEnd(sql.raw(words.lock)),
  ),
)
const LAPSED = perDialect(({ lock }) =>
  statement<{ limit: number }>()((db, param) =>
    selectRows(db, MESSAGE).where(isLapsed()).orderBy('t.seq').limit(param('limit')).modifyEnd(sql.raw(lock)),
  ),
)
export const ANY_LAPSED = statement()((db) => db.selectFrom('messages as t').select('t.seq').where(isLapsed()).limit(1))

/**
 * Units that add to an address or take from it go on one after the other: so `seq` grows as commits do, and a reader that goes on from a
 * position skips nothing; and two takers never both find nobody in flight.
 */
export const inTurn = (db: TaskDialect, to: Address): Program<void> => takeTurn(db, `messages ${to}`)

export function* insertMessage(db: TaskDialect, now: number, row: NewMessage): Program<MessageRow | undefined> {
  yield* inTurn(db, row.to)
  const added = yield* INSERT.returned({ ...flatMessage(row), createdAt: now })
  return added && readMessage(added)
}

export function* findMessage(db: TaskDialect, id: MessageId): Program<MessageRow | undefined> {
  const row = yield* BY_ID(db).first({ id })
  return row && readMessage(row)
}

export function* byCause(db: TaskDialect, to: Address, cause: string): Program<MessageRow | undefined> {
  const row = yield* BY_CAUSE(db).first({ to, cause })
  return row && readMessage(row)
}

export function* updateMessage(id: MessageId, patch: Parameters<MessageTx['update']>[1]): Program<void> {
  yield* updateRow(MESSAGE, patch, id)
}

type Step = Parameters<MessageTx['addStep']>[1]
const ADD_STEP = statement<Step & { id: MessageId }>()((db, param) =>
  db
    .insertInto('message_steps')
    .columns(['message_seq', 'at', 'status', 'route', 'text'])
    .expression((eb) =>
      eb
        .selectFrom('messages')
        .select([
          'seq',
          param('at').as('at'),
          param('status').as('status'),
          param('route').as('route'),
          param('text').as('text'),
        ])
        .where('id', '=', param('id')),
    ),
)

export function* addStep(id: MessageId, step: Step): Program<void> {
  yield* ADD_STEP.run({ ...step, text: step.text.slice(0, 1_000), id })
}

export function* waiting(db: TaskDialect, to: Address, limit: number): Program<MessageRow[]> {
  yield* inTurn(db, to)
  return (yield* WAITING(db).rows({ to, limit })).map(readMessage)
}

const COUNT_WAITING = statement<{ to: Address }>()((db, param) =>
  db
    .selectFrom('messages')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('to_address', '=', param('to'))
    .where('status', '=', 'produced'),
)

export function* countWaiting(to: Address): Program<number> {
  return (yield* COUNT_WAITING.first({ to }))?.n ?? 0
}

export function* inFlight(db: TaskDialect, to: Address): Program<MessageRow[]> {
  yield* inTurn(db, to)
  return (yield* FLYING(db).rows({ to })).map(readMessage)
}

export function* deliveredTo(db: TaskDialect, to: Address): Program<MessageRow[]> {
  yield* inTurn(db, to)
  return (yield* DELIVERED(db).rows({ to })).map(readMessage)
}

export function* flownBy(db: TaskDialect, targets: readonly string[]): Program<MessageRow[]> {
  if (targets.length === 0) return []
  return (yield* FLOWN(db).rows({ targets: db.textList(targets) })).map(readMessage)
}

/** Delivered messages whose every line is lost. */
export function* lapsed(db: TaskDialect, limit: number): Program<MessageRow[]> {
  return (yield* LAPSED(db).rows({ limit })).map(readMessage)
}

/** A message in flight has a route. */
const FLIGHTS = statement<{ limit: number }>()((db, param) =>
  db
    .selectFrom('messages')
    .select((eb) => [
      'target',
      eb.fn.min('route').$notNull().as('route'),
      'to_address as to',
      eb.fn.max<number>('queued_at').as('since'),
    ])
    .where('status', '=', 'queued')
    .where('target', 'is not', null)
    .$narrowType<{ target: string }>()
    .groupBy(['target', 'to_address'])
    .orderBy((eb) => eb.fn.min('queued_at'))
    .orderBy('target')
    .orderBy('to_address')
    .limit(param('limit')),
)

/** Carriers of messages with their receivers, those in flight for longest first. */
export const flyingTargets = (limit: number): Program<MessageFlight[]> => FLIGHTS.rows({ limit })

const OFFERS = statement<{ to: Address }>()((db, param) =>
  db
    .selectFrom('messages')
    .select(['id', 'offer'])
    .where('to_address', '=', param('to'))
    .where('status', '=', 'queued')
    .where('offer', 'is not', null)
    .$narrowType<{ offer: string }>()
    .orderBy('seq'),
)

export function* offersTo(to: Address): Program<Offered[]> {
  return (yield* OFFERS.rows({ to })).map(({ id, offer }) => ({ message: id, ...(JSON.parse(offer) as OfferPlace) }))
}
