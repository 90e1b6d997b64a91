import type { Replay } from '../../domain/cost/cost'
import type { SessionId } from '../../domain/ids'
import { modelUsage } from '../record/model-usage'
import { isoTime, type ReadContext } from '../sql/read-context'

/** @see CostReads.replay */
export async function readReplay({ db, costOf }: ReadContext, session: SessionId): Promise<Replay | null> {
  const last = await db
    .selectFrom('usage_messages as u')
    .innerJoin('sessions as s', 's.id', 'u.session_id')
    .selectAll('u')
    .where('s.native_id', '=', session)
    .where('u.subagent_id', '=', 0)
    .where('u.at', 'is not', null)
    .orderBy('u.at', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (last === undefined) return null
  const tokens = last.input + last.cache_read + last.cache_creation + last.output
  const written = { input: 0, output: 0, cache_read: 0, cache_creation: tokens, cache_creation_1h: 0, web_searches: 0 }
  const usage = modelUsage({ ...written, model: last.model, messages: 1, stated_nano_usd: 0 })
  return { tokens, model: last.model, at: isoTime(Number(last.at)), ...costOf(usage) }
}
