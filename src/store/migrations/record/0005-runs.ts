/** Runs of sub-agents: what set them to work, how each ended, and whether its result was read. */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [
  // 16 bytes; null = the line has none, or was recorded before this column was there.
  `alter table conversation_events add column parent_uuid ${t.blob}`,
  // The newest last words of a turn of its own, and the newest line after which the model goes on; milliseconds.
  `alter table subagents add column final_at ${t.int}`,
  `alter table subagents add column turn_at ${t.int}`,
  `create table subagent_marks (
    subagent_id ${t.int} not null references subagents(id) on delete cascade,
    mark ${t.bytewise} not null, -- kind, evidence and time: the same word of a source comes once
    kind text not null, -- start | end
    at ${t.int},
    seen_at ${t.int}, -- of an end without a time: it was over by then
    status text,
    evidence text not null,
    tool_use_id text, -- the call that began the run
    trigger_kind text not null,
    result text,
    line ${t.blob}, -- uuid of the line in which the end stands before whoever reads it
    primary key (subagent_id, mark)
  ) ${t.withoutRowid}`,
  `create table subagent_runs (
    subagent_id ${t.int} not null references subagents(id) on delete cascade,
    number ${t.int} not null,
    session_id ${t.int} not null references sessions(id) on delete cascade,
    trigger_kind text not null,
    tool_use_id text,
    started_at ${t.int},
    ended_at ${t.int},
    status text, -- completed | failed | killed; null = no end seen
    evidence text not null,
    result text,
    notice_uuid ${t.blob}, -- the line of the parent's in which its notice or content stands
    noticed_at ${t.int},
    read_at ${t.int},
    read_evidence text,
    -- The state that the manifests were told last; null = none.
    manifest_state text,
    primary key (subagent_id, number)
  ) ${t.withoutRowid}`,
  // What a session may have to hear again: little, whatever the number of its sub-agents.
  'create index subagent_runs_unread on subagent_runs (session_id, started_at) where read_at is null',
  // What the manifests have to get: launches and ends that are new. The words are those of `store/recall/manifests.ts`.
  `create index subagent_runs_untold on subagent_runs (manifest_state, started_at)
    where coalesce(manifest_state, '') not in ('old', 'none', coalesce(status, 'lost'), coalesce(status, 'completed'))`,
  // Those of these that new lines may show to be read.
  'create index subagent_runs_noticed on subagent_runs (session_id, noticed_at) where read_at is null and notice_uuid is not null',
  // Decisions, which stay through a rebuild.
  `create table subagent_reads (
    session_native_id ${t.bytewise} not null,
    subagent_native_id ${t.bytewise} not null,
    run_number ${t.int} not null,
    at ${t.int} not null,
    marked_by text not null,
    primary key (session_native_id, subagent_native_id, run_number)
  ) ${t.withoutRowid}`,
]

const down = (): string[] => [
  'drop table subagent_reads',
  'drop table subagent_runs',
  'drop table subagent_marks',
  'alter table conversation_events drop column parent_uuid',
  'alter table subagents drop column final_at',
  'alter table subagents drop column turn_at',
]

export const runsMigration: Migration = { number: 5, name: 'runs', up, down }
