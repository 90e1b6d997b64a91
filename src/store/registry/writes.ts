import { sql } from 'kysely'
import { type Address, type AttemptId, address, type SessionId, sessionId, type TaskId } from '../../domain/ids'
import type { AttachmentRow, RegistrationRow, RegistryTx } from '../../domain/registry'
import { perDialect, type TaskDialect } from '../sql/dialect'
import type { Driver, Program } from '../sql/program'
import { asInserted, insertRow, selectRows } from '../sql/row-statements'
import { statement } from '../sql/statement'
import { ATTACHMENT, REGISTRATION } from './rows'

/** The registry's port over one connection. */
export function createRegistryTx(driver: Driver, db: TaskDialect): RegistryTx {
  const drive = <T>(program: Program<T>) => driver.drive(program)
  return {
    registration: (at) => drive(registration(db, at)),
    putRegistration: (row) => drive(putRegistration(row)),
    attachments: (at, seenSince) => drive(attachments(db, at, seenSince)),
    putAttachment: (row) => drive(putAttachment(row)),
    endAttachment: (at, id, now) => drive(endAttachment(at, id, now)),
    liveRunIn: (session) => drive(liveRunIn(session)),
    isSession: (id) => drive(isSession(id)),
    folderOf: (id) => drive(folderOf(id)),
  }
}

const BY_ADDRESS = perDialect(({ lock }) =>
  statement<{ at: Address }>()((db, param) =>
    selectRows(db, REGISTRATION).where('t.address', '=', param('at')).modifyEnd(sql.raw(lock)),
  ),
)

function* registration(db: TaskDialect, at: Address): Program<RegistrationRow | undefined> {
  const row = yield* BY_ADDRESS(db).first({ at })
  return row && REGISTRATION.read(row)
}

const PUT_REGISTRATION = insertRow(REGISTRATION, REGISTRATION.names(), [], (insert) =>
  insert.onConflict((conflict) =>
    conflict
      .column('address')
      .doUpdateSet(
        asInserted('registrations', [
          'kind',
          'client',
          'hostname',
          'project',
          'title',
          'owner',
          'capabilities',
          'metadata',
          'last_seen_at',
        ]),
      ),
  ),
)

function* putRegistration(row: RegistrationRow): Program<void> {
  yield* PUT_REGISTRATION.run(row)
}

const ATTACHED = perDialect(({ lock }) =>
  statement<{ at: Address; seenSince: number }>()((db, param) =>
    selectRows(db, ATTACHMENT)
      .where('t.address', '=', param('at'))
      .where('t.detached_at', 'is', null)
      .where('t.last_seen_at', '>=', param('seenSince'))
      .orderBy('t.id')
      .modifyEnd(sql.raw(lock)),
  ),
)

function* attachments(db: TaskDialect, at: Address, seenSince: number): Program<AttachmentRow[]> {
  return yield* ATTACHED(db).rows({ at, seenSince })
}

const PUT_ATTACHMENT = insertRow(ATTACHMENT, ATTACHMENT.names(), [], (insert) =>
  insert.onConflict((conflict) =>
    conflict.column('public_id').doUpdateSet(asInserted('attachments', ['last_seen_at'])),
  ),
)

function* putAttachment(row: AttachmentRow): Program<void> {
  yield* PUT_ATTACHMENT.run(row)
}

const END_ATTACHMENT = statement<{ id: string; at: Address; now: number }>()((db, param) =>
  db
    .updateTable('attachments')
    .set({ detached_at: param('now') })
    .where('public_id', '=', param('id'))
    .where('address', '=', param('at'))
    .where('detached_at', 'is', null),
)

function* endAttachment(at: Address, id: string, now: number): Program<boolean> {
  return (yield* END_ATTACHMENT.changed({ at, id, now })) > 0
}

/** Live attempts are few, so that their conversations need no index. */
const LIVE_RUNS = statement()((db) =>
  db
    .selectFrom('attempts as a')
    .innerJoin('tasks as t', 't.id', 'a.task_id')
    .select(['t.public_id as taskId', 'a.public_id as attemptId', 'a.conversation'])
    .where('a.ended_at', 'is', null)
    .where('a.conversation', 'is not', null)
    .$narrowType<{ conversation: string }>(),
)

function* liveRunIn(session: SessionId): Program<{ taskId: TaskId; attemptId: AttemptId } | undefined> {
  const live = yield* LIVE_RUNS.rows()
  const found = live.find(
    ({ conversation }) => (JSON.parse(conversation) as { sessionId: SessionId }).sessionId === session,
  )
  return found && { taskId: found.taskId, attemptId: found.attemptId }
}

