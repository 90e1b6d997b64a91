import {
  DROP_POSTGRES_USAGE_SHARES,
  DROP_SQLITE_USAGE_SHARES,
  POSTGRES_USAGE_SHARES,
  SQLITE_USAGE_SHARES,
} from './costs/usage-shares'
import {
  DROP_POSTGRES_USAGE_SUMS,
  DROP_SQLITE_USAGE_SUMS,
  POSTGRES_QUICK_USAGE,
  POSTGRES_SLOW_USAGE,
  POSTGRES_USAGE_SUMS,
  SQLITE_USAGE_SUMS,
} from './costs/usage-sums'
import type { SqlWords } from './migration'
import { DROP_SEVERAL_TASK_UNITS, DROP_TASK_UNITS, SEVERAL_TASK_UNITS, TASK_UNITS } from './tasks/task-units'
import {
  DROP_POSTGRES_WORK_PLACES,
  DROP_SQLITE_WORK_PLACES,
  POSTGRES_FULL_LINKS,
  POSTGRES_LEAN_LINKS,
  POSTGRES_QUICK_PLACES,
  POSTGRES_SLOW_PLACES,
  POSTGRES_WORK_PLACES,
  SQLITE_WORK_PLACES,
} from './tasks/work-places'

export const sqliteWords: SqlWords = {
  randomId: 'lower(hex(randomblob(16)))',
  key: 'integer primary key',
  int: 'integer',
  bytewise: 'text',
  blob: 'blob',
  isoTime: (column) =>
    `strftime('%Y-%m-%dT%H:%M:%S', ${column} / 1000, 'unixepoch') || printf('.%03dZ', ${column} % 1000)`,
  // As text: an index without an affinity is passed over where a column of text is compared with it.
  jsonText: (column, key) => `cast(json_extract(${column}, '$.${key}') as text)`,
  withoutRowid: 'without rowid',
  thenKey: '',
  byWhole: '',
  fullText: [
    // Contentless: the text is in the journal and the row; deleting by rowid still works.
    `create virtual table event_text using fts5(text, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2")`,
    // A forgotten word must not stay in the index's pages.
    `insert into event_text(event_text, rank) values ('secure-delete', 1)`,
  ],
  dropFullText: ['drop table event_text'],
  stemmedText: [
    `create virtual table event_text using fts5(text, output, content='', contentless_delete=1, tokenize="porter unicode61 remove_diacritics 2")`,
    `insert into event_text(event_text, rank) values ('secure-delete', 1)`,
  ],
  textParts: [],
  dropWholeText: [],
  wholeText: [],
  feed: [
    // `autoincrement`: a cursor is never given twice, not even after the newest rows were deleted.
    `create table feed (
      seq integer primary key autoincrement,
      at integer not null,
      kind text not null,
      session_id integer,
      session_native_id text,
      data text not null
    )`,
  ],
  dropFeed: ['drop table feed'],
  feedNumbering: [],
  dropFeedNumbering: [],
  roomForUpdates: () => [],
  noRoomForUpdates: () => [],
  taskUnits: [],
  dropTaskUnits: [],
  severalTaskUnits: [],
  dropSeveralTaskUnits: [],
  workPlaces: SQLITE_WORK_PLACES,
  dropWorkPlaces: DROP_SQLITE_WORK_PLACES,
  leanLinks: [],
  fullLinks: [],
  leanFeed: [],
  fullFeed: [],
  quickUnits: [],
  slowUnits: [],
  usageSums: SQLITE_USAGE_SUMS,
  dropUsageSums: DROP_SQLITE_USAGE_SUMS,
  usageShares: SQLITE_USAGE_SHARES,
  dropUsageShares: DROP_SQLITE_USAGE_SHARES,
  workAgents: [
    `create trigger work_session_agent after insert on work_sessions begin
      update work_sessions set agent = (select s.agent from sessions s where s.id = new.session_id)
       where session_id = new.session_id and root_id = new.root_id;
    end`,
  ],
  dropWorkAgents: ['drop trigger work_session_agent'],
}

const WHOLE_TEXT = 'create index event_text_words on event_text using gin (words)'

/** Neighbouring events, as the index of their words tells them apart: it reads of a word's list only what is in one part. */
export const EVENTS_OF_PART = 4_096
/** The part of an event's words, as the index and each query word it. */
export const TEXT_PART = 'array[(event_id / 4096)::int]'

const POSTGRES_TEXT = [
  `create table event_text (
      event_id bigint primary key references conversation_events(id) on delete cascade,
      session_id bigint not null,
      words tsvector not null
    )`,
  WHOLE_TEXT,
]

/** The rows of a pass with their places, by their key. */
const BY_KEY = `with batch as (
          select id, row_number() over (order by id) as place
            from (select id from feed where seq is null order by id limit most) unnumbered
        ), numbered as (
          update feed set seq = last + batch.place from batch where feed.id = batch.id returning 1
        ) select count(*) into total from numbered;`
