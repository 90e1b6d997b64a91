import { sql } from 'kysely'
import type { ChannelRow, NewNotificationRow, NotifyTx } from '../../domain/notify/notify'
import { perDialect, type TaskDialect } from '../sql/dialect'
import type { Driver, Program } from '../sql/program'
import { asInserted, insertRow, selectRows, updateRow } from '../sql/row-statements'
import { statement } from '../sql/statement'
import { CHANNEL, NOTIFICATION } from './rows'

/** The port of notifications over one connection. */
export function createNotifyTx(driver: Driver, db: TaskDialect): NotifyTx {
  const drive = <T>(program: Program<T>) => driver.drive(program)
  return {
    pushKeys: () => drive(PUSH_KEYS.first()),
    insertPushKeys: (keys) => drive(PUT_PUSH_KEYS.run({ ...keys })),
    channel: (name) => drive(findChannel(db, name)),
    channels: () => drive(allChannels()),
    putChannel: (row) => drive(putChannel(row)),
    removeChannel: (name) => drive(removeChannel(name)),
    insert: (row) => drive(insertNotification(row)),
    find: (id) => drive(BY_ID(db).first({ id })),
    due: (now, limit) => drive(DUE(db).rows({ now, limit })),
    update: (id, patch) => drive(updateRow(NOTIFICATION, patch, id, { by: 'public_id' })),
    forgetSettled: (before) => drive(FORGET.changed({ before })),
  }
}

const PUSH_KEYS = statement()((db) =>
  db.selectFrom('push_keys').select(['public_key as publicKey', 'private_key as privateKey']).where('id', '=', 1),
)
const PUT_PUSH_KEYS = statement<{ publicKey: string; privateKey: string }>()((db, param) =>
  db
    .insertInto('push_keys')
    .values({ id: 1, public_key: param('publicKey'), private_key: param('privateKey') })
    .onConflict((conflict) => conflict.column('id').doNothing()),
)

/** The reader decides on it: nobody else changes it before the unit's end. */
const BY_NAME = perDialect(({ lock }) =>
  statement<{ name: string }>()((db, param) =>
    selectRows(db, CHANNEL).where('t.name', '=', param('name')).modifyEnd(sql.raw(lock)),
  ),
)
const ALL = statement()((db) => selectRows(db, CHANNEL).orderBy('t.name'))

function* findChannel(db: TaskDialect, name: string): Program<ChannelRow | undefined> {
  const row = yield* BY_NAME(db).first({ name })
  return row && CHANNEL.read(row)
}

function* allChannels(): Program<ChannelRow[]> {
  return (yield* ALL.rows()).map((row) => CHANNEL.read(row))
}

const PUT = insertRow(CHANNEL, CHANNEL.names('key'), [], (insert) =>
  insert.onConflict((conflict) =>
    conflict
      .column('name')
      .doUpdateSet(
        asInserted('notify_channels', [
          'kind',
          'target',
          'server',
          'sender',
          'secret',
          'events',
          'project',
          'quiet',
          'after_ms',
        ]),
      ),
  ),
)

function* putChannel(row: Omit<ChannelRow, 'key'>): Program<void> {
  yield* PUT.run(row)
}

const REMOVE_CHANNEL = statement<{ name: string }>()((db, param) =>
  db.deleteFrom('notify_channels').where('name', '=', param('name')),
)
const REMOVE_TOLD = statement<{ name: string }>()((db, param) =>
  db.deleteFrom('notifications').where('channel', '=', param('name')),
)

function* removeChannel(name: string): Program<boolean> {
  yield* REMOVE_TOLD.run({ name })
  return (yield* REMOVE_CHANNEL.changed({ name })) > 0
}

const INSERT = insertRow(NOTIFICATION, NOTIFICATION.names('key'), [], (insert) =>
  insert.onConflict((conflict) => conflict.columns(['channel', 'subject']).doNothing()),
)

function* insertNotification(row: NewNotificationRow): Program<void> {
  yield* INSERT.run(row)
}

const BY_ID = perDialect(({ lock }) =>
  statement<{ id: string }>()((db, param) =>
    selectRows(db, NOTIFICATION).where('t.public_id', '=', param('id')).modifyEnd(sql.raw(lock)),
  ),
)
/** Several servers take different ones: what one holds is passed over. */
const DUE = perDialect(({ lockFree }) =>
  statement<{ now: number; limit: number }>()((db, param) =>
    selectRows(db, NOTIFICATION)
      .where('t.next_at', 'is not', null)
      .where('t.next_at', '<=', param('now'))
      .orderBy('t.id')
      .limit(param('limit'))
      .modifyEnd(sql.raw(lockFree)),
  ),
)
const FORGET = statement<{ before: number }>()((db, param) =>
  db.deleteFrom('notifications').where('next_at', 'is', null).where('settled_at', '<', param('before')),
)
