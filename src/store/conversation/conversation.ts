import { sql } from 'kysely'
import type { ConversationReads, LineRange, SessionMark } from '../../domain/conversation/conversation'
import type { LinePosition } from '../../domain/conversation/line-row'
import { eventId, type SessionKey, type SubagentKey, sessionId, subagentKey, toolUseId } from '../../domain/ids'
import type { StoredSession } from '../../domain/session/session-store'
import { sumCost } from '../session/reads/usage-totals'
import { readWaits } from '../session/reads/waits'
import { isoTime, type ReadContext } from '../sql/read-context'
import { uuidBytes, uuidText } from '../sql/uuid'
import { readAgents, readContinued, readLaunched, readOrphans } from './conversation-agents'
import { IN_TURN_INDEX, inRange, positionOf, readLines, TURN_TYPES, toLine } from './conversation-rows'
import { readLaneTimes, readRunSpans, readToolSpans, readTurnSpans } from './conversation-times'
import { readNodes } from './event-nodes'
import { selectEvents } from './event-rows'
import { readWindow } from './line-windows'
import { readLinesOfKind, readMinimap } from './minimap'

/** Forks and resumes of one session that are marked in it. */
const SHOWN_MARKS = 200

/** Reads conversations. */
export function conversationReads(context: ReadContext): ConversationReads {
  const { db, capabilities } = context
  return {
    lines: (session, scope, range, limit) => readLines(context, session, scope, range, limit),
    minimap: (session, node) => readMinimap(context, session, node),
    linesOfKind: (session, node, kind) => readLinesOfKind(context, session, node, kind),
    window: (session, node, place, limit) => readWindow(context, session, node, place, limit),

    async turnStarts(session, node, range, { limit, skip = 0, newest = false }) {
      const order = newest ? sql`desc` : sql`asc`
      const { rows } = await sql<{ at: number; id: number }>`
        select at, id from conversation_events where ${isTurn(session, node)} and ${inRange(range)}
         order by at ${order}, id ${order} limit ${limit} offset ${skip}
      `.execute(db)
      return (newest ? rows.reverse() : rows).map(positionOf)
    },

    async countTurns(session, node, before) {
      const range: LineRange = before === undefined ? {} : { to: before }
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from conversation_events where ${isTurn(session, node)} and ${inRange(range)}
      `.execute(db)
      return rows[0]?.count ?? 0
    },

    async findLine(session, id) {
      const uuid = uuidBytes(id)
      if (uuid === undefined) return undefined
      const row = await db
        .selectFrom('conversation_events')
        .select(['at', 'id', 'subagent_id'])
        .where('session_id', '=', session)
        .where('uuid', '=', uuid)
        .executeTakeFirst()
      if (row === undefined) return undefined
      return { position: positionOf(row), node: row.subagent_id === null ? null : subagentKey(row.subagent_id) }
    },

    async toolLines(session, ids) {
      if (ids.length === 0) return []
      const rows = await selectEvents(context)
        .where('e.session_id', '=', session)
        .where((eb) => capabilities.inTexts(eb.ref('e.tool_use_id'), ids))
        .execute()
      // Asked to order them, SQLite walks the whole session by time instead of looking the ids up.
      rows.sort((one, other) => one.at - other.at || one.id - other.id)
      return rows.map(toLine)
    },

    async toolOutcomes(session, ids) {
      if (ids.length === 0) return new Map()
      const rows = await db
        .selectFrom('tool_uses')
        .select(['tool_use_id', 'name', 'is_error'])
        .where('session_id', '=', session)
        .where((eb) => capabilities.inTexts(eb.ref('tool_use_id'), ids))
        .execute()
      return new Map(
        rows.map((row) => [
          toolUseId(row.tool_use_id),
          { name: row.name, isError: row.is_error === null ? null : row.is_error !== 0 },
        ]),
      )
    },

    launchedBy: (session, ids, parent, depth) => readLaunched(context, session, ids, parent, depth),
    continuedBy: (session, ids) => readContinued(context, session, ids),
    orphans: (session, limit) => readOrphans(context, session, limit),

    async findAgent(session, id) {
      const row = await db
        .selectFrom('subagents')
        .select('id')
        .where('session_id', '=', session.key)
        .where('native_id', '=', id)
        .executeTakeFirst()
      return row === undefined ? undefined : (await readAgents(context, session, [row.id]))[0]
    },

    nodes: (keys) => readNodes(context, keys),
    marks: (session) => readMarks(context, session),

    async sharedLines(a, b) {
      const { rows } = await sql<{ count: number; uuid: Uint8Array | null; at: number | null }>`
        with shared as (
          select own.uuid, own.at, own.id from conversation_events own
           where own.session_id = ${a} and own.subagent_id is null and own.parent_tool_use_id is null
             and exists (select 1 from conversation_events other
                          where other.session_id = ${b} and other.uuid = own.uuid and other.subagent_id is null)
        ) select (select count(*) from shared) as count, uuid, at from shared order by at desc, id desc limit 1
      `.execute(db)
      const last = rows[0]
      if (last === undefined || last.uuid === null) return undefined
      return { count: last.count, lastId: eventId(uuidText(last.uuid)), lastAt: isoTime(last.at ?? 0) }
    },

    async countLines(session, range) {
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from conversation_events
         where session_id = ${session} and subagent_id is null and parent_tool_use_id is null and ${inRange(range)}
      `.execute(db)
      return rows[0]?.count ?? 0
    },

    turnSpans: (session, limit) => readTurnSpans(context, session, limit),
    laneTimes: (session) => readLaneTimes(context, session),
    toolSpans: (session, nodes) => readToolSpans(context, session, nodes),
    runSpans: (keys) => readRunSpans(context, keys),
    waits: (session) => readWaits(context, [session], Number.MAX_SAFE_INTEGER),
    async mainCost(session) {
      const totals = await db
        .selectFrom('usage_totals')
        .selectAll()
        .where('session_id', '=', session)
        .where('subagent_id', '=', 0)
        .execute()
      return sumCost(totals, context.costOf)
    },
    agents: (session, keys) => readAgents(context, session, keys),
  }
}

