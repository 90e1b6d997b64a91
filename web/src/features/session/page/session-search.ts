import { type EventId, eventId, type SubagentId, subagentId } from '#domain/ids'
import { MAP_KINDS, type MapKind } from '#domain/session/minimap'
import { oneOf, type Search, textOf, writeSearch } from '../../../lib/search'

/** Views of the session page; the first is the default. */
export const SESSION_VIEWS = ['conversation', 'changes', 'timeline', 'beside'] as const
export type SessionView = (typeof SESSION_VIEWS)[number]

/** Value of `find` while the search is open and empty. */
export const EMPTY_FIND = ' '

/** What the session page shows. */
export interface SessionPlace {
  /** Opens around this event; null = at the end. */
  at: EventId | null
  /** Shows the lines of this sub-agent; null = the main thread. */
  agent: SubagentId | null
  view: SessionView
  /** The search text; null = the search is closed. */
  find: string | null
  /** Shows the session as it was at this time, ISO 8601; null = as it is. */
  t: string | null
  /** Only lines of this kind; null = all. */
  only: MapKind | null
}

/** A full ID of an event. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Parses the search part of the session page. */
export function parseSessionSearch(search: Search): SessionPlace {
  const at = textOf(search.at)?.toLowerCase()
  const agent = textOf(search.agent)
  return {
    at: at !== undefined && UUID.test(at) ? eventId(at) : null,
    agent: agent === undefined ? null : subagentId(agent),
    view: oneOf(SESSION_VIEWS, search.view) ?? 'conversation',
    find: textOf(search.find) ?? null,
    t: timeOf(search.t),
    only: oneOf(MAP_KINDS, search.only) ?? null,
  }
}

/** Formats the search part, with its `?`; '' for the end of the main thread. */
export const writeSessionSearch = ({ at, agent, view, find, t, only }: SessionPlace): string =>
  writeSearch({ agent, at, view: view === 'conversation' ? null : view, find, t, only })

function timeOf(value: unknown): string | null {
  const time = Date.parse(textOf(value) ?? '')
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}
