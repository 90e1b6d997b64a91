import { sql } from 'kysely'
import { type AgentId, type AttemptId, address, type SessionId, sessionId, type TaskId } from '../../domain/ids'
import type { AddressAlias, RegistryReads, SessionWorker, WorkerSession } from '../../domain/registry'
import { isoTime, type ReadContext } from '../sql/read-context'
import { selectRows } from '../sql/row-statements'
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

/** Reads registrations, attached clients, and which run is in which conversation. */
export function registryReads(context: ReadContext): RegistryReads {
  const { db } = context

  /** Attempts that are in a conversation or were, the newest first. */
  const runs = () =>
    db
      .selectFrom('attempts as a')
      .innerJoin('tasks as t', 't.id', 'a.task_id')
      .innerJoin('agents as g', 'g.id', 'a.agent_id')
      .select([
        'g.public_id as agentId',
        'g.name as agentName',
        't.public_id as taskId',
        'a.public_id as attemptId',
        'a.conversation',
        'a.ended_at as endedAt',
      ])
      .where('a.conversation', 'is not', null)
      .$narrowType<{ conversation: string }>()
      .orderBy('a.id', 'desc')
  const liveRuns = () => runs().where('a.ended_at', 'is', null)

  return {
    async registration(at) {
      const found = await selectRows(db, REGISTRATION).where('t.address', '=', at).executeTakeFirst()
      const row = found && REGISTRATION.read(found)
      return row && { ...row, createdAt: isoTime(row.createdAt), lastSeenAt: isoTime(row.lastSeenAt) }
    },

    async attachments(at, seenSince) {
      const rows = await selectRows(db, ATTACHMENT)
        .where('t.address', '=', at)
        .where('t.detached_at', 'is', null)
        .where('t.last_seen_at', '>=', seenSince)
        .orderBy('t.id')
        .execute()
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
      const live = await liveRuns().execute()
      const found =
        live.find((row) => sessionOf(row) === session) ??
        (await runs().where('t.last_session_native_id', '=', session).execute()).find(
          (row) => sessionOf(row) === session,
        )
      return found && workerOf(found)
    },

    async sessionsOf(agent) {
      const live = await liveRuns().where('g.public_id', '=', agent).execute()
      return live.map(
        (row): WorkerSession => ({ sessionId: sessionOf(row), taskId: row.taskId, attemptId: row.attemptId }),
      )
    },
  }
}

const sessionOf = ({ conversation }: RunRow): SessionId =>
  (JSON.parse(conversation) as { sessionId: SessionId }).sessionId

const workerOf = ({ conversation: _, endedAt, ...run }: RunRow): SessionWorker => ({ ...run, isLive: endedAt === null })
