/** Sums of each session, kept as it is recorded, so that lists of many sessions read one row of each. */
import type { Migration, SqlWords } from '../migration'

const COUNTS = [
  'messages',
  'input',
  'output',
  'cache_read',
  'cache_creation',
  'cache_creation_1h',
  'web_searches',
  'stated_nano_usd',
]

const COLUMNS = (t: SqlWords): Record<string, string> => ({
  error_count: `${t.int} not null default 0`,
  file_count: `${t.int} not null default 0`,
  token_count: `${t.int} not null default 0`,
  cost_usd: 'double precision default 0',
  is_cost_estimate: `${t.int} not null default 0`,
  last_text: 'text',
  last_text_at: t.int,
})

// A key of PostgreSQL has at most 2,700 bytes. No real name is nearly as long.
const shorten = (column: string): string =>
  `update sessions set ${column} = substr(${column}, 1, 250) where length(${column}) > 250`

const up = (t: SqlWords): string[] => [
  shorten('git_branch'),
  shorten('model'),
  ...Object.entries(COLUMNS(t)).map(([name, type]) => `alter table sessions add column ${name} ${type}`),
  // JSON list of paths: only of calls that write files.
  'alter table tool_uses add column files text',
  `create index tool_uses_files on tool_uses (session_id) where files is not null`,
  // Files that a session changed: calls that wrote them and did not fail.
  `create table session_files (
    session_id ${t.int} not null references sessions(id) on delete cascade,
    path ${t.bytewise} not null,
    calls ${t.int} not null,
    primary key (session_id, path)
  ) ${t.withoutRowid}`,
  `create table session_products (
    session_id ${t.int} not null references sessions(id) on delete cascade,
    kind text not null, -- commit | pull_request
    name ${t.bytewise} not null,
    title text,
    at ${t.int} not null, -- 0 = not known
    primary key (session_id, kind, name)
  ) ${t.withoutRowid}`,
  // The sums of usage_totals by session: is_agent 0 = the main thread, 1 = all sub-agents together.
  `create table usage_sessions (
    session_id ${t.int} not null references sessions(id) on delete cascade,
    is_agent ${t.int} not null,
    model ${t.bytewise} not null,
    ${COUNTS.map((name) => `${name} ${t.int} not null`).join(', ')},
    last_at ${t.int}, -- of its newest message
    primary key (session_id, is_agent, model)
  ) ${t.withoutRowid}`,
  `insert into usage_sessions (session_id, is_agent, model, ${COUNTS.join(', ')})
    select session_id, case when subagent_id = 0 then 0 else 1 end, model, ${COUNTS.map((name) => `sum(${name})`).join(', ')}
      from usage_totals group by 1, 2, 3`,
  // By which prices the costs of sessions were counted; no row = not yet.
  `create table summed_prices (digest text not null)`,
  `create index sessions_sums on sessions (agent, project_id, host_id, model, git_branch, error_count, file_count, token_count,
     cost_usd, event_count, tool_call_count, started_at, last_event_at)`,
]

const down = (t: SqlWords): string[] => [
  'drop index sessions_sums',
  'drop table summed_prices',
  'drop table usage_sessions',
  'drop table session_products',
  'drop table session_files',
  'drop index tool_uses_files',
  'alter table tool_uses drop column files',
  ...Object.keys(COLUMNS(t)).map((name) => `alter table sessions drop column ${name}`),
]

export const sessionSumsMigration: Migration = { number: 120, name: 'session-sums', up, down }