/** Lines that begin a turn of this node. */
function isTurn(session: SessionKey, node: SubagentKey | null) {
  return node === null
    ? sql<boolean>`session_id = ${session} and ${IN_TURN_INDEX} and type in ${TURN_TYPES} and parent_tool_use_id is null`
    : sql<boolean>`session_id = ${session} and subagent_id = ${node} and type in ${TURN_TYPES}`
}

/** Where the session came from, and who went on from it. */
async function readMarks(context: ReadContext, session: StoredSession): Promise<SessionMark[]> {
  const { db } = context
  const marks: SessionMark[] = []
  if (session.resumedFrom !== null) {
    marks.push({ kind: 'resume', sessionId: session.resumedFrom, isOrigin: true, after: null })
  }
  if (session.forkedFrom !== null) {
    const { rows } = await sql<{ at: number; id: number }>`
      select e.at, e.id from sessions s join conversation_events e on e.session_id = s.id and e.uuid = s.fork_point
       where s.id = ${session.key}
    `.execute(db)
    const [point] = rows
    marks.push({
      kind: 'fork',
      sessionId: session.forkedFrom,
      isOrigin: true,
      after: point === undefined ? null : positionOf(point),
    })
  }
  const forks = await sql<{ native_id: string; started_at: number | null; at: number | null; id: number | null }>`
    select c.native_id, c.started_at, e.at, e.id from sessions c
      left join conversation_events e on e.session_id = ${session.key} and e.uuid = c.fork_point
     where c.forked_from = ${session.id} order by c.id limit ${SHOWN_MARKS}
  `.execute(db)
  const resumes = await sql<{ native_id: string; started_at: number | null }>`
    select native_id, started_at from sessions where resumed_from = ${session.id} order by id limit ${SHOWN_MARKS}
  `.execute(db)
  for (const row of forks.rows) {
    const after = row.at === null || row.id === null ? behind(row.started_at) : { at: row.at, key: row.id }
    marks.push({ kind: 'fork', sessionId: sessionId(row.native_id), isOrigin: false, after })
  }
  for (const row of resumes.rows) {
    marks.push({
      kind: 'resume',
      sessionId: sessionId(row.native_id),
      isOrigin: false,
      after: behind(row.started_at),
    })
  }
  marks.push(...(await readTranslations(context, session)))
  return marks
}

/** The conversation of another agent CLI that this one goes on with stands before it, as lines of its own. */
async function readTranslations({ db }: ReadContext, session: StoredSession): Promise<SessionMark[]> {
  const marks: SessionMark[] = []
  if (session.translatedFrom !== null) {
    const { rows } = await sql<{ at: number; id: number }>`
      select e.at, e.id from sessions s join conversation_events e on e.session_id = s.id and e.uuid = s.fork_point
       where s.id = ${session.key}
    `.execute(db)
    const [point] = rows
    const after = point === undefined ? null : positionOf(point)
    marks.push({ kind: 'translation', sessionId: session.translatedFrom, isOrigin: true, after })
  }
  const { rows } = await sql<{ native_id: string; started_at: number | null }>`
    select native_id, started_at from sessions where translated_from = ${session.id} order by id limit ${SHOWN_MARKS}
  `.execute(db)
  for (const row of rows) {
    const after = behind(row.started_at)
    marks.push({ kind: 'translation', sessionId: sessionId(row.native_id), isOrigin: false, after })
  }
  return marks
}

/** Behind all lines of that time. */
const behind = (at: number | null): LinePosition => ({
  at: at ?? Number.MAX_SAFE_INTEGER,
  key: Number.MAX_SAFE_INTEGER,
})