const IS_SESSION = statement<{ session: SessionId; address: Address }>()((db, param) =>
  db
    .selectFrom('sessions')
    .select(sql.lit(1).as('one'))
    .where('native_id', '=', param('session'))
    .unionAll(db.selectFrom('registrations').select(sql.lit(1).as('one')).where('address', '=', param('address')))
    .limit(1),
)

function* isSession(id: string): Program<boolean> {
  return (yield* IS_SESSION.first({ session: sessionId(id), address: address(id) })) !== undefined
}

/** The session's own folder, then that of the newest one whose address is the same, then what its client said. */
const FOLDER = statement<{ session: SessionId; alias: string; address: Address }>()((db, param) =>
  db
    .selectFrom(
      db
        .selectFrom('sessions')
        .select(['cwd as folder', sql.lit(0).as('place'), sql.lit(0).as('at')])
        .where('native_id', '=', param('session'))
        .where('cwd', 'is not', null)
        .unionAll(
          db
            .selectFrom('address_aliases as a')
            .innerJoin('address_aliases as o', 'o.address', 'a.address')
            .innerJoin('sessions as s', 's.native_id', 'o.alias')
            .select(['s.cwd as folder', sql.lit(1).as('place'), sql<number>`coalesce(s.last_event_at, 0)`.as('at')])
            .where('a.alias', '=', param('alias'))
            .where('s.cwd', 'is not', null),
        )
        .unionAll(
          db
            .selectFrom('registrations')
            .select(['project as folder', sql.lit(2).as('place'), sql.lit(0).as('at')])
            .where('address', '=', param('address'))
            .where('project', 'is not', null),
        )
        .as('known'),
    )
    .select('folder')
    .orderBy('place')
    .orderBy('at', 'desc')
    .limit(1),
)

function* folderOf(id: string): Program<string | undefined> {
  const row = yield* FOLDER.first({ session: sessionId(id), alias: id, address: address(id) })
  return row?.folder ?? undefined
}

const STILL_WAITING = ['produced', 'queued', 'delivered'] as const
const WITHDRAW = statement<{ at: Address }>()((db, param) =>
  db
    .updateTable('messages')
    .set({ status: 'withdrawn' })
    .where('to_address', '=', param('at'))
    .where('status', 'in', STILL_WAITING),
)
const BLANK = statement<{ at: Address }>()((db, param) =>
  db.updateTable('messages').set({ text: '', evidence: null }).where('to_address', '=', param('at')),
)
const FORGET_REGISTRATION = statement<{ at: Address }>()((db, param) =>
  db.deleteFrom('registrations').where('address', '=', param('at')),
)
const FORGET_ATTACHMENTS = statement<{ at: Address }>()((db, param) =>
  db.deleteFrom('attachments').where('address', '=', param('at')),
)
const FORGET_ALIAS = statement<{ alias: string }>()((db, param) =>
  db.deleteFrom('address_aliases').where('alias', '=', param('alias')),
)

const WITHDRAW_SENT = statement<{ at: Address }>()((db, param) =>
  db
    .updateTable('messages')
    .set({ status: 'withdrawn' })
    .where('from_address', '=', param('at'))
    .where('status', 'in', STILL_WAITING),
)
const BLANK_SENT = statement<{ at: Address }>()((db, param) =>
  db.updateTable('messages').set({ text: '', evidence: null, from_name: '' }).where('from_address', '=', param('at')),
)
const BLANK_STEPS = statement<{ at: Address }>()((db, param) =>
  db
    .updateTable('message_steps')
    .set({ text: '' })
    .where('message_seq', 'in', (eb) =>
      eb
        .selectFrom('messages')
        .select('seq')
        .where((or) => or.or([or('to_address', '=', param('at')), or('from_address', '=', param('at'))])),
    ),
)

/** Empties messages to and from an address. Their rows stay, since others answer to them and their positions are readers' cursors. */
export function* forgetMessages(at: Address): Program<void> {
  yield* WITHDRAW.run({ at })
  yield* BLANK.run({ at })
  yield* WITHDRAW_SENT.run({ at })
  yield* BLANK_SENT.run({ at })
  yield* BLANK_STEPS.run({ at })
}

/**
 * Removes what is known of an address whose session is forgotten.
 */
export function* forgetAddress(at: Address): Program<void> {
  yield* forgetMessages(at)
  yield* FORGET_REGISTRATION.run({ at })
  yield* FORGET_ATTACHMENTS.run({ at })
  yield* FORGET_ALIAS.run({ alias: at })
}
