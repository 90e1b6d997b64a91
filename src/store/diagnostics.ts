import { sql } from 'kysely'
import type { AgentName } from '../domain/ids'
import type { DiagnosticReads } from '../domain/record/journal-store'
import { isFinal, TASK_STATUSES } from '../domain/task/task'
import { SCHEMA_VERSION } from './migrations/known-migrations'
import { checkLimit } from './sql/cursor'
import { isoTime, type ReadContext } from './sql/read-context'

/** The tables whose rows a person may want to know of. Counting walks a table's smallest index: seconds at tens of millions. */
const COUNTED = [
  'hosts',
  'projects',
  'sessions',
  'journals',
  'incarnations',
  'journal_chunks',
  'sealed_chunks',
  'packs',
  'malformed_lines',
  'subagents',
  'conversation_events',
  'tool_uses',
  'usage_messages',
  'todos',
  'tombstones',
  'agents',
  'tasks',
  'task_dependencies',
  'attempts',
  'offers',
  'rejections',
  'questions',
  'task_log',
  'issues',
  'idempotency_keys',
  'feed',
] as const

const OPEN_TASKS = TASK_STATUSES.filter((status) => !isFinal(status))

/** How long the oldest committed entry has waited for its number. */
async function feedLag({ db, capabilities }: ReadContext): Promise<number> {
  const waiting = await db
    .selectFrom('feed')
    .select(['at', capabilities.now().as('now')])
    .where('seq', 'is', null)
    .orderBy('at')
    .limit(1)
    .executeTakeFirst()
  return waiting === undefined ? 0 : Math.max(0, Number(waiting.now) - waiting.at)
}

/** Reads what `lode doctor` shows of the record itself. */
export function diagnosticReads(context: ReadContext): DiagnosticReads {
  const { db, capabilities } = context
  /** Constants: a partial index serves only statements that say what it says. */
  const countsOf = async (table: 'tasks' | 'questions' | 'messages', statuses: readonly string[]) => {
    const { rows } = await sql<{ status: string; count: number }>`
      select status, count(*) as count from ${sql.table(table)}
       where status in (${sql.join(statuses.map((status) => sql.lit(status)))}) group by status
    `.execute(db)
    return {
      ...Object.fromEntries(statuses.map((status) => [status, 0])),
      ...Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)])),
    }
  }
  return {
    async epoch() {
      return (await db.selectFrom('database_epoch').select('epoch').executeTakeFirstOrThrow()).epoch
    },
    async readiness() {
      const [newest, feedLagMs] = await Promise.all([
        db
          .selectFrom('schema_migrations')
          .select((eb) => eb.fn.max('number').as('number'))
          .executeTakeFirst(),
        feedLag(context),
      ])
      return { schemaVersion: newest?.number ?? 0, neededVersion: SCHEMA_VERSION, feedLagMs }
    },

    async queue() {
      const [tasks, leases, questions, messages, newest, feedLagMs] = await Promise.all([
        countsOf('tasks', OPEN_TASKS),
        db
          .selectFrom('attempts')
          .select((eb) => [
            eb.fn.countAll<number>().as('count'),
            eb.fn
              .sum<number | null>(eb.case().when('lease_expires_at', '<', capabilities.now()).then(1).else(0).end())
              .as('overdue'),
          ])
          .where('ended_at', 'is', null)
          .executeTakeFirst(),
        countsOf('questions', ['open']),
        countsOf('messages', ['produced', 'queued', 'delivered']),
        db
          .selectFrom('feed')
          .select('seq')
          .where('seq', 'is not', null)
          .orderBy('seq', 'desc')
          .limit(1)
          .executeTakeFirst(),
        feedLag(context),
      ])
      return {
        tasks,
        attempts: Number(leases?.count ?? 0),
        overdue: Number(leases?.overdue ?? 0),
        questions: questions.open ?? 0,
        messages,
        feedSeq: newest?.seq ?? 0,
        feedLagMs,
      }
    },

    async recordKinds() {
      const rows = await db
        .selectFrom('record_kinds')
        .selectAll()
        .orderBy('is_known')
        .orderBy('count', 'desc')
        .orderBy('name')
        .execute()
      return rows.map((row) => ({
        agent: row.agent as AgentName,
        journalKind: row.journal_kind,
        name: row.name,
        isKnown: row.is_known !== 0,
        count: row.count,
        version: row.version,
        lastSeenAt: isoTime(row.last_seen_at),
      }))
    },

    async agentVersions() {
      // The empty text keeps SQLite from going through the rows in the order of an index that does not have the version.
      const { rows } = await sql<{ agent: string; version: string | null }>`
        select agent, version from (select distinct s.agent || '' as agent, s.agent_version as version from sessions s) told
        union select agent, version from record_kinds
      `.execute(db)
      const versioned = new Set(rows.flatMap(({ agent, version }) => (version === null ? [] : [agent])))
      return rows
        .filter(({ agent, version }) => version !== null || !versioned.has(agent))
        .map(({ agent, version }) => ({ agent: agent as AgentName, version }))
        .sort((a, b) => (a.version ?? '').localeCompare(b.version ?? '', 'en', { numeric: true }))
    },

    async malformedLines(limit: number) {
      return await db
        .selectFrom('malformed_lines as m')
        .innerJoin('incarnations as i', 'i.id', 'm.incarnation_id')
        .innerJoin('journals as j', 'j.id', 'i.journal_id')
        .select(['j.path', 'm.offset', 'm.length', 'm.reason'])
        .orderBy('m.incarnation_id', 'desc')
        .orderBy('m.offset', 'desc')
        .limit(checkLimit(limit))
        .execute()
    },

    async storage() {
      const counts = await sql<{ name: string; count: number }>`${sql.join(
        COUNTED.map((name) => sql`select ${sql.lit(name)} as name, count(*) as count from ${sql.table(name)}`),
        sql` union all `,
      )}`.execute(db)
      const version = await db
        .selectFrom('schema_migrations')
        .select((eb) => eb.fn.max<number | null>('number').as('number'))
        .executeTakeFirst()
      return {
        ...(await capabilities.storage(db)),
        schemaVersion: version?.number ?? 0,
        rows: Object.fromEntries(counts.rows.map(({ name, count }) => [name, count])),
      }
    },
  }
}
