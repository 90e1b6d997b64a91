/** What the processes of background shells tell: decisions and looks, kept apart from what is derived from journals. */
import type { ShellProcess } from '../../../domain/session/shell'
import { type Program, run } from '../../sql/program'

/** What a person did stays, whatever a look gives later. */
export function* setShell(
  session: number,
  { task, state, process, at }: Omit<ShellProcess, 'sessionId'>,
): Program<void> {
  yield* run(
    `insert into shell_processes (session_id, native_id, process_id, process_started, state, at) values (?, ?, ?, ?, ?, ?)
     on conflict (session_id, native_id) do update set state = excluded.state, at = excluded.at,
       process_id = coalesce(excluded.process_id, shell_processes.process_id),
       process_started = coalesce(excluded.process_started, shell_processes.process_started)
     where shell_processes.state <> 'stopped'`,
    session,
    task,
    process?.pid ?? null,
    process?.startedAt ?? null,
    state,
    at,
  )
}
