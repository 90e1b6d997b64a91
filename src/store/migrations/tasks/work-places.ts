/**
 * The SQL of the migration `work-places`: triggers that keep, in the transaction that changes tasks, attempts or sessions, where each stands
 * in the tree of all work. A level is a page of `work_roots` then, whatever else there is.
 */

/** Columns of an attempt's row. */
type Conversation = (row: string) => string

/** The project of a tree is that of the session which its outermost task had last. */
const projectOf = (native: string): string =>
  `(select s.project_id from sessions s where s.native_id = ${native} limit 1)`

const linksOf = (conversation: Conversation, where: string): string =>
  `insert into work_sessions (session_id, root_id, project_id, root_project_id)
     select s.id, w.root_id, s.project_id, r.project_id
       from attempts a join sessions s on s.native_id = ${conversation('a')}
         join work_tasks w on w.task_id = a.task_id join work_roots r on r.root_id = w.root_id
      where ${where} on conflict do nothing;`

const addRoot = (root: string): string =>
  `insert into work_roots (root_id, project_id, dir, heard_at)
     select t.id, ${projectOf('t.last_session_native_id')}, t.dir, t.updated_at from tasks t
      where t.id = ${root} on conflict do nothing;`

/** What a session says last, its trees were heard of then. */
const hearSession = (session: string, at: string): string =>
  `update work_roots set heard_at = ${at} where heard_at < ${at}
     and root_id in (select w.root_id from work_sessions w where w.session_id = ${session});`

const hearTask = (task: string, at: string): string =>
  `update work_roots set heard_at = ${at} where heard_at < ${at}
     and root_id = (select w.root_id from work_tasks w where w.task_id = ${task});`

/** The sessions of some attempts `a` of a task: what they said before they were linked. */
function hearSessions(conversation: Conversation, task: string, where: string): string {
  const newest = `(select max(s.last_event_at) from attempts a join sessions s on s.native_id = ${conversation('a')} where ${where})`
  return hearTask(task, newest)
}

/** Those whose outermost task had this session last. */
const placeRoots = (native: string): string =>
  `update work_roots set project_id = ${projectOf(native)}
    where root_id in (select t.id from tasks t where t.last_session_native_id = ${native} and t.parent_id is null);`

const unlink = (conversation: Conversation, was: string): string =>
  `delete from work_sessions
    where root_id = (select w.root_id from work_tasks w where w.task_id = ${was}.task_id)
      and session_id in (select s.id from sessions s where s.native_id = ${conversation(was)})
      and not exists (select 1 from attempts a join work_tasks w on w.task_id = a.task_id
        where ${conversation('a')} = ${conversation(was)} and w.root_id = work_sessions.root_id);`

const linkNew = (conversation: Conversation): string =>
  `${linksOf(conversation, 'a.id = new.id')}
    ${hearSessions(conversation, 'new.task_id', 'a.id = new.id')}`

interface Trigger {
  name: string
  /** What it comes after. */
  event: string
  when?: string
  body: string
}

interface Words {
  conversation: Conversation
  differs(a: string, b: string): string
  /** The outermost task of a new one. */
  rootOf(row: string): string
}

function triggersOf({ conversation, differs, rootOf }: Words): Trigger[] {
  return [
    {
      name: 'work_of_task',
      event: 'insert on tasks',
      body: `insert into work_tasks (task_id, root_id) select t.id, ${rootOf('t')} from tasks t where t.id = new.id on conflict do nothing;`,
    },
    {
      name: 'work_of_place',
      event: 'insert on work_tasks',
      body: `${addRoot('new.root_id')}
        ${linksOf(conversation, 'a.task_id = new.task_id')}
        ${hearTask('new.task_id', '(select t.updated_at from tasks t where t.id = new.task_id)')}
        ${hearSessions(conversation, 'new.task_id', 'a.task_id = new.task_id')}`,
    },
    {
      name: 'work_heard_of_task',
      event: 'update of updated_at on tasks',
      when: 'new.updated_at > old.updated_at',
      body: hearTask('new.id', 'new.updated_at'),
    },
    {
      name: 'work_moved',
      event: 'update of last_session_native_id, dir on tasks',
      when: `new.parent_id is null and (${differs('new.last_session_native_id', 'old.last_session_native_id')} or ${differs('new.dir', 'old.dir')})`,
      body: `update work_roots set dir = new.dir, project_id = ${projectOf('new.last_session_native_id')} where root_id = new.id;`,
    },
    {
      name: 'work_root_moved',
      event: 'update of project_id on work_roots',
      when: differs('new.project_id', 'old.project_id'),
      body: 'update work_sessions set root_project_id = new.project_id where root_id = new.root_id;',
    },
    {
      name: 'work_of_attempt',
      event: 'insert on attempts',
      when: `${conversation('new')} is not null`,
      body: linkNew(conversation),
    },
    {
      name: 'work_of_other_session',
      event: 'update of conversation on attempts',
      when: differs(conversation('new'), conversation('old')),
      body: `${unlink(conversation, 'old')}
        ${linkNew(conversation)}`,
    },
    {
      name: 'work_without_attempt',
      event: 'delete on attempts',
      when: `${conversation('old')} is not null`,
      body: unlink(conversation, 'old'),
    },
    {
      name: 'work_of_session',
      event: 'insert on sessions',
      body: `${placeRoots('new.native_id')}
        ${linksOf(conversation, `${conversation('a')} = new.native_id`)}
        ${hearSession('new.id', 'new.last_event_at')}`,
    },
    {
      name: 'work_heard_of_session',
      event: 'update of last_event_at on sessions',
      when: `new.last_event_at > coalesce(old.last_event_at, ${EARLIEST})`,
      body: hearSession('new.id', 'new.last_event_at'),
    },
    {
      name: 'work_session_moved',
      event: 'update of project_id on sessions',
      when: differs('new.project_id', 'old.project_id'),
      body: `update work_sessions set project_id = new.project_id where session_id = new.id;
        ${placeRoots('new.native_id')}`,
    },
    { name: 'work_without_session', event: 'delete on sessions', body: placeRoots('old.native_id') },
  ]
}

