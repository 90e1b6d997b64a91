import type { SessionId } from '../../../domain/ids'
import { MOST_FILES, type SessionOutcome } from '../../../domain/session/outcome'
import { isoTime, type ReadContext } from '../../sql/read-context'

/** What came of a session. `undefined` = it is not recorded. */
export async function readOutcome({ db }: ReadContext, id: SessionId): Promise<SessionOutcome | undefined> {
  const session = await db.selectFrom('sessions').select('id').where('native_id', '=', id).executeTakeFirst()
  if (session === undefined) return undefined
  const files = await db
    .selectFrom('session_files')
    .select(['path', 'calls'])
    .where('session_id', '=', session.id)
    .orderBy('calls', 'desc')
    .orderBy('path')
    .limit(MOST_FILES)
    .execute()
  const products = await db
    .selectFrom('session_products')
    .select(['kind', 'name', 'title', 'at'])
    .where('session_id', '=', session.id)
    .orderBy('at')
    .orderBy('name')
    .execute()
  return { files, products: products.map(({ at, ...product }) => ({ ...product, at: at === 0 ? null : isoTime(at) })) }
}
