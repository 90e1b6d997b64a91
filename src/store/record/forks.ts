import type { SessionKey } from '../../domain/ids'
import { first, type Program, rows, run } from '../sql/program'
import { FLAG_INHERITED } from './events'

interface Fork {
  id: number
  root_uuid: Uint8Array
  fork_point: Uint8Array
}

/**
 * A fork's file begins with its parent's lines. The parent is the session that has the last of these as a line of its own;
 * it is looked for among the sessions in which such a copy can begin. Runs from both sides, so import order doesn't matter.
 */
export function* linkForks(lock: string, session: SessionKey): Program<void> {
  if (lock !== '') yield* lockConversation(session)
  const forks = yield* rows<Fork>(
    `select id, root_uuid, fork_point from sessions
      where id = ? and forked_from is null and fork_point is not null and root_uuid is not null
     union
     select s.id, s.root_uuid, s.fork_point from session_anchors a join sessions s on s.root_uuid = a.uuid
      where a.session_id = ? and s.id <> ? and s.forked_from is null and s.fork_point is not null`,
    session,
    session,
    session,
  )
  for (const fork of forks) {
    const parent = yield* first<{ native_id: string }>(
      `select s.native_id from session_anchors a
         join conversation_events e on e.session_id = a.session_id and e.uuid = ?
         join sessions s on s.id = a.session_id
       where a.uuid = ? and a.session_id <> ? and e.flags % 2 <> ${FLAG_INHERITED}
       order by s.id limit 1`,
      fork.fork_point,
      fork.root_uuid,
      fork.id,
    )
    if (parent)
      yield* run(
        'update sessions set forked_from = ?, fork_evidence = ? where id = ?',
        parent.native_id,
        'shares its lines',
        fork.id,
      )
  }
}

/**
 * PostgreSQL only. A fork and its parent may be recorded at the same time, and neither transaction sees the other's lines. Both
 * take the lock of the line at which the copy begins and keep it until they commit, so the later one sees the earlier.
 */
function* lockConversation(session: SessionKey): Program<void> {
  const anchors = yield* rows<{ uuid: Uint8Array }>(
    'select uuid from session_anchors where session_id = ? order by uuid',
    session,
  )
  for (const { uuid } of anchors) {
    const bytes = Buffer.from(uuid)
    yield* rows('select pg_advisory_xact_lock(?, ?)', bytes.readInt32BE(0), bytes.readInt32BE(4))
  }
}
