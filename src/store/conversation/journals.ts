import { sql } from 'kysely'
import { type AgentName, type SessionId, sessionId, subagentId } from '../../domain/ids'
import type { JournalReads, OpenJournal, OpenJournalFilter, StoredJournal } from '../../domain/record/journal-store'
import { isoTime, type ReadContext } from '../sql/read-context'
import { readChunks } from './journal-bytes'

/** Journals per query of `listAll`. */
const PAGE = 500
/** As the index has it. */
const HEARD_AT = sql<number>`coalesce(last_event_at, 0)`
/** Sessions whose journals `heardSince` looks at. */
const HEARD_SESSIONS = 200

/** Reads journals: what files a session has, and their bytes. */
export function journalReads(context: ReadContext): JournalReads {
  return {
    async listBySession(session: SessionId): Promise<StoredJournal[]> {
      const rows = await selectJournals(context)
        .where('s.native_id', '=', session)
        .orderBy('j.id')
        .orderBy('i.number', 'desc')
        .execute()
      return collect(rows).map(({ journal }) => journal)
    },

    read: (incarnation, from, length) => readChunks(context, incarnation, from, length),

    async listOpen(hostName: string, filter: OpenJournalFilter = {}): Promise<OpenJournal[]> {
      if (filter.paths?.length === 0) return []
      let query = context.db
        .selectFrom('hosts as h')
        .innerJoin('journals as j', 'j.host_id', 'h.id')
        .innerJoin('incarnations as i', 'i.journal_id', 'j.id')
        .select(['j.path', 'j.kind', 'i.id as incarnation', 'i.size', 'i.parsed', 'i.inode', 'i.grew_at'])
        .where('h.name', '=', hostName)
        .where('i.closed_at', 'is', null)
      if (filter.paths !== undefined) query = query.where('j.path', 'in', filter.paths)
      if (filter.heardSince !== undefined) {
        // Asked for first: as a subquery it would be looked into for every journal of the host.
        const heard = await context.db
          .selectFrom('sessions')
          .select('id')
          .where(HEARD_AT, '>=', filter.heardSince)
          .orderBy(HEARD_AT, 'desc')
          .limit(HEARD_SESSIONS)
          .execute()
        if (heard.length === 0) return []
        const keys = heard.map((row) => row.id)
        query = query.where('j.session_id', 'in', keys)
      }
      const rows = await query.execute()
      return rows.map(({ grew_at, ...row }) => ({ ...row, grewAt: grew_at }))
    },

    async sessionByLauncher(hostName, { agent, path, sessionId: launcher }) {
      const recorded = await context.db
        .selectFrom('journals as j')
        .innerJoin('hosts as h', 'h.id', 'j.host_id')
        .innerJoin('sessions as s', 's.id', 'j.session_id')
        .select('s.native_id')
        .where('h.name', '=', hostName)
        .where('j.path', '=', path)
        .executeTakeFirst()
      if (recorded !== undefined || launcher === null)
        return recorded === undefined ? null : sessionId(recorded.native_id)
      const above = await context.db
        .selectFrom('subagents as a')
        .innerJoin('sessions as s', 's.id', 'a.session_id')
        .select('s.native_id')
        .where('a.native_id', '=', subagentId(launcher))
        .where('s.agent', '=', agent)
        .orderBy('a.id')
        .executeTakeFirst()
      return above === undefined ? null : sessionId(above.native_id)
    },

    async *listAll() {
      let after = 0
      for (;;) {
        const keys = await context.db
          .selectFrom('journals')
          .select('id')
          .where('id', '>', after)
          .orderBy('id')
          .limit(PAGE)
          .execute()
        const last = keys.at(-1)
        if (last === undefined) return
        const rows = await selectJournals(context)
          .where('j.id', '>', after)
          .where('j.id', '<=', last.id)
          .orderBy('j.id')
          .orderBy('i.number', 'desc')
          .execute()
        yield* collect(rows)
        after = last.id
      }
    },
  }
}

function selectJournals({ db }: ReadContext) {
  return db
    .selectFrom('journals as j')
    .innerJoin('hosts as h', 'h.id', 'j.host_id')
    .leftJoin('sessions as s', 's.id', 'j.session_id')
    .leftJoin('incarnations as i', 'i.journal_id', 'j.id')
    .select([
      'j.id',
      'j.agent',
      'j.kind',
      'j.path',
      'j.subagent_native_id',
      's.native_id as session_native_id',
      'h.name as host_name',
      'h.hostname',
      'i.id as incarnation_id',
      'i.number',
      'i.size',
      'i.opened_at',
      'i.closed_at',
      'i.close_reason',
    ])
}

type JournalRow = Awaited<ReturnType<ReturnType<typeof selectJournals>['execute']>>[number]

type FoundJournal = ReturnType<JournalReads['listAll']> extends AsyncIterable<infer Found> ? Found : never

/** Rows of one journal stand together, its newest incarnation first. */
function collect(rows: JournalRow[]): FoundJournal[] {
  const found: FoundJournal[] = []
  for (const row of rows) {
    let last = found.at(-1)
    if (last === undefined || last.journal.id !== row.id) {
      last = {
        journal: {
          id: row.id,
          kind: row.kind,
          path: row.path,
          hostName: row.host_name,
          subagentId: row.subagent_native_id === null ? null : subagentId(row.subagent_native_id),
          incarnations: [],
        },
        agent: row.agent as AgentName,
        sessionId: row.session_native_id === null ? null : sessionId(row.session_native_id),
        host: { name: row.host_name, hostname: row.hostname },
      }
      found.push(last)
    }
    if (row.incarnation_id === null) continue
    last.journal.incarnations.push({
      id: row.incarnation_id,
      number: row.number ?? 0,
      size: row.size ?? 0,
      openedAt: isoTime(row.opened_at ?? 0),
      closedAt: isoTime(row.closed_at),
      closeReason: row.close_reason,
    })
  }
  return found
}
