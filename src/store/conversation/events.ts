import { sql } from 'kysely'
import type { EventFilter, EventReads, SearchOptions, SearchResult } from '../../domain/conversation/event-store'
import type { EventId, SessionId, SessionKey, SubagentId } from '../../domain/ids'
import type { Page, PageRequest } from '../../domain/port'
import type { ConversationEvent } from '../../domain/session/session'
import { checkLimit, decodeCursor, encodeCursor } from '../sql/cursor'
import type { ReadContext } from '../sql/read-context'
import { uuidBytes } from '../sql/uuid'
import { type EventSelect, type EventSelectRow, selectEvents, toEvent } from './event-rows'
import { searchEvents } from './search'

/** Reads events. */
export function eventReads(context: ReadContext): EventReads {
  return new EventQueries(context)
}

class EventQueries implements EventReads {
  private readonly context: ReadContext

  constructor(context: ReadContext) {
    this.context = context
  }

  async list(filter: EventFilter, page: PageRequest): Promise<Page<ConversationEvent>> {
    const limit = checkLimit(page.limit)
    const place = await this.locateFilter(filter)
    if (place === undefined) return { rows: [], nextCursor: null }
    const query = applyFilter(selectEvents(this.context), filter, place)
    const rows = await (filter.sessionId === undefined
      ? this.pageByRecording(query, filter, page, limit)
      : this.pageByTime(query, filter, page, limit))
    const shown = rows.slice(0, limit)
    const last = rows.length > limit ? shown.at(-1) : undefined
    const sortKey = last === undefined ? [] : filter.sessionId === undefined ? [last.id] : [last.at, last.id]
    return { rows: shown.map(toEvent), nextCursor: last === undefined ? null : encodeCursor(filter, sortKey) }
  }

  async find(session: SessionId, id: EventId): Promise<ConversationEvent | undefined> {
    const row = await this.row(session, id)
    return row === undefined ? undefined : toEvent(row)
  }

  async locate(
    session: SessionId,
    id: EventId,
  ): Promise<{ incarnation: number; offset: number; length: number } | undefined> {
    const row = await this.row(session, id)
    if (row === undefined) return undefined
    return { incarnation: row.incarnation_id, offset: row.offset, length: row.length }
  }

  search(text: string, options: SearchOptions): Promise<SearchResult> {
    return searchEvents(this.context, text, options)
  }

  private async row(session: SessionId, id: EventId): Promise<EventSelectRow | undefined> {
    const uuid = uuidBytes(id)
    if (uuid === undefined) return undefined
    return await selectEvents(this.context)
      .where('s.native_id', '=', session)
      .where('e.uuid', '=', uuid)
      .executeTakeFirst()
  }

  /** In order of time within a session: along the index `conversation_events_time`. */
  private pageByTime(query: EventSelect, filter: EventFilter, page: PageRequest, limit: number) {
    let paged = query
    if (page.cursor !== undefined) {
      const [at, key] = decodeCursor(page.cursor, filter, ['number', 'number'])
      paged = paged.where(sql<boolean>`(e.at, e.id) > (${at}, ${key})`)
    }
    return paged
      .orderBy('e.at')
      .orderBy('e.id')
      .limit(limit + 1)
      .execute()
  }

  /** In order of recording over all sessions: along the primary key. No index is by time alone. */
  private pageByRecording(query: EventSelect, filter: EventFilter, page: PageRequest, limit: number) {
    let paged = query
    if (page.cursor !== undefined) {
      const [key] = decodeCursor(page.cursor, filter, ['number'])
      paged = paged.where('e.id', '>', Number(key))
    }
    return paged
      .orderBy('e.id')
      .limit(limit + 1)
      .execute()
  }

  /** The keys that the filter's session and sub-agent stand for; `undefined` when they are not recorded. */
  private async locateFilter(filter: EventFilter): Promise<FilterPlace | undefined> {
    const place: FilterPlace = {}
    if (filter.sessionId !== undefined) {
      const session = await this.context.db
        .selectFrom('sessions')
        .select('id')
        .where('native_id', '=', filter.sessionId)
        .executeTakeFirst()
      if (session === undefined) return undefined
      place.session = session.id
    }
    if (filter.subagentId !== undefined) {
      const nodes = await this.subagentKeys(filter.subagentId, place.session)
      if (nodes.length === 0) return undefined
      place.nodes = nodes
    }
    return place
  }

  private async subagentKeys(id: SubagentId, session?: SessionKey): Promise<{ id: number; session_id: SessionKey }[]> {
    let query = this.context.db.selectFrom('subagents').select(['id', 'session_id']).where('native_id', '=', id)
    if (session !== undefined) query = query.where('session_id', '=', session)
    return await query.execute()
  }
}

interface FilterPlace {
  session?: SessionKey
  nodes?: { id: number; session_id: SessionKey }[]
}

function applyFilter(query: EventSelect, filter: EventFilter, place: FilterPlace): EventSelect {
  const { parentToolUseId, toolUseId, type } = filter
  let filtered = query
  if (place.session !== undefined) filtered = filtered.where('e.session_id', '=', place.session)
  else if (place.nodes !== undefined) {
    const sessions = place.nodes.map((node) => node.session_id)
    filtered = filtered.where('e.session_id', 'in', sessions)
  } else if (typeof parentToolUseId === 'string' || toolUseId !== undefined) {
    // Every event index begins with the session: one look-up per session instead of a walk over all events.
    filtered = filtered.where('e.session_id', 'in', (eb) => eb.selectFrom('sessions as every').select('every.id'))
  }
  if (place.nodes !== undefined) {
    filtered = filtered.where(
      'e.subagent_id',
      'in',
      place.nodes.map((node) => node.id),
    )
  }
  if (parentToolUseId === null) {
    filtered = filtered.where('e.parent_tool_use_id', 'is', null).where('e.subagent_id', 'is', null)
  } else if (parentToolUseId !== undefined) {
    filtered = filtered.where('e.parent_tool_use_id', '=', parentToolUseId)
  }
  if (filter.orphans === true) {
    filtered = filtered.where('e.parent_tool_use_id', 'is', null).where('e.subagent_id', 'is not', null)
  }
  if (toolUseId !== undefined) filtered = filtered.where('e.tool_use_id', '=', toolUseId)
  if (type !== undefined) filtered = filtered.where((eb) => eb.or([eb('e.type', '=', type), eb('e.role', '=', type)]))
  const { agent } = filter
  if (agent !== undefined)
    filtered = filtered.where('e.session_id', 'in', (eb) =>
      eb.selectFrom('sessions as ofcli').select('ofcli.id').where('ofcli.agent', '=', agent),
    )
  if (filter.ownOnly === true) filtered = filtered.where(sql<boolean>`(e.flags & 1) = 0`)
  return filtered
}
