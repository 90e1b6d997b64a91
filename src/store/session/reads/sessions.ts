import { sql } from 'kysely'
import type { AgentName } from '../../../domain/ids'
import { type SessionId, sessionId, sessionKey } from '../../../domain/ids'
import type { Page, PageRequest } from '../../../domain/port'
import type { SessionFilter, SessionReads, StoredSession } from '../../../domain/session/session-store'
import { checkLimit, decodeCursor, encodeCursor } from '../../sql/cursor'
import { isoTime, type ReadContext } from '../../sql/read-context'
import { containsText } from '../../tree-levels/title'
import { countUnseen } from '../../unseen-agents'
import { signalsOf } from '../session-signals'
import { groupRows, readSessionTotals, sumUsage } from './usage-totals'

/** Ids that a prefix may match before it is called ambiguous without saying them all. */
const PREFIX_MATCHES = 20

/** Sessions without any event sort last, by key. The index `sessions_recent` is on this expression. */
const lastEventAt = sql<number>`coalesce(sessions.last_event_at, 0)`

/** Reads sessions. */
export function sessionReads(context: ReadContext): SessionReads {
  return new SessionQueries(context)
}

class SessionQueries implements SessionReads {
  private readonly context: ReadContext

  constructor(context: ReadContext) {
    this.context = context
  }

  async list(filter: SessionFilter, page: PageRequest): Promise<Page<StoredSession>> {
    const limit = checkLimit(page.limit)
    let query = applyFilter(this.context, filter)
    if (page.cursor !== undefined) {
      const [at, key] = decodeCursor(page.cursor, filter, ['number', 'number'])
      // The first condition alone lets the index begin at the right place; SQLite does not seek by a pair with an expression.
      query = query.where(sql<boolean>`${lastEventAt} <= ${at} and (${lastEventAt}, sessions.id) < (${at}, ${key})`)
    }
    const rows = await query
      .orderBy(lastEventAt, 'desc')
      .orderBy('sessions.id', 'desc')
      .limit(limit + 1)
      .execute()
    const shown = rows.slice(0, limit)
    const last = rows.length > limit ? shown.at(-1) : undefined
    return {
      rows: await this.withUsage(shown),
      nextCursor: last === undefined ? null : encodeCursor(filter, [last.last_event_at ?? 0, last.id]),
    }
  }

  async find(id: SessionId): Promise<StoredSession | undefined> {
    const rows = await selectSessions(this.context).where('sessions.native_id', '=', id).limit(1).execute()
    return (await this.withUsage(rows))[0]
  }

  async matchPrefix(prefix: string): Promise<SessionId[]> {
    if (prefix.length < 4) return []
    const rows = await this.context.db
      .selectFrom('sessions')
      .select('native_id')
      .where(sql<boolean>`substr(native_id, 1, ${sql.lit([...prefix].length)}) = ${prefix}`)
      .orderBy('native_id')
      .limit(PREFIX_MATCHES)
      .execute()
    return rows.map((row) => sessionId(row.native_id))
  }

  async countByAgent(): Promise<Record<AgentName, number>> {
    const rows = await this.context.db
      .selectFrom('sessions')
      .select((eb) => ['agent', eb.fn.countAll<number>().as('count')])
      .groupBy('agent')
      .execute()
    return Object.fromEntries(rows.map(({ agent, count }) => [agent, Number(count)]))
  }

  async count(): Promise<number> {
    const row = await this.context.db
      .selectFrom('sessions')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return row.count
  }

  async aliveOn(hostName: string): ReturnType<SessionReads['aliveOn']> {
    const rows = await this.context.db
      .selectFrom('sessions as s')
      .innerJoin('hosts as h', 'h.id', 's.process_host_id')
      .select(['s.native_id', 's.process_id', 's.process_started'])
      // As the index has it.
      .where(sql<boolean>`s.process_state = 'alive'`)
      .where('h.name', '=', hostName)
      .where('s.process_id', 'is not', null)
      .execute()
    return rows.map((row) => ({
      sessionId: sessionId(row.native_id),
      pid: row.process_id ?? 0,
      started: row.process_started,
    }))
  }

  async isTombstoned(kind: 'session' | 'path', value: string): Promise<boolean> {
    const row = await this.context.db
      .selectFrom('tombstones')
      .select('at')
      .where('kind', '=', kind)
      .where('value', '=', value)
      .executeTakeFirst()
    return row !== undefined
  }

