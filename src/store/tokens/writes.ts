import { sql } from 'kysely'
import { AppError } from '../../domain/errors'
import type { TokenId, TokenKey } from '../../domain/ids'
import type { NewToken, OperatorToken, TokenKin, TokenRow, TokenTx } from '../../domain/token/token-store'
import { perDialect, type TaskDialect } from '../sql/dialect'
import type { Driver, Program } from '../sql/program'
import { insertRow, selectRows, updateRow } from '../sql/row-statements'
import { statement } from '../sql/statement'
import { OPERATOR_TOKEN, TOKEN } from './rows'

/** The port of tokens over one connection. */
export function createTokenTx(driver: Driver, db: TaskDialect): TokenTx {
  const drive = <T>(program: Program<T>) => driver.drive(program)
  return {
    insert: (row) => drive(insertToken(row)),
    find: (id) => drive(BY_ID(db).first({ id })),
    byKey: (key) => drive(BY_KEY(db).first({ key })),
    kin: () => drive(kin()),
    enrollment: (worker) => drive(ENROLLMENT(db).first({ worker })),
    byCode: (hash) => drive(BY_CODE(db).first({ hash })),
    byToken: (hash) => drive(BY_TOKEN(db).first({ hash })),
    countOpen: () => drive(countOpen()),
    update: (key, patch) => drive(updateRow(TOKEN, patch, key)),
    countShares: (now) => drive(countShares(now)),
    removeShares: (until) => drive(removeShares(until)),
    removeOperatorLogins: (until) => drive(removeOperatorLogins(until)),
    operatorToken: (hash) => drive(OPERATOR_BY_HASH(db).first({ hash })),
    operatorTokenOf: (home) => drive(OPERATOR_OF(db).first({ home })),
    insertOperatorToken: (row) => drive(insertOperatorToken(row)),
    endOperatorTokens: (now, home) => drive(endOperatorTokens(now, home)),
  }
}

const INSERT = insertRow(TOKEN, TOKEN.names('key'), [], (insert) =>
  insert.onConflict((conflict) => conflict.doNothing()),
)

function* insertToken(row: NewToken): Program<void> {
  if ((yield* INSERT.insert(row)) === null)
    throw new AppError('conflict', `An enrollment of ${row.name} was made at the same time.`)
}

/** The reader decides on it: nobody else changes it before the unit's end. */
const BY_ID = perDialect(({ lock }) =>
  statement<{ id: TokenId }>()((db, param) =>
    selectRows(db, TOKEN).where('t.public_id', '=', param('id')).modifyEnd(sql.raw(lock)),
  ),
)
const BY_KEY = perDialect(({ lock }) =>
  statement<{ key: TokenKey }>()((db, param) =>
    selectRows(db, TOKEN).where('t.id', '=', param('key')).modifyEnd(sql.raw(lock)),
  ),
)
const KIN = statement()((db) =>
  db
    .selectFrom('tokens')
    .select(['id as key', 'purpose', 'user_id as userKey', 'made_by as madeBy', 'revoked_at as revokedAt']),
)
const ENROLLMENT = perDialect(({ lock }) =>
  statement<{ worker: TokenRow['name'] }>()((db, param) =>
    selectRows(db, TOKEN)
      .where('t.purpose', '=', 'worker')
      .where('t.revoked_at', 'is', null)
      .where('t.name', '=', param('worker'))
      .modifyEnd(sql.raw(lock)),
  ),
)
const BY_CODE = perDialect(({ lock }) =>
  statement<{ hash: Uint8Array }>()((db, param) =>
    selectRows(db, TOKEN).where('t.code_hash', '=', param('hash')).modifyEnd(sql.raw(lock)),
  ),
)
const BY_TOKEN = perDialect(({ lock }) =>
  statement<{ hash: Uint8Array }>()((db, param) =>
    selectRows(db, TOKEN).where('t.token_hash', '=', param('hash')).modifyEnd(sql.raw(lock)),
  ),
)
const COUNT_OPEN = statement()((db) =>
  db
    .selectFrom('tokens')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('revoked_at', 'is', null)
    .where('purpose', '!=', 'share')
    .where((eb) => eb.or([eb('purpose', '!=', 'browser'), eb('user_id', 'is not', null)])),
)
const COUNT_SHARES = statement<{ now: number }>()((db, param) =>
  db
    .selectFrom('tokens')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('purpose', '=', 'share')
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', param('now')),
)

const REMOVE_SHARES = statement<{ until: number }>()((db, param) =>
  db
    .deleteFrom('tokens')
    .where('purpose', '=', 'share')
    .where((eb) => eb.or([eb('expires_at', '<', param('until')), eb('revoked_at', '<', param('until'))])),
)

function* removeShares(until: number): Program<void> {
  yield* REMOVE_SHARES.run({ until })
}

function* countShares(now: number): Program<number> {
  return (yield* COUNT_SHARES.first({ now }))?.n ?? 0
}

const REMOVE_LOGINS = statement<{ until: number }>()((db, param) =>
  db
    .deleteFrom('tokens')
    .where('purpose', '=', 'browser')
    .where('user_id', 'is', null)
    .where('expires_at', '<', param('until')),
)

function* removeOperatorLogins(until: number): Program<void> {
  yield* REMOVE_LOGINS.run({ until })
}

const OPERATOR_BY_HASH = perDialect(({ lock }) =>
  statement<{ hash: Uint8Array }>()((db, param) =>
    selectRows(db, OPERATOR_TOKEN).where('t.token_hash', '=', param('hash')).modifyEnd(sql.raw(lock)),
  ),
)
const OPERATOR_OF = perDialect(({ lock }) =>
  statement<{ home: string }>()((db, param) =>
    selectRows(db, OPERATOR_TOKEN)
      .where('t.home', '=', param('home'))
      .where('t.ended_at', 'is', null)
      .modifyEnd(sql.raw(lock)),
  ),
)
const INSERT_OPERATOR = insertRow(OPERATOR_TOKEN, OPERATOR_TOKEN.names())

function* insertOperatorToken(row: OperatorToken): Program<void> {
  yield* INSERT_OPERATOR.run(row)
}

const END_ALL = statement<{ now: number }>()((db, param) =>
  db
    .updateTable('operator_tokens')
    .set({ ended_at: param('now') })
    .where('ended_at', 'is', null),
)
const END_OF = statement<{ now: number; home: string }>()((db, param) =>
  db
    .updateTable('operator_tokens')
    .set({ ended_at: param('now') })
    .where('ended_at', 'is', null)
    .where('home', '=', param('home')),
)

function* endOperatorTokens(now: number, home: string | undefined): Program<void> {
  yield* home === undefined ? END_ALL.run({ now }) : END_OF.run({ now, home })
}

function* countOpen(): Program<number> {
  return (yield* COUNT_OPEN.first())?.n ?? 0
}

function* kin(): Program<TokenKin[]> {
  return yield* KIN.rows()
}