/** The same by where they lie, which needs no index: nobody else changes them. */
const BY_PLACE = `rows := array(select ctid from feed where seq is null order by id limit most);
        update feed set seq = last + batch.place from unnest(rows) with ordinality as batch(row, place)
          where feed.ctid = batch.row;
        get diagnostics total = row_count;`

/**
 * How many rows got a number, at most this many; -1 = somebody else is at it and rows are left. Each of its statements sees what was
 * committed until then: the second one what the last holder of the lock has done.
 */
const numberFeed = (
  number: string,
  // A plan that was made while the feed was small would go on to read all of it.
  settings = 'set enable_seqscan = off set jit = off',
): string => `create or replace function number_feed(most integer) returns integer language plpgsql ${settings} as $$
      declare
        last bigint;
        total integer;
        rows tid[];
      begin
        select seq into last from feed_position for update skip locked;
        if not found then
          return case when exists (select 1 from feed where seq is null) then -1 else 0 end;
        end if;
        ${number}
        if total > 0 then
          update feed_position set seq = seq + total;
          perform pg_notify('lodeline_feed', '');
        end if;
        return total;
      end $$`

export const postgresWords: SqlWords = {
  randomId: 'md5(gen_random_uuid()::text)',
  key: 'bigint generated by default as identity primary key',
  int: 'bigint',
  bytewise: 'text collate "C"',
  blob: 'bytea',
  isoTime: (column) => `to_char(to_timestamp(${column} / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  jsonText: (column, key) => `((${column})::json ->> '${key}')`,
  withoutRowid: '',
  thenKey: ', id',
  byWhole: 'using hash',
  fullText: POSTGRES_TEXT,
  dropFullText: ['drop table event_text'],
  // The writer sends stems, and each word with its weight.
  stemmedText: POSTGRES_TEXT,
  textParts: [{ name: 'event_text_parts', on: `event_text using gin ((${TEXT_PART}), words)` }],
  dropWholeText: ['drop index event_text_words'],
  wholeText: [WHOLE_TEXT],
  feed: [
    // Writers leave `seq` empty; one sequencer numbers committed rows (store/postgres/postgres-sequencer.ts).
    `create table feed (
      id bigint generated always as identity primary key,
      seq bigint unique,
      at bigint not null,
      kind text not null,
      session_id bigint,
      session_native_id text,
      data text not null
    )`,
    `create index feed_unnumbered on feed (id) where seq is null`,
    // The last number given, one row. Its lock is the sequencer's; unlike a sequence it goes back with its transaction, so
    // that no number is left out.
    `create table feed_position (seq bigint not null)`,
    `insert into feed_position (seq) values (0)`,
  ],
  dropFeed: ['drop table feed_position', 'drop table feed'],
  feedNumbering: [numberFeed(BY_KEY, '')],
  dropFeedNumbering: ['drop function number_feed(integer)'],
  roomForUpdates: (table) => [`alter table ${table} set (fillfactor = 80)`],
  noRoomForUpdates: (table) => [`alter table ${table} reset (fillfactor)`],
  taskUnits: TASK_UNITS,
  dropTaskUnits: DROP_TASK_UNITS,
  severalTaskUnits: SEVERAL_TASK_UNITS,
  dropSeveralTaskUnits: DROP_SEVERAL_TASK_UNITS,
  workPlaces: POSTGRES_WORK_PLACES,
  dropWorkPlaces: DROP_POSTGRES_WORK_PLACES,
  leanLinks: POSTGRES_LEAN_LINKS,
  fullLinks: POSTGRES_FULL_LINKS,
  leanFeed: ['alter table feed drop constraint feed_pkey', numberFeed(BY_PLACE)],
  fullFeed: [numberFeed(BY_KEY, ''), 'alter table feed add primary key (id)'],
  quickUnits: [...POSTGRES_QUICK_PLACES, ...POSTGRES_QUICK_USAGE],
  slowUnits: [...POSTGRES_SLOW_PLACES, ...POSTGRES_SLOW_USAGE],
  usageSums: POSTGRES_USAGE_SUMS,
  dropUsageSums: DROP_POSTGRES_USAGE_SUMS,
  usageShares: POSTGRES_USAGE_SHARES,
  dropUsageShares: DROP_POSTGRES_USAGE_SHARES,
  workAgents: [
    `create function work_session_agent() returns trigger language plpgsql as $$ begin
      new.agent := (select s.agent from sessions s where s.id = new.session_id);
      return new;
    end $$`,
    'create trigger work_session_agent before insert on work_sessions for each row execute function work_session_agent()',
  ],
  dropWorkAgents: ['drop trigger work_session_agent on work_sessions', 'drop function work_session_agent()'],
}
