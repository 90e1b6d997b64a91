import type { AgentName, EventId, SessionId, SubagentId, ToolUseId } from '../ids'
import type { Page, PageRequest } from '../port'
import type { EventType } from '../record/observation'
import type { SecretSettings } from '../secrets/mask'
import type { ConversationEvent } from '../session/session'
import type { EventNode } from './conversation'
import type { SearchFilters } from './search-query'
export interface EventFilter {
  sessionId?: SessionId
  /** Only sessions of this agent CLI. */
  agent?: AgentName
  /** Events of the sub-agent that this tool call launched; `null` = the main thread. */
  parentToolUseId?: ToolUseId | null
  subagentId?: SubagentId
  /** Events of sub-agents whose launch was not seen. */
  orphans?: boolean
  /** Matches an event's type or the line's own type. */
  type?: EventType | string
  toolUseId?: ToolUseId
  /** Without inherited events of forks (default: with). */
  ownOnly?: boolean
}

export interface SearchHit {
  event: ConversationEvent
  /** The node that the event belongs to. */
  node: EventNode
  /** The agent CLI of its session. */
  agent: AgentName
  sessionTitle: string | null
  /** The text around the match, at most 200 characters; matches are between `\u0002` and `\u0003`. */
  snippet: string
}

export interface SearchResult {
  hits: SearchHit[]
  /**
   * There are more matches, or may be. Only the newest 2,000 are ranked, with filters sometimes fewer; parts of words are looked for in the
   * newest lines only.
   */
  isTruncated: boolean
  /** No line has all words; these have them as parts of words. */
  isByParts: boolean
  /** How many of the ranked matches there are of each sort, most first; `null` = not asked for. */
  facets: SearchFacets | null
}

/** A value of a filter of the search, and how many matches it would leave. */
export interface FacetCount {
  value: string
  count: number
}

/** At most 20 of each. @see FILTERS */
export interface SearchFacets {
  is: FacetCount[]
  tool: FacetCount[]
  agent: FacetCount[]
  /** Roots of projects. */
  project: FacetCount[]
  session: FacetCount[]
}

export interface SearchOptions {
  sessionId?: SessionId
  /** Only sessions of this agent CLI. */
  agent?: AgentName
  filters?: SearchFilters
  /** Whether matches are counted by sort. */
  wantsFacets?: boolean
  limit: number
  /** Which secrets stay hidden in what is shown of a line. Default: all that are known. */
  secrets?: SecretSettings
}

export interface EventReads {
  /** In order of time, then of recording; over all sessions (no `sessionId`) in order of recording alone. */
  list(filter: EventFilter, page: PageRequest): Promise<Page<ConversationEvent>>
  find(session: SessionId, id: EventId): Promise<ConversationEvent | undefined>
  /**
   * Words are ANDed and found in any of their forms, `"a phrase"` stays together, `word*` is a prefix, `*part*` a part of a word; nothing in
   * `text` is an operator otherwise. Without words, the newest lines that the filters leave.
   */
  search(text: string, options: SearchOptions): Promise<SearchResult>
  /** Where the event's line is in the journals. */
  locate(session: SessionId, id: EventId): Promise<{ incarnation: number; offset: number; length: number } | undefined>
}
