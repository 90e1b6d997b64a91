/**
 * Triggers that keep two sums of usage where what they are sorted by changes: the kind of a sub-agent (`usage_hours`), and which task had
 * a session when (`usage_tasks`). What is added as lines are recorded is the recorder's (`store/record/usage.ts`).
 */

export const USAGE_COLUMNS = [
  'messages',
  'input',
  'output',
  'cache_read',
  'cache_creation',
  'cache_creation_1h',
  'web_searches',
  'stated_nano_usd',
] as const

const HOUR_MS = 3_600_000
/** The hour of messages whose time nobody knows. */
export const UNKNOWN_HOUR = -9_007_199_254_740_991

/** The hour of a message `u`; rounded down before 1970 as well. */
export const HOUR_OF_MESSAGE = `case when u.at is null then ${UNKNOWN_HOUR} else (u.at - case when u.at < 0 then ${HOUR_MS - 1} else 0 end) / ${HOUR_MS} end`

/** What a sub-agent's row says that it is; all messages without one are the main thread's. */
export const nodeOf = (row: string): string =>
  `case when ${row}.kind = 'internal' then 'internal' else coalesce(${row}.kind, 'agent') || ':' || coalesce(${row}.type, '') end`

/** The columns of messages `u` that count, a message being one. `sign` may take them away again. */
export const counts = (sign = ''): string =>
  USAGE_COLUMNS.map((name) => `cast(sum(${sign}${name === 'messages' ? '1' : `u.${name}`}) as bigint)`).join(', ')

/** What the migration of sums sorts a session's messages by, and later ones do as well. */
export const OF_SESSION = ['project_id', 'agent']

export const intoHours = (ofSession: readonly string[]): string =>
  `insert into usage_hours (hour, ${ofSession.join(', ')}, model, node, ${USAGE_COLUMNS.join(', ')}, last_at, is_part, is_worn)`

/** All messages that there are. */
export const fillHours = (ofSession: readonly string[]): string => `${intoHours(ofSession)}
  select hour, ${ofSession.join(', ')}, model, node, ${USAGE_COLUMNS.map((name) => `cast(sum(${name}) as bigint)`).join(', ')}, max(at), 0, 0 from (
    select ${HOUR_OF_MESSAGE} as hour, ${ofSession.map((name) => `s.${name}`).join(', ')}, u.model,
        case when u.subagent_id = 0 then 'main' else ${nodeOf('n')} end as node,
        1 as messages, ${USAGE_COLUMNS.slice(1)
          .map((name) => `u.${name}`)
          .join(', ')}, u.at
      from usage_messages u join sessions s on s.id = u.session_id left join subagents n on n.id = u.subagent_id) m
   group by hour, ${ofSession.join(', ')}, model, node`

export interface Words {
  conversation(row: string): string
  differs(a: string, b: string): string
}

/** The attempts of a session before a time come first; those of one time by their key. */
function tasksOf({ conversation }: Words, native: string): { drop: string; fill: string } {
  const ofSession = `${conversation('a')} = s.native_id`
  const task = `coalesce(
      (select a.task_id from attempts a where ${ofSession} and a.started_at <= u.at order by a.started_at desc, a.id desc limit 1),
      (select a.task_id from attempts a where ${ofSession} order by a.started_at, a.id limit 1))`
  return {
    drop: `delete from usage_tasks where session_id in (select s.id from sessions s where s.native_id = ${native});`,
    fill: `insert into usage_tasks (task_id, session_id, model, ${USAGE_COLUMNS.join(', ')}, last_at)
      select ${task}, u.session_id, u.model, ${counts()}, max(u.at)
        from sessions s join usage_messages u on u.session_id = s.id
       where s.native_id = ${native} and exists (select 1 from attempts a where ${ofSession}) group by 1, 2, 3;`,
  }
}

/** Those of all sessions that a task ever had. */
export const fillTasks = (words: Words): string => {
  const conversation = words.conversation('k')
  return tasksOf(words, `any_native`)
    .fill.replace(`s.native_id = any_native and`, `s.native_id in (select ${conversation} from attempts k) and`)
    .replace(/;$/, '')
}

export interface Trigger {
  name: string
  event: string
  when: string
  body: string
}

/** Messages of a sub-agent whose kind becomes known leave the sums that they were in. */
export function ofKind({ differs }: Words, ofSession: readonly string[]): Trigger {
  const sorted = [HOUR_OF_MESSAGE, ...ofSession.map((name) => `s.${name}`), 'u.model']
  const moved = (sign: string, row: string, isWorn: number) => `${intoHours(ofSession)}
          select ${sorted.join(', ')}, ${nodeOf(row)}, ${counts(sign)}, max(u.at), 1, ${isWorn}
            from usage_messages u join sessions s on s.id = u.session_id
           where u.session_id = new.session_id and u.subagent_id = new.id group by ${sorted.map((_, at) => at + 1).join(', ')};`
  return {
    name: 'usage_of_kind',
    event: 'update of kind, type on subagents',
    when: `${differs('new.kind', 'old.kind')} or ${differs('new.type', 'old.type')}`,
    body: [moved('-', 'old', 1), moved('', 'new', 0)].join('\n        '),
  }
}

