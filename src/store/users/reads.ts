import { USER_LIMITS } from '../../domain/user/user'
import type { UserReads } from '../../domain/user/user-store'
import { isoTime, type ReadContext } from '../sql/read-context'
import { selectRows } from '../sql/row-statements'
import { USER } from './rows'

/** Reads the people who were added. */
export function userReads({ db }: ReadContext): UserReads {
  return {
    async list() {
      const rows = await selectRows(db, USER)
        .select((eb) =>
          eb
            .selectFrom('tokens as o')
            .select((o) => o.fn.max('o.last_used_at').as('at'))
            .whereRef('o.user_id', '=', 't.id')
            .as('usedAt'),
        )
        .where('t.removed_at', 'is', null)
        .orderBy('t.fold')
        .limit(USER_LIMITS.present)
        .execute()
      return rows.map(({ name, role, login, addedBy, createdAt, usedAt }) => ({
        name,
        role,
        login,
        addedBy,
        createdAt: isoTime(createdAt),
        lastUsedAt: isoTime(usedAt),
      }))
    },

    async hasAny() {
      const found = await db.selectFrom('users').select('id').where('removed_at', 'is', null).limit(1).execute()
      return found.length > 0
    },
  }
}
