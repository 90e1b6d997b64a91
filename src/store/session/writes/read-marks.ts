/** Which reader marked the result of a sub-agent's run as read: decisions, kept apart from what is derived from journals. */
import type { SessionId, SessionKey, SubagentId } from '../../../domain/ids'
import type { Program } from '../../sql/program'
import { statement } from '../../sql/statement'

const RUN = statement<{ session: SessionKey; subagent: SubagentId; number: number }>()((db, param) =>
  db
    .selectFrom('subagent_runs as r')
    .innerJoin('subagents as a', 'a.id', 'r.subagent_id')
    .innerJoin('sessions as s', 's.id', 'a.session_id')
    .select(['s.native_id as sessionId', 'r.read_at as readAt'])
    .where('a.session_id', '=', param('session'))
    .where('a.native_id', '=', param('subagent'))
    .where('r.number', '=', param('number')),
)
const MARKED = statement<{ session: SessionId; subagent: SubagentId; number: number }>()((db, param) =>
  db
    .selectFrom('subagent_reads')
    .select('at')
    .where('session_native_id', '=', param('session'))
    .where('subagent_native_id', '=', param('subagent'))
    .where('run_number', '=', param('number')),
)
const MARK = statement<{ session: SessionId; subagent: SubagentId; number: number; now: number; by: string }>()(
  (db, param) =>
    db
      .insertInto('subagent_reads')
      .values({
        session_native_id: param('session'),
        subagent_native_id: param('subagent'),
        run_number: param('number'),
        at: param('now'),
        marked_by: param('by'),
      })
      .onConflict((conflict) =>
        conflict.columns(['session_native_id', 'subagent_native_id', 'run_number']).doNothing(),
      ),
)

export function* markRead(
  session: SessionKey,
  subagent: SubagentId,
  number: number,
  by: string,
  now: number,
): Program<boolean | null> {
  const found = yield* RUN.first({ session, subagent, number })
  if (found === undefined) return null
  if (found.readAt !== null) return false
  const marked = yield* MARKED.first({ session: found.sessionId, subagent, number })
  if (marked !== undefined) return false
  yield* MARK.run({ session: found.sessionId, subagent, number, now, by })
  return true
}

const FORGET = statement<{ session: SessionId }>()((db, param) =>
  db.deleteFrom('subagent_reads').where('session_native_id', '=', param('session')),
)

/** A forgotten session's. */
export function* forgetReads(session: SessionId): Program<void> {
  yield* FORGET.run({ session })
}
