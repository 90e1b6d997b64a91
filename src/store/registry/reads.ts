import { sql } from 'kysely'
import { address, type AgentId, type AttemptId, type SessionId, sessionId, type TaskId } from '../../domain/ids'
import type {
  AddressAlias,
  AttachmentRow,
  RegistrationRow,
  RegistryReads,
  SessionWorker,
  WorkerSession,
} from '../../domain/registry'
import { isoTime, type ReadContext } from '../sql/read-context'
import { ATTACHMENT, REGISTRATION } from './rows'

/** Ids of one address that are given. */
const MOST_ALIASES = 1_000

interface RunRow {
  agentId: AgentId
  agentName: string
  taskId: TaskId
  attemptId: AttemptId
  conversation: string
  endedAt: number | null
}

/** Reads registrations, who is attached, and which run is in which conversation. */
export function registryReads(context: ReadContext): RegistryReads {
  const { db } = context

  /** Attempts that are in a conversation or were, the newest first. */
  const runs = async (where: ReturnType<typeof sql>): Promise<RunRow[]> => {
    const { rows } = await sql<RunRow>`select g.public_id as "agentId", g.name as "agentName", t.public_id as "taskId",
      a.public_id as "attemptId", a.conversation as conversation, a.ended_at as "endedAt"
      from attempts a join tasks t on t.id = a.task_id join agents g on g.id = a.agent_id
      where a.conversation is not null and ${where} order by a.id desc`.execute(db)
    return rows
  }

  return {
    async registration(at) {
      const { rows } =
        await sql<RegistrationRow>`select ${sql.raw(REGISTRATION.select('r'))} from registrations r where r.address = ${at}`.execute(
          db,
        )
      const row = rows[0] && REGISTRATION.read(rows[0])
      return row && { ...row, createdAt: isoTime(row.createdAt), lastSeenAt: isoTime(row.lastSeenAt) }
    },

    async attachments(at, seenSince) {
      const { rows } = await sql<AttachmentRow>`select ${sql.raw(ATTACHMENT.select('t'))} from attachments t
        where t.address = ${at} and t.detached_at is null and t.last_seen_at >= ${seenSince} order by t.id`.execute(db)
      return rows.map(({ address: _, ...row }) => ({
        ...row,
        attachedAt: isoTime(row.attachedAt),
        lastSeenAt: isoTime(row.lastSeenAt),
      }))
    },

    async aliases(at) {
      const found: AddressAlias[] = []
      const seen = new Set<string>([at])
      // An alias may have been made of what became an alias later.
      for (let level = [at]; level.length > 0 && found.length < MOST_ALIASES; ) {
        const rows = await db
          .selectFrom('address_aliases')
          .select(['alias', 'evidence'])
          .where('address', 'in', level)
          .orderBy('at')
          .orderBy('alias')
          .limit(MOST_ALIASES)
          .execute()
        const fresh = rows.filter(({ alias }) => !seen.has(alias))
        for (const { alias, evidence } of fresh) {
          seen.add(alias)
          found.push({ id: alias, evidence })
        }
        level = fresh.map(({ alias }) => address(alias))
      }
      return found
    },

    async newestSession(at) {
      const ids = [at as string, ...(await this.aliases(at)).map(({ id }) => id)].map(sessionId)
      const row = await db
        .selectFrom('sessions')
        .select('native_id')
        .where('native_id', 'in', ids)
        .orderBy(sql`coalesce(last_event_at, 0)`, 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row?.native_id
    },

    async workerOf(session) {
      const live = await runs(sql`a.ended_at is null`)
      const found =
        live.find((row) => sessionOf(row) === session) ??
        (await runs(sql`t.last_session_native_id = ${session}`)).find((row) => sessionOf(row) === session)
      return found && workerOf(found)
    },

    async sessionsOf(agent) {
      const live = await runs(
        sql`a.ended_at is null and a.agent_id = (select id from agents where public_id = ${agent})`,
      )
      return live.map(
        (row): WorkerSession => ({ sessionId: sessionOf(row), taskId: row.taskId, attemptId: row.attemptId }),
      )
    },
  }
}

const sessionOf = ({ conversation }: RunRow): SessionId =>
  (JSON.parse(conversation) as { sessionId: SessionId }).sessionId

const workerOf = ({ conversation: _, endedAt, ...run }: RunRow): SessionWorker => ({ ...run, isLive: endedAt === null })
