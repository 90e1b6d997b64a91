/**
 * The SQL of the migration `usage-shares`: triggers that keep each session's share, and sort the sums of hours by it. A session gets its
 * task, and a task its conversation, later than the first messages of it.
 */
import {
  counts,
  fillHours,
  HOUR_OF_MESSAGE,
  intoHours,
  nodeOf,
  OF_SESSION,
  ofKind,
  POSTGRES_WORDS,
  SQLITE_WORDS,
  sqliteTrigger,
  type Trigger,
  type Words,
} from './usage-sums'

/** By what of a session its messages are sorted. */
const OF_SHARED = [...OF_SESSION, 'share']

/** Over all messages that there are, when sessions have their shares. */
export const FILL_SHARED_HOURS = fillHours(OF_SHARED)

/** That of the newest task whose conversation it is; tasks that are for nobody say nothing. */
const shareOf = (native: string): string =>
  `(select t.share from tasks t where t.last_session_native_id = ${native} and t.share is not null order by t.id desc limit 1)`

/** Over all sessions that there are. */
export const FILL_SHARES = `update sessions set share = ${shareOf('sessions.native_id')}
  where native_id in (select t.last_session_native_id from tasks t where t.last_session_native_id is not null and t.share is not null)`

const setShare = (native: string): string =>
  `update sessions set share = ${shareOf(native)} where native_id = ${native} and share is distinct from ${shareOf(native)};`

const moved = (sign: string, share: string, isWorn: number): string => `${intoHours(OF_SHARED)}
          select ${HOUR_OF_MESSAGE}, new.project_id, new.agent, ${share}, u.model,
              case when u.subagent_id = 0 then 'main' else ${nodeOf('n')} end, ${counts(sign)}, max(u.at), 1, ${isWorn}
            from usage_messages u left join subagents n on n.id = u.subagent_id
           where u.session_id = new.id group by 1, 5, 6;`

const triggersOf = ({ differs }: Words): Trigger[] => [
  {
    name: 'share_of_task',
    event: 'insert on tasks',
    when: 'new.last_session_native_id is not null and new.share is not null',
    body: setShare('new.last_session_native_id'),
  },
  {
    name: 'share_of_conversation',
    event: 'update of last_session_native_id, share on tasks',
    when: `(${differs('new.last_session_native_id', 'old.last_session_native_id')} or ${differs('new.share', 'old.share')})
      and (new.share is not null or old.share is not null)`,
    body: ['old', 'new'].map((row) => setShare(`${row}.last_session_native_id`)).join('\n        '),
  },
  {
    name: 'share_without_task',
    event: 'delete on tasks',
    when: 'old.last_session_native_id is not null and old.share is not null',
    body: setShare('old.last_session_native_id'),
  },
  {
    name: 'share_of_session',
    event: 'insert on sessions',
    when: 'new.share is null',
    body: setShare('new.native_id'),
  },
  {
    name: 'usage_of_share',
    event: 'update of share on sessions',
    when: differs('new.share', 'old.share'),
    body: [moved('-', 'old.share', 1), moved('', 'new.share', 0)].join('\n        '),
  },
]

const SQLITE = triggersOf(SQLITE_WORDS)
const POSTGRES = triggersOf(POSTGRES_WORDS)

export const SQLITE_USAGE_SHARES = [
  'drop trigger usage_of_kind',
  ...[ofKind(SQLITE_WORDS, OF_SHARED), ...SQLITE].map(sqliteTrigger),
]

export const DROP_SQLITE_USAGE_SHARES = [
  ...['usage_of_kind', ...SQLITE.map(({ name }) => name)].map((name) => `drop trigger ${name}`),
  sqliteTrigger(ofKind(SQLITE_WORDS, OF_SESSION)),
]

/** If a task and a session come at once, neither sees the other: the later one waits until it does. */
const oneByOne = (...rows: string[]): string =>
  `perform pg_advisory_xact_lock(hashtextextended(k.native, 330))
        from (select distinct native from unnest(array[${rows.join(', ')}]) native where native is not null order by 1) k;`

const LOCKED: Readonly<Record<string, string>> = {
  share_of_task: oneByOne('new.last_session_native_id'),
  share_of_conversation: oneByOne('old.last_session_native_id', 'new.last_session_native_id'),
  share_without_task: oneByOne('old.last_session_native_id'),
  share_of_session: oneByOne('new.native_id'),
}

const functionOf = ({ name, body }: Trigger): string =>
  `function ${name}() returns trigger language plpgsql as $$ begin
      ${LOCKED[name] ?? ''}
      ${body}
      return null;
    end $$`

export const POSTGRES_USAGE_SHARES = [
  `create or replace ${functionOf(ofKind(POSTGRES_WORDS, OF_SHARED))}`,
  ...POSTGRES.flatMap((trigger) => {
    const { name, event, when } = trigger
    return [
      `create ${functionOf(trigger)}`,
      // At the end of a transaction: nobody waits for the session's row longer than for a commit.
      name === 'usage_of_share'
        ? `create trigger ${name} after ${event} for each row when (${when}) execute function ${name}()`
        : `create constraint trigger ${name} after ${event} deferrable initially deferred for each row when (${when}) execute function ${name}()`,
    ]
  }),
]

export const DROP_POSTGRES_USAGE_SHARES = [
  ...POSTGRES.flatMap(({ name, event }) => [
    `drop trigger ${name} on ${event.split(' on ')[1]}`,
    `drop function ${name}()`,
  ]),
  `create or replace ${functionOf(ofKind(POSTGRES_WORDS, OF_SESSION))}`,
]
