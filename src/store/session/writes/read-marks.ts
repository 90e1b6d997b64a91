/** Who said that the result of a sub-agent's run was read: decisions, kept apart from what is derived from journals. */
import type { SubagentId } from '../../../domain/ids'
import { first, type Program, run } from '../../sql/program'

export function* markRead(
  session: number,
  subagent: SubagentId,
  number: number,
  by: string,
  now: number,
): Program<boolean | null> {
  const found = yield* first<{ native_id: string; read_at: number | null }>(
    `select s.native_id, r.read_at from subagent_runs r join subagents a on a.id = r.subagent_id join sessions s on s.id = a.session_id
     where a.session_id = ? and a.native_id = ? and r.number = ?`,
    session,
    subagent,
    number,
  )
  if (found === undefined) return null
  if (found.read_at !== null) return false
  const marked = yield* first(
    'select 1 as n from subagent_reads where session_native_id = ? and subagent_native_id = ? and run_number = ?',
    found.native_id,
    subagent,
    number,
  )
  if (marked !== undefined) return false
  yield* run(
    `insert into subagent_reads (session_native_id, subagent_native_id, run_number, at, marked_by) values (?, ?, ?, ?, ?)
     on conflict (session_native_id, subagent_native_id, run_number) do nothing`,
    found.native_id,
    subagent,
    number,
    now,
    by,
  )
  return true
}

/** A forgotten session's. */
export function* forgetReads(session: string): Program<void> {
  yield* run('delete from subagent_reads where session_native_id = ?', session)
}