function triggersOf(words: Words): Trigger[] {
  const { conversation, differs } = words
  /** Messages from before it was changed stay with their tasks where the row is the newest of its session. */
  const moves = (
    row: string,
  ): string => `(not exists (select 1 from attempts o where ${conversation('o')} = ${conversation(row)}
        and o.id <> ${row}.id and (o.started_at < ${row}.started_at or (o.started_at = ${row}.started_at and o.id < ${row}.id)))
      or exists (select 1 from sessions s join usage_messages u on u.session_id = s.id
        where s.native_id = ${conversation(row)} and u.at >= ${row}.started_at))`
  const recount = (row: string): string => {
    const { drop, fill } = tasksOf(words, conversation(row))
    return `${drop.replace(/;$/, ` and ${moves(row)};`)}
      ${fill.replace(' group by', ` and not exists (select 1 from usage_tasks k where k.session_id = s.id) group by`)}`
  }
  return [
    ofKind(words, OF_SESSION),
    {
      name: 'usage_of_attempt',
      event: 'insert on attempts',
      when: `${conversation('new')} is not null`,
      body: recount('new'),
    },
    {
      // How nearly all attempts get their session: the messages of a long one are counted anew only where one of them moves.
      name: 'usage_of_named_session',
      event: 'update of conversation on attempts',
      when: `${conversation('old')} is null and ${conversation('new')} is not null`,
      body: recount('new'),
    },
    {
      name: 'usage_of_other_session',
      event: 'update of conversation, started_at on attempts',
      when: `${conversation('old')} is not null
        and (${differs(conversation('new'), conversation('old'))} or ${differs('new.started_at', 'old.started_at')})`,
      body: ['old', 'new']
        .map((row) => Object.values(tasksOf(words, conversation(row))).join('\n        '))
        .join('\n        '),
    },
    {
      name: 'usage_without_attempt',
      event: 'delete on attempts',
      when: `${conversation('old')} is not null`,
      body: Object.values(tasksOf(words, conversation('old'))).join('\n        '),
    },
  ]
}

export const SQLITE_WORDS: Words = {
  conversation: (row) => `cast(json_extract(${row}.conversation, '$.sessionId') as text)`,
  differs: (a, b) => `${a} is not ${b}`,
}
export const POSTGRES_WORDS: Words = {
  conversation: (row) => `((${row}.conversation)::json ->> 'sessionId')`,
  differs: (a, b) => `${a} is distinct from ${b}`,
}

const SQLITE = triggersOf(SQLITE_WORDS)
const POSTGRES = triggersOf(POSTGRES_WORDS)

export const sqliteTrigger = ({
  name,
  event,
  when,
  body,
}: Trigger): string => `create trigger ${name} after ${event} when ${when} begin
      ${body}
    end`

export const SQLITE_USAGE_SUMS = [fillHours(OF_SESSION), fillTasks(SQLITE_WORDS), ...SQLITE.map(sqliteTrigger)]

export const DROP_SQLITE_USAGE_SUMS = SQLITE.map(({ name }) => `drop trigger ${name}`)

/** The session's row is what recorders hold: of an attempt and of lines that are recorded at once the later one sees the other. */
const lockSession = (event: string): string =>
  event.endsWith('attempts')
    ? `perform 1 from sessions s where s.native_id in (case when tg_op <> 'INSERT' then ${POSTGRES_WORDS.conversation('old')} end,
        case when tg_op <> 'DELETE' then ${POSTGRES_WORDS.conversation('new')} end) order by s.id for no key update;`
    : ''

export const POSTGRES_USAGE_SUMS = [
  fillHours(OF_SESSION),
  fillTasks(POSTGRES_WORDS),
  ...POSTGRES.flatMap(({ name, event, when, body }) => [
    `create function ${name}() returns trigger language plpgsql as $$ begin
      ${lockSession(event)}
      ${body}
      return null;
    end $$`,
    // At the end of a transaction: nobody waits for the session's row longer than for a commit.
    event.endsWith('attempts')
      ? `create constraint trigger ${name} after ${event} deferrable initially deferred for each row when (${when}) execute function ${name}()`
      : `create trigger ${name} after ${event} for each row when (${when}) execute function ${name}()`,
  ]),
]

export const DROP_POSTGRES_USAGE_SUMS = POSTGRES.flatMap(({ name, event }) => [
  `drop trigger ${name} on ${event.split(' on ')[1]}`,
  `drop function ${name}()`,
])

const NAMED = 'usage_of_named_session'

/** Most attempts name a conversation of which nothing is recorded yet: then there is nothing to count. */
export const POSTGRES_QUICK_USAGE = namedSession('if not found then return null; end if;')
export const POSTGRES_SLOW_USAGE = namedSession('')

function namedSession(first: string): string[] {
  return POSTGRES.filter(({ name }) => name === NAMED).map(
    ({ name, event, body }) => `create or replace function ${name}() returns trigger language plpgsql as $$ begin
      ${lockSession(event)}
      ${first}
      ${body}
      return null;
    end $$`,
  )
}