  private async withUsage(rows: SessionRow[]): Promise<StoredSession[]> {
    const keys = rows.map((row) => row.id)
    const [used, unseen] = await Promise.all([readSessionTotals(this.context, keys), countUnseen(this.context, keys)])
    const totals = groupRows(used, (total) => total.session_id)
    return rows.map((row) => {
      const facts = { totals: totals.get(row.id) ?? [], unknownAgents: unseen.get(row.id) ?? 0 }
      return toSession(row, facts, this.context.costOf)
    })
  }
}

function selectSessions({ db }: ReadContext) {
  return db
    .selectFrom('sessions')
    .leftJoin('projects', 'projects.id', 'sessions.project_id')
    .leftJoin('hosts', 'hosts.id', 'sessions.host_id')
    .leftJoin('hosts as process_hosts', 'process_hosts.id', 'sessions.process_host_id')
    .selectAll('sessions')
    .select([
      'projects.root as project_root',
      'hosts.name as host_name',
      'hosts.hostname as hostname',
      'process_hosts.name as process_host',
    ])
}

type SessionSelect = ReturnType<typeof selectSessions>
type SessionRow = Awaited<ReturnType<SessionSelect['execute']>>[number]

function applyFilter(context: ReadContext, filter: SessionFilter): SessionSelect {
  const { project, agent, forkedFrom, under, text } = filter
  let filtered = selectSessions(context)
  if (project !== undefined) {
    filtered = filtered.where((eb) =>
      eb(
        'sessions.project_id',
        'in',
        eb
          .selectFrom('projects as named')
          .select('named.id')
          .where((named) => named.or([named('named.root', '=', project), named('named.name', '=', project)])),
      ),
    )
  }
  if (agent !== undefined) filtered = filtered.where('sessions.agent', '=', agent)
  if (text !== undefined) {
    const holds = (column: string) => containsText(context, column, text)
    filtered = filtered.where((eb) => eb.or([holds('sessions.title'), holds('sessions.native_id')]))
  }
  if (forkedFrom !== undefined) {
    filtered = filtered.where((eb) =>
      eb.or([
        eb('sessions.forked_from', '=', forkedFrom),
        eb('sessions.resumed_from', '=', forkedFrom),
        eb('sessions.translated_from', '=', forkedFrom),
      ]),
    )
  }
  if (under !== undefined) {
    const folder = under === '/' ? '' : under.replace(/\/+$/, '')
    const below = `${folder}/`
    filtered = filtered.where((eb) =>
      eb.or([
        eb('sessions.cwd', '=', folder === '' ? '/' : folder),
        eb(sql<string>`substr(sessions.cwd, 1, ${sql.lit([...below].length)})`, '=', below),
      ]),
    )
  }
  return filtered
}

function toSession(
  row: SessionRow,
  { totals, unknownAgents }: { totals: Awaited<ReturnType<typeof readSessionTotals>>; unknownAgents: number },
  costOf: ReadContext['costOf'],
): StoredSession {
  const whole = sumUsage(totals, costOf)
  const main = sumUsage(
    totals.filter((total) => total.subagent_id === 0),
    costOf,
  )
  return {
    key: sessionKey(row.id),
    id: sessionId(row.native_id),
    agent: row.agent as AgentName,
    project: row.project_root,
    cwd: row.cwd,
    resumedFrom: row.resumed_from === null ? null : sessionId(row.resumed_from),
    forkedFrom: row.forked_from === null ? null : sessionId(row.forked_from),
    translatedFrom: row.translated_from === null ? null : sessionId(row.translated_from),
    clearedFrom: row.cleared_from === null ? null : sessionId(row.cleared_from),
    startedAt: isoTime(row.started_at),
    endedAt: isoTime(row.ended_at),
    lastEventAt: isoTime(row.last_event_at),
    model: row.model,
    title: row.title,
    gitBranch: row.git_branch,
    agentVersion: row.agent_version,
    host: row.hostname,
    hostName: row.host_name,
    processHost: row.process_host,
    counts: {
      events: row.event_count,
      toolCalls: row.tool_call_count,
      subagents: row.subagent_count,
      unknownAgents,
      compactions: row.compaction_count,
      malformedLines: row.malformed_count,
    },
    ...whole,
    usageMain: main.usage,
    signals: signalsOf(row),
  }
}