/** Before all times that an event may have. */
const EARLIEST = -9_007_199_254_740_991

const SQLITE = triggersOf({
  conversation: (row) => `cast(json_extract(${row}.conversation, '$.sessionId') as text)`,
  differs: (a, b) => `${a} is not ${b}`,
  // No trigger may walk. Parents were there before their children.
  rootOf: (row) => `coalesce((select w.root_id from work_tasks w where w.task_id = ${row}.parent_id), ${row}.id)`,
})

const inPostgres: Conversation = (row) => `((${row}.conversation)::json ->> 'sessionId')`

// At the end of a transaction: many tasks share a root, whose row nobody holds then while he waits for another.
const POSTGRES = triggersOf({
  conversation: inPostgres,
  differs: (a, b) => `${a} is distinct from ${b}`,
  rootOf: (row) => `(with recursive up(id, parent_id) as (
      select ${row}.id, ${row}.parent_id
      union all select p.id, p.parent_id from up join tasks p on p.id = up.parent_id
    ) select up.id from up where up.parent_id is null)`,
})

export const SQLITE_WORK_PLACES = SQLITE.map(
  ({ name, event, when, body }) =>
    `create trigger ${name} after ${event} ${when === undefined ? '' : `when ${when}`} begin
      ${body}
    end`,
)

export const DROP_SQLITE_WORK_PLACES = SQLITE.map(({ name }) => `drop trigger ${name}`)

const functionOf = (name: string, body: string): string =>
  `function ${name}() returns trigger language plpgsql as $$ begin
      ${body}
      return null;
    end $$`

export const POSTGRES_WORK_PLACES = POSTGRES.flatMap(({ name, event, when, body }) => [
  `create ${functionOf(name, body)}`,
  `create constraint trigger ${name} after ${event} deferrable initially deferred for each row
     ${when === undefined ? '' : `when (${when})`} execute function ${name}()`,
])

export const DROP_POSTGRES_WORK_PLACES = POSTGRES.flatMap(({ name, event }) => [
  `drop trigger ${name} on ${event.split(' on ')[1]}`,
  `drop function ${name}()`,
])

const RENAMED = 'work_of_other_session'

/** Most attempts name their first conversation, before its session is recorded: then there is nothing to unlink and nothing to link. */
export const POSTGRES_LEAN_LINKS = [
  `create or replace ${functionOf(
    RENAMED,
    `if ${inPostgres('old')} is not null then
        ${unlink(inPostgres, 'old')}
      end if;
      if exists (select 1 from sessions s where s.native_id = ${inPostgres('new')}) then
        ${linkNew(inPostgres)}
      end if;`,
  )}`,
]

export const POSTGRES_FULL_LINKS = POSTGRES.filter(({ name }) => name === RENAMED).map(
  ({ name, body }) => `create or replace ${functionOf(name, body)}`,
)

const ROOT_OF = 'work_of_task'
const PLACE_OF = 'work_of_place'

/** A new task mostly stands alone: it is its own outermost one, and nobody has worked on it. */
export const POSTGRES_QUICK_PLACES = [
  `create or replace ${functionOf(
    ROOT_OF,
    `insert into work_tasks (task_id, root_id) select t.id, t.id from tasks t where t.id = new.id and t.parent_id is null
        on conflict do nothing;
      if not found then
        ${bodyOf(ROOT_OF)}
      end if;`,
  )}`,
  `create or replace ${functionOf(
    PLACE_OF,
    `${addRoot('new.root_id')}
      if not found or new.root_id <> new.task_id then
        ${hearTask('new.task_id', '(select t.updated_at from tasks t where t.id = new.task_id)')}
      end if;
      if exists (select 1 from attempts a where a.task_id = new.task_id) then
        ${linksOf(inPostgres, 'a.task_id = new.task_id')}
        ${hearSessions(inPostgres, 'new.task_id', 'a.task_id = new.task_id')}
      end if;`,
  )}`,
]

export const POSTGRES_SLOW_PLACES = [ROOT_OF, PLACE_OF].map(
  (name) => `create or replace ${functionOf(name, bodyOf(name))}`,
)

function bodyOf(name: string): string {
  return POSTGRES.find((trigger) => trigger.name === name)?.body ?? ''
}
