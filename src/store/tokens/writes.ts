import { sql } from 'kysely'
import { AppError } from '../../domain/errors'
import type { TokenId, TokenKey } from '../../domain/ids'
import type { NewToken, TokenKin, TokenRow, TokenTx } from '../../domain/token/token-store'
import { perDialect, type TaskDialect } from '../sql/dialect'
import type { Driver, Program } from '../sql/program'
import { insertRow, selectRows, updateRow } from '../sql/row-statements'
import { statement } from '../sql/statement'
import { TOKEN } from './rows'

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
  }
}

const INSERT = insertRow(TOKEN, TOKEN.names('key'), [], (insert) =>
  insert.onConflict((conflict) => conflict.doNothing()),
)

function* insertToken(row: NewToken): Program<void> {
  if ((yield* INSERT.insert(row)) === null)
    throw new AppError('conflict', `An enrollment of ${row.name} was made at the same time.`)
}

/** Decided on by whoever reads it: nobody else changes it before the unit's end. */
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
    .where('revoked_at', 'is', null),
)

function* countOpen(): Program<number> {
  return (yield* COUNT_OPEN.first())?.n ?? 0
}

function* kin(): Program<TokenKin[]> {
  return yield* KIN.rows()
}
