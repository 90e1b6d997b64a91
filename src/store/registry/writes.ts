import type { Address, AttemptId, SessionId, TaskId } from '../../domain/ids'
import type { AttachmentRow, RegistrationRow, RegistryTx } from '../../domain/registry'
import type { TaskDialect } from '../sql/dialect'
import { type Driver, first, type Program, rows, run } from '../sql/program'
import { ATTACHMENT, REGISTRATION } from './rows'

/** The registry's port over one connection. */
export function createRegistryTx(driver: Driver, db: TaskDialect): RegistryTx {
  const drive = <T>(program: Program<T>) => driver.drive(program)
  return {
    registration: (at) => drive(registration(db, at)),
    putRegistration: (row) => drive(putRegistration(row)),
    attachments: (at, seenSince) => drive(attachments(db, at, seenSince)),
    putAttachment: (row) => drive(putAttachment(row)),
    endAttachment: (at, id, now) => drive(endAttachment(at, id, now)),
    liveRunIn: (session) => drive(liveRunIn(session)),
    isSession: (id) => drive(isSession(id)),
    folderOf: (id) => drive(folderOf(id)),
  }
}

function* registration(db: TaskDialect, at: Address): Program<RegistrationRow | undefined> {
  const row = yield* first<RegistrationRow>(
    `select ${REGISTRATION.select('t')} from registrations t where t.address = ?${db.lock}`,
    at,
  )
  return row && REGISTRATION.read(row)
}

const REGISTERED = REGISTRATION.names()

const PUT_REGISTRATION = `${REGISTRATION.insert(REGISTERED)} on conflict (address) do update set
  kind = excluded.kind, client = excluded.client, hostname = excluded.hostname, project = excluded.project, title = excluded.title,
  owner = excluded.owner, capabilities = excluded.capabilities, metadata = excluded.metadata, last_seen_at = excluded.last_seen_at`

function* putRegistration(row: RegistrationRow): Program<void> {
  yield* run(PUT_REGISTRATION, ...REGISTRATION.values(row, REGISTERED))
}

function* attachments(db: TaskDialect, at: Address, seenSince: number): Program<AttachmentRow[]> {
  return yield* rows<AttachmentRow>(
    `select ${ATTACHMENT.select('t')} from attachments t
      where t.address = ? and t.detached_at is null and t.last_seen_at >= ? order by t.id${db.lock}`,
    at,
    seenSince,
  )
}

const ATTACHED = ATTACHMENT.names()

const PUT_ATTACHMENT = `${ATTACHMENT.insert(ATTACHED)} on conflict (public_id) do update set
  last_seen_at = excluded.last_seen_at`

function* putAttachment(row: AttachmentRow): Program<void> {
  yield* run(PUT_ATTACHMENT, ...ATTACHMENT.values(row, ATTACHED))
}

function* endAttachment(at: Address, id: string, now: number): Program<boolean> {
  const ended = yield* run(
    'update attachments set detached_at = ? where public_id = ? and address = ? and detached_at is null',
    now,
    id,
    at,
  )
  return ended > 0
}

/** Live attempts are few, so that their conversations need no index. */
function* liveRunIn(session: SessionId): Program<{ taskId: TaskId; attemptId: AttemptId } | undefined> {
  const live = yield* rows<{ taskId: TaskId; attemptId: AttemptId; conversation: string }>(
    `select t.public_id as "taskId", a.public_id as "attemptId", a.conversation as conversation
      from attempts a join tasks t on t.id = a.task_id where a.ended_at is null and a.conversation is not null`,
  )
  const found = live.find(
    ({ conversation }) => (JSON.parse(conversation) as { sessionId: SessionId }).sessionId === session,
  )
  return found && { taskId: found.taskId, attemptId: found.attemptId }
}

function* isSession(id: string): Program<boolean> {
  const row = yield* first(
    `select 1 as one from sessions where native_id = ? union all select 1 from registrations where address = ? limit 1`,
    id,
    id,
  )
  return row !== undefined
}

function* folderOf(id: string): Program<string | undefined> {
  const row = yield* first<{ folder: string }>(
    `select folder from (
       select cwd as folder, 0 as place, 0 as at from sessions where native_id = ? and cwd is not null
       union all select s.cwd, 1, coalesce(s.last_event_at, 0) from address_aliases a
         join address_aliases o on o.address = a.address join sessions s on s.native_id = o.alias
        where a.alias = ? and s.cwd is not null
       union all select project, 2, 0 from registrations where address = ? and project is not null) as known
     order by place, at desc limit 1`,
    id,
    id,
    id,
  )
  return row?.folder
}

/**
 * Removes what is known of an address whose session is forgotten. Its messages' rows stay, since others answer to them and their positions
 * are readers' cursors; what they say goes.
 */
export function* forgetAddress(id: string): Program<void> {
  yield* run(
    `update messages set status = 'withdrawn' where to_address = ? and status in ('produced', 'queued', 'delivered')`,
    id,
  )
  yield* run(`update messages set text = '', evidence = null where to_address = ?`, id)
  yield* run('delete from registrations where address = ?', id)
  yield* run('delete from attachments where address = ?', id)
  yield* run('delete from address_aliases where alias = ?', id)
}
