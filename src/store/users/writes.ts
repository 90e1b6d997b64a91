import { sql } from 'kysely'
import { AppError } from '../../domain/errors'
import type { UserKey } from '../../domain/ids'
import type { NewUser, UserTx } from '../../domain/user/user-store'
import { perDialect, type TaskDialect } from '../sql/dialect'
import type { Driver, Program } from '../sql/program'
import { insertRow, selectRows, updateRow } from '../sql/row-statements'
import { statement } from '../sql/statement'
import { USER } from './rows'

/** The port of people over one connection. */
export function createUserTx(driver: Driver, db: TaskDialect): UserTx {
  const drive = <T>(program: Program<T>) => driver.drive(program)
  return {
    insert: (row) => drive(insertUser(row)),
    byFold: (fold) => drive(BY_FOLD(db).first({ fold })),
    byKey: (key) => drive(BY_KEY(db).first({ key })),
    byLogin: (login) => drive(BY_LOGIN(db).first({ login })),
    countPresent: () => drive(countPresent()),
    update: (key, patch) => drive(updateRow(USER, patch, key)),
  }
}

const INSERT = insertRow(USER, USER.names('key'), [], (insert) => insert.onConflict((conflict) => conflict.doNothing()))

function* insertUser(row: NewUser): Program<void> {
  if ((yield* INSERT.insert(row)) === null)
    throw new AppError('conflict', `${row.name}, or somebody with the same login, was added at the same time.`)
}

/** The reader decides on it: nobody else changes it before the unit's end. */
const BY_FOLD = perDialect(({ lock }) =>
  statement<{ fold: string }>()((db, param) =>
    selectRows(db, USER).where('t.fold', '=', param('fold')).modifyEnd(sql.raw(lock)),
  ),
)
const BY_KEY = perDialect(({ lock }) =>
  statement<{ key: UserKey }>()((db, param) =>
    selectRows(db, USER).where('t.id', '=', param('key')).modifyEnd(sql.raw(lock)),
  ),
)
const BY_LOGIN = perDialect(({ lock }) =>
  statement<{ login: string }>()((db, param) =>
    selectRows(db, USER)
      .where('t.login', '=', param('login'))
      .where('t.removed_at', 'is', null)
      .modifyEnd(sql.raw(lock)),
  ),
)
const COUNT = statement()((db) =>
  db
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('removed_at', 'is', null),
)

function* countPresent(): Program<number> {
  return (yield* COUNT.first())?.n ?? 0
}
