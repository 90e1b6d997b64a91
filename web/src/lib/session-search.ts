import { type EventId, eventId, type SubagentId, subagentId } from '../../../src/domain/ids'
import { oneOf, type Search, textOf, writeSearch } from './search'

/** What the page of a session shows beside its conversation; the first is the conversation itself. */
export const SESSION_VIEWS = ['conversation', 'timeline', 'beside'] as const
export type SessionView = (typeof SESSION_VIEWS)[number]

/** The field is open and nothing stands in it yet. */
export const EMPTY_FIND = ' '

/** What one looks at in a session. */
export interface SessionPlace {
  /** Opens around this event; at the end without it. */
  at: EventId | null
  /** This sub-agent's own lines; the main thread's without it. */
  agent: SubagentId | null
  view: SessionView
  /** What is looked for in the session; `null` = nothing. */
  find: string | null
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function parseSessionSearch(search: Search): SessionPlace {
  const at = textOf(search.at)?.toLowerCase()
  const agent = textOf(search.agent)
  return {
    at: at !== undefined && UUID.test(at) ? eventId(at) : null,
    agent: agent === undefined ? null : subagentId(agent),
    view: oneOf(SESSION_VIEWS, search.view) ?? 'conversation',
    find: textOf(search.find) ?? null,
  }
}

/** With its `?`; '' for the end of the main thread. */
export const writeSessionSearch = ({ at, agent, view, find }: SessionPlace): string =>
  writeSearch({ agent, at, view: view === 'conversation' ? null : view, find })
