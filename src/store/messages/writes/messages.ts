import type { Address, MessageId } from '../../../domain/ids'
import type { MessageStep } from '../../../domain/message/message'
import type { MessageFlight, MessageRow, MessageTx, NewMessage } from '../../../domain/message/message-store'
import { perDialect, type TaskDialect } from '../../sql/dialect'
import { first, type Program, rows, run } from '../../sql/program'
import { flatMessage, MESSAGE, readMessage } from '../rows'
import { IS_LAPSED } from './lines'

const FIELDS = MESSAGE.names('seq')

const INSERT = `${MESSAGE.insert(FIELDS)} on conflict (to_address, cause) do nothing`
const SELECT = `select ${MESSAGE.select('t')} from messages t`
/** Decided on by whoever reads it: nobody else changes it before the unit's end. */
const BY_ID = perDialect((db) => `${SELECT} where t.id = ?${db.lock}`)
const BY_CAUSE = perDialect((db) => `${SELECT} where t.to_address = ? and t.cause = ?${db.lock}`)
const WAITING = perDialect(
  (db) => `${SELECT} where t.to_address = ? and t.status = 'produced' order by t.seq limit ?${db.lock}`,
)
const LAPSED = perDialect((db) => `${SELECT} where ${IS_LAPSED} order by t.seq limit ?${db.lock}`)
const FLYING = perDialect((db) => `${SELECT} where t.to_address = ? and t.status = 'queued' order by t.seq${db.lock}`)
const FLOWN = perDialect(
  (db) => `${SELECT} where ${db.inTexts('t.target')} and t.status = 'queued' order by t.seq${db.lock}`,
)

/**
 * Units that add to an address or take from it go on one after the other: so `seq` grows as commits do, and one who reads on from a
 * position skips nothing; and two who take never both find nobody in flight.
 */
export function* inTurn(db: TaskDialect, to: Address): Program<void> {
  if (db.turn !== null) yield* rows(db.turn, `messages ${to}`)
}

export function* insertMessage(db: TaskDialect, now: number, row: NewMessage): Program<MessageRow | undefined> {
  yield* inTurn(db, row.to)
  const added = yield* run(INSERT, ...MESSAGE.values({ ...flatMessage(row), createdAt: now }, FIELDS))
  return added === 0 ? undefined : yield* findMessage(db, row.id)
}

export function* findMessage(db: TaskDialect, id: MessageId): Program<MessageRow | undefined> {
  const row = yield* first(BY_ID(db), id)
  return row && readMessage(row)
}

export function* byCause(db: TaskDialect, to: Address, cause: string): Program<MessageRow | undefined> {
  const row = yield* first(BY_CAUSE(db), to, cause)
  return row && readMessage(row)
}

export function* updateMessage(id: MessageId, patch: Parameters<MessageTx['update']>[1]): Program<void> {
  const update = MESSAGE.update(patch)
  if (update === undefined) return
  yield* run(update.sql, ...update.params, id)
}

export function* addStep(id: MessageId, step: Parameters<MessageTx['addStep']>[1]): Program<void> {
  yield* run(
    `insert into message_steps (message_seq, at, status, route, text) select seq, ?, ?, ?, ? from messages where id = ?`,
    step.at,
    step.status,
    step.route,
    step.text.slice(0, 1_000),
    id,
  )
}

export function* waiting(db: TaskDialect, to: Address, limit: number): Program<MessageRow[]> {
  yield* inTurn(db, to)
  return (yield* rows(WAITING(db), to, limit)).map(readMessage)
}

export function* countWaiting(to: Address): Program<number> {
  const row = yield* first<{ n: number }>(
    `select count(*) as n from messages where to_address = ? and status = 'produced'`,
    to,
  )
  return Number(row?.n ?? 0)
}

export function* inFlight(db: TaskDialect, to: Address): Program<MessageRow[]> {
  yield* inTurn(db, to)
  return (yield* rows(FLYING(db), to)).map(readMessage)
}

export function* flownBy(db: TaskDialect, targets: readonly string[]): Program<MessageRow[]> {
  if (targets.length === 0) return []
  return (yield* rows(FLOWN(db), db.textList(targets))).map(readMessage)
}

/** Delivered messages whose every line is lost. */
export function* lapsed(db: TaskDialect, limit: number): Program<MessageRow[]> {
  return (yield* rows(LAPSED(db), limit)).map(readMessage)
}

/** What carries messages and to whom, those in flight for longest first. */
export const FLIGHTS = `select target as target, min(route) as route, to_address as "to", max(queued_at) as since from messages
  where status = 'queued' and target is not null group by target, to_address order by min(queued_at), target, to_address`

export function* flyingTargets(limit: number): Program<MessageFlight[]> {
  const found = yield* rows<MessageFlight>(`${FLIGHTS} limit ?`, limit)
  return found.map((flight) => ({ ...flight, since: Number(flight.since) }))
}

export function* busyAddresses(limit: number): Program<Address[]> {
  const found = yield* rows<{ to: Address }>(
    `select to_address as "to" from messages where status in ('produced', 'queued', 'delivered') group by to_address order by min(seq) limit ?`,
    limit,
  )
  return found.map(({ to }) => to)
}

export const STEPS = `select s.at as at, s.status as status, s.route as route, s.text as text
  from message_steps s join messages m on m.seq = s.message_seq where m.id = ? order by s.id`
export type StepRow = Omit<MessageStep, 'at'> & { at: number }
