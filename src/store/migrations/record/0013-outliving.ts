/** Shells that went on when their CLI was gone: what their own processes tell. */
import type { Migration, SqlWords } from '../migration'

const UNTOLD_BEFORE = `create index subagent_runs_untold on subagent_runs (manifest_state, started_at)
    where coalesce(manifest_state, '') not in ('old', 'none', coalesce(status, 'lost'), coalesce(status, 'completed'))`

const up = (t: SqlWords): string[] => [
  // By the shell's id and not its row: what a look at a process gave, and that a person stopped it, no journal tells again.
  `create table shell_processes (
    session_id ${t.int} not null references sessions(id) on delete cascade,
    native_id ${t.bytewise} not null,
    process_id ${t.int},
    process_started text, -- as the system counts it: pids are used again
    state text not null, -- alive | ended (it had outlived its CLI) | gone (it had not) | stopped (by a person)
    at ${t.int} not null, -- when that was seen or done
    primary key (session_id, native_id)
  ) ${t.withoutRowid}`,
  `create index shell_processes_alive on shell_processes (session_id) where state = 'alive'`,
  // For these a look at the process may show more than the lines do.
  `create index subagents_open_shells on subagents (session_id)
    where kind = 'shell' and (end_status is null or end_evidence = 'transcript:gone')`,
  // Ends that follow from processes are reported too. The words are those of `store/recall/manifests.ts`.
  'drop index subagent_runs_untold',
  `create index subagent_runs_untold on subagent_runs (manifest_state, started_at)
    where coalesce(manifest_state, '') not in ('old', 'none', 'ended', coalesce(status, 'lost'), coalesce(status, 'completed'),
      coalesce(nullif(status, 'failed'), 'killed'))`,
]

const down = (): string[] => [
  'drop index subagent_runs_untold',
  UNTOLD_BEFORE,
  'drop index subagents_open_shells',
  'drop table shell_processes',
]

export const outlivingMigration: Migration = { number: 13, name: 'outliving', up, down }
