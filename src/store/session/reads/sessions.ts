import { sql } from 'kysely'
import type { AgentName } from '../../../domain/ids'
import { type EventId, type SessionId, sessionId, sessionKey } from '../../../domain/ids'
import type { Page, PageRequest } from '../../../domain/port'
import type { EditCall, SessionOutcome, StepRequest } from '../../../domain/session/outcome'
import { NEWEST_FIRST, type SessionFacets, type SessionSort } from '../../../domain/session/session-list'
import type { SessionFilter, SessionReads, StoredSession } from '../../../domain/session/session-store'
import { checkLimit, decodeCursor, encodeCursor } from '../../sql/cursor'
import { isoTime, type ReadContext } from '../../sql/read-context'
import { countUnseen } from '../../unseen-agents'
import { signalsOf } from '../session-signals'
import { readEdits, readOutcome, readStep } from './outcome'
import { allOf, both, sessionConditions } from './session-conditions'
import { readFacets } from './session-facets'
import { groupRows, readSessionTotals, sumUsage } from './usage-totals'
import { readAsking } from './waits'

/** Ids that a prefix may match before it is called ambiguous without saying them all. */
const PREFIX_MATCHES = 20

/**
 * What lists are sorted by, as whole numbers. Sessions without any event sort last, by key: the index `sessions_recent` is on that expression.
 * What has no price costs less than nothing.
 */
const SORT_VALUES: Record<SessionSort, string> = {
  active: 'coalesce(sessions.last_event_at, 0)',
  started: 'coalesce(sessions.started_at, 0)',
  length: 'coalesce(sessions.last_event_at - sessions.started_at, 0)',
  events: 'sessions.event_count',
  calls: 'sessions.tool_call_count',
  errors: 'sessions.error_count',
  files: 'sessions.file_count',
  tokens: 'sessions.token_count',
  cost: 'cast(coalesce(sessions.cost_usd, -1) * 1000000 as bigint)',
}

/** Reads sessions. */
export function sessionReads(context: ReadContext): SessionReads {
  return new SessionQueries(context)
}

class SessionQueries implements SessionReads {
  private readonly context: ReadContext

  constructor(context: ReadContext) {
    this.context = context
  }

  async list(filter: SessionFilter, page: PageRequest, order = NEWEST_FIRST): Promise<Page<StoredSession>> {
    const limit = checkLimit(page.limit)
    const sorted = sql<number>`${sql.raw(SORT_VALUES[order.by])}`
    const direction = order.isAscending ? 'asc' : 'desc'
    const scope = { ...filter, order }
    const conditions = [allOf(await sessionConditions(this.context, filter))]
    if (page.cursor !== undefined) {
      const [value, key] = decodeCursor(page.cursor, scope, ['number', 'number'])
      // The first condition alone lets the index begin at the right place; SQLite does not seek by a pair with an expression.
      conditions.push(
        order.isAscending
          ? sql`${sorted} >= ${value} and (${sorted}, sessions.id) > (${value}, ${key})`
          : sql`${sorted} <= ${value} and (${sorted}, sessions.id) < (${value}, ${key})`,
      )
    }
    // Keys first: they and what they are sorted by stand in small indexes, which rows of sessions do not.
    const keys = await this.context.db
      .selectFrom('sessions')
      .select(['sessions.id', sorted.as('sorted')])
      .where(both(conditions))
      .orderBy(sorted, direction)
      .orderBy('sessions.id', direction)
      .limit(limit + 1)
      .execute()
    const shown = keys.slice(0, limit)
    const last = keys.length > limit ? shown.at(-1) : undefined
    return {
      rows: await this.byKeys(shown.map(({ id }) => id)),
      nextCursor: last === undefined ? null : encodeCursor(scope, [Number(last.sorted), last.id]),
    }
  }

  facets(filter: SessionFilter): Promise<SessionFacets> {
    return readFacets(this.context, filter)
  }

  async outcome(id: SessionId): Promise<SessionOutcome | undefined> {
    return await readOutcome(this.context, id)
  }

  step(id: SessionId, request: StepRequest): Promise<EventId | null> {
    return readStep(this.context, id, request)
  }

  edits(id: SessionId, page: PageRequest, path: string | null = null): Promise<Page<EditCall>> {
    return readEdits(this.context, id, page, path)
  }

  private async byKeys(keys: readonly number[]): Promise<StoredSession[]> {
    if (keys.length === 0) return []
    const rows = await selectSessions(this.context)
      .where((eb) => this.context.capabilities.inKeys(eb.ref('sessions.id'), keys))
      .execute()
    const places = new Map(keys.map((key, at) => [key, at]))
    rows.sort((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0))
    return await this.withUsage(rows)
  }

  async find(id: SessionId): Promise<StoredSession | undefined> {
    const rows = await selectSessions(this.context).where('sessions.native_id', '=', id).limit(1).execute()
    return (await this.withUsage(rows))[0]
  }

  asking(): Promise<ReadonlyMap<SessionId, string>> {
    return readAsking(this.context)
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

type SessionRow = Awaited<ReturnType<ReturnType<typeof selectSessions>['execute']>>[number]

function toSession(
  row: SessionRow,
  { totals, unknownAgents }: { totals: Awaited<ReturnType<typeof readSessionTotals>>; unknownAgents: number },
  costOf: ReadContext['costOf'],
): StoredSession {
  const whole = sumUsage(totals, costOf)
  const main = sumUsage(
    totals.filter((total) => total.is_agent === 0),
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
    lastWords: row.last_text,
    agentVersion: row.agent_version,
    host: row.hostname,
    hostName: row.host_name,
    processHost: row.process_host,
    counts: {
      events: row.event_count,
      toolCalls: row.tool_call_count,
      errors: row.error_count,
      filesChanged: row.file_count,
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
