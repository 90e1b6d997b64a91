import { sql } from 'kysely'
import type { AgentName } from '../domain/ids'
import type { DiagnosticReads } from '../domain/record/journal-store'
import { SCHEMA_VERSION } from './migrations'
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

/** Reads what `lode doctor` shows of the record itself. */
export function diagnosticReads({ db, capabilities }: ReadContext): DiagnosticReads {
  return {
    async readiness() {
      const [newest, waiting] = await Promise.all([
        db
          .selectFrom('schema_migrations')
          .select((eb) => eb.fn.max('number').as('number'))
          .executeTakeFirst(),
        db
          .selectFrom('feed')
          .select(['at', capabilities.now().as('now')])
          .where('seq', 'is', null)
          .orderBy('at')
          .limit(1)
          .executeTakeFirst(),
      ])
      const feedLagMs = waiting === undefined ? 0 : Math.max(0, Number(waiting.now) - waiting.at)
      return { schemaVersion: newest?.number ?? 0, neededVersion: SCHEMA_VERSION, feedLagMs }
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
