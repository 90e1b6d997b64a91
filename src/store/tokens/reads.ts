import { SHARE_LIMITS } from '../../domain/token/share'
import { TOKEN_LIMITS } from '../../domain/token/token'
import { enrollmentState, sharedPart, type TokenReads, tokenState } from '../../domain/token/token-store'
import { gather } from '../../util/gather'
import { byHash } from '../sql/by-hash'
import { isoTime, type ReadContext } from '../sql/read-context'
import { selectRows } from '../sql/row-statements'
import { TOKEN } from './rows'

/** Reads the tokens that an operator gave out. */
export function tokenReads({ db, capabilities }: ReadContext): TokenReads {
  return {
    async byToken(hash) {
      const found = await selectRows(db, TOKEN)
        .leftJoin('users as u', 'u.id', 't.user_id')
        .select(['u.name as ownerName', 'u.role as ownerRole', 'u.removed_at as ownerRemovedAt'])
        .where('t.token_hash', '=', hash)
        .executeTakeFirst()
      if (found === undefined) return undefined
      const { ownerName: name, ownerRole: role, ownerRemovedAt, ...row } = found
      const owner = name === null || role === null ? null : { name, role, isRemoved: ownerRemovedAt !== null }
      return { ...row, owner }
    },

    isOperatorToken: gather(async (hashes: Uint8Array[]) => {
      const { rows } = await capabilities
        .selectByHash<{ hash: Uint8Array; endedAt: number | null }>(
          'token_hash as hash, ended_at as "endedAt"',
          'operator_tokens',
          'token_hash',
          hashes,
        )
        .execute(db)
      return byHash(hashes, rows, ({ hash }) => hash).map((row) => row?.endedAt === null)
    }),

    async list(now) {
      const rows = await selectRows(db, TOKEN)
        .leftJoin('users as u', 'u.id', 't.user_id')
        .select('u.role as ownerRole')
        .where('t.purpose', 'in', ['viewer', 'operator', 'user'])
        .orderBy('t.id', 'desc')
        .limit(TOKEN_LIMITS.shown)
        .execute()
      return rows.flatMap((row) => {
        const { id, purpose, name, createdAt, lastUsedAt, expiresAt } = row
        const role = purpose === 'viewer' || purpose === 'operator' ? purpose : row.ownerRole
        if (role === null) return []
        const times = { createdAt: isoTime(createdAt), lastUsedAt: isoTime(lastUsedAt), expiresAt: isoTime(expiresAt) }
        return [{ id, role, name, state: tokenState(row, now), ...times }]
      })
    },

    async shares(now) {
      const rows = await selectRows(db, TOKEN)
        .where('t.purpose', '=', 'share')
        .orderBy('t.id', 'desc')
        .limit(SHARE_LIMITS.shown)
        .execute()
      return rows.flatMap((row) => {
        const { id, createdAt, lastUsedAt, expiresAt } = row
        const shared = sharedPart(row)
        if (shared === null || expiresAt === null) return []
        const times = { createdAt: isoTime(createdAt), lastUsedAt: isoTime(lastUsedAt), expiresAt: isoTime(expiresAt) }
        return [{ id, ...shared, state: tokenState(row, now), ...times }]
      })
    },

    async enrollments(now) {
      const rows = await selectRows(db, TOKEN)
        .leftJoin('agents as a', 'a.public_id', 't.agent_public_id')
        .select(['a.hostname as host', 'a.last_seen_at as seenAt'])
        .where('t.purpose', '=', 'worker')
        // The newest of a name: a worker that was enrolled again has others behind it.
        .where((eb) =>
          eb(
            't.id',
            '=',
            eb
              .selectFrom('tokens as o')
              .select((o) => o.fn.max('o.id').as('id'))
              .where('o.purpose', '=', 'worker')
              .whereRef('o.name', '=', 't.name'),
          ),
        )
        .orderBy('t.name')
        .limit(TOKEN_LIMITS.shown)
        .execute()
      return rows.map(({ host, seenAt, ...row }) => {
        const isWaiting = row.tokenHash === null
        return {
          name: row.name,
          state: enrollmentState(row, now),
          host: isWaiting ? null : host,
          createdAt: isoTime(row.createdAt),
          lastUsedAt: isWaiting ? null : isoTime(seenAt),
          expiresAt: isoTime(isWaiting ? row.codeExpiresAt : row.expiresAt),
        }
      })
    },
  }
}
