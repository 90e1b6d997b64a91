import { sql } from 'kysely'
import type { EventNode } from '../../domain/conversation/conversation'
import type { SearchHit, SearchOptions, SearchResult } from '../../domain/conversation/event-store'
import { NO_FILTERS } from '../../domain/conversation/search-query'
import { type AgentName, type SessionId, subagentKey } from '../../domain/ids'
import { type SecretMask, secretMask } from '../../domain/secrets/mask'
import { callWords, valueWords } from '../../domain/session/call-parts'
import { checkLimit } from '../sql/cursor'
import type { ReadContext, TextMatches, TextSearch } from '../sql/read-context'
import {
  makeSnippet,
  matchesIn,
  parseSearch,
  type SearchTerm,
  type WordMatcher,
  wordMatcher,
} from '../sql/words/search-words'
import { MAIN_NODE, readNodes, UNKNOWN_NODE } from './event-nodes'
import { type EventSelectRow, INHERITED, selectEvents, toEvent } from './event-rows'
import { withInherited } from './inherited-matches'
import { readJournalBytes } from './journal-bytes'
import { facetsOf } from './search-facets'
import { alsoOfEvent, hasPart, ofEvent, scopeOf } from './search-scope'
import { FIRST_SESSIONS, failedEvents, sessionGroups } from './session-groups'

/** Ranking costs time for each match: only the newest are ranked (3–11 ms; all matches of a common word took 60–416). */
export const RANKED_MATCHES = 2_000
/** Bytes of a line that are read again to show a match outside the stored text. */
const SNIPPET_LINE_BYTES = 256 * 1_024

/** Where no index helps, this many of the newest lines are looked at: 20 ms if none has the part. */
export const SCANNED_LINES = 100_000
/** The same where nobody asked for parts of words, and no line has the whole ones: somebody may still be typing. */
const SCANNED_UNASKED = 40_000
/** Lines that are looked at before a full page of hits is enough. Each further round looks at twice as many. */
const FIRST_ROUND = 8_000
/** Shorter parts of words stand in nearly every line. */
const PART_LENGTH = 3

/** @see EventReads.search */
export async function searchEvents(context: ReadContext, text: string, options: SearchOptions): Promise<SearchResult> {
  const limit = checkLimit(options.limit)
  const terms = parseSearch(text)
  const scope = scopeOf(context.capabilities, options.filters ?? NO_FILTERS, options.agent)
  const nothing = { hits: [], isTruncated: false, isByParts: false, facets: null }
  if (terms.length === 0 && ofEvent(scope) === undefined) return nothing
  let session: number | undefined
  if (options.sessionId !== undefined) {
    session = await findSessionKey(context, options.sessionId)
    if (session === undefined) return nothing
  }
  const search: TextSearch = { session, scope, limit, window: RANKED_MATCHES }
  const find = async (some: readonly SearchTerm[], scanned?: number): Promise<TextMatches> => {
    const within = (key: number | undefined) => findEvents(context, some, { ...search, session: key }, scanned)
    const own = await within(session)
    if (session === undefined) return own
    const { events, ranked, isTruncated } = await withInherited(context, session, own, within)
    return { events: events.slice(0, limit), ranked: ranked.slice(0, RANKED_MATCHES), isTruncated }
  }
  let found = await find(terms)
  const parts = found.events.length === 0 ? asParts(terms) : undefined
  if (parts !== undefined) found = await find(parts, SCANNED_UNASKED)
  const [hits, facets] = await Promise.all([
    readHits(context, found.events, parts ?? terms, secretMask(options.secrets)),
    options.wantsFacets === true ? facetsOf(context, found.ranked) : null,
  ])
  return {
    hits,
    isTruncated: found.isTruncated,
    isByParts: parts !== undefined && found.events.length > 0,
    facets,
  }
}

/** The same terms with each word as a part of one; `undefined` if that makes no difference or no sense. */
function asParts(terms: readonly SearchTerm[]): SearchTerm[] | undefined {
  const isOne = ({ words: [word = ''], words, match }: SearchTerm) =>
    match === 'word' && words.length === 1 && word.length >= PART_LENGTH
  if (terms.length === 0 || !terms.every(isOne)) return undefined
  return terms.map((term) => ({ ...term, match: 'part' }))
}

/** By the index if there is a whole word or a beginning of one, else by looking at the newest lines. */
async function findEvents(
  context: ReadContext,
  terms: readonly SearchTerm[],
  search: TextSearch,
  scanned = SCANNED_LINES,
): Promise<TextMatches> {
  const indexed = terms.filter(({ match }) => match !== 'part')
  const parts = terms.flatMap(({ typed, match }) => (match === 'part' ? typed : []))
  const scope = alsoOfEvent(
    search.scope,
    parts.map((part) => hasPart(context.capabilities, sql`e.text`, part)),
  )
  if (indexed.length > 0) return context.capabilities.searchText(context.db, indexed, { ...search, scope })
  if (scope.isFailed && search.session === undefined) return scanFailed(context, { ...search, scope }, scanned)
  return scanNewest(context, { ...search, scope }, scanned)
}

/**
 * The newest lines that the scope leaves. Copies that a fork made of its parent's lines are not looked at.
 *
 * Where few lines are left, it goes on until it has as many as are asked for, and no further.
 */
async function scanNewest(
  { db }: ReadContext,
  { session, scope, limit, window }: TextSearch,
  scanned: number,
): Promise<TextMatches> {
  const newest = await db
    .selectFrom('conversation_events')
    .select((eb) => eb.fn.max<number | null>('id').as('id'))
    .executeTakeFirst()
  const top = Number(newest?.id ?? 0)
  const floor = session === undefined ? Math.max(0, top - scanned) : 0
  const asked = ofEvent(scope)
  const ranked: number[] = []
  let isTruncated = floor > 0
  for (let upTo = top, size = FIRST_ROUND; upTo > floor; size *= 2) {
    const from = session === undefined ? Math.max(floor, upTo - size) : floor
    const { rows } = await sql<{ id: number }>`
      select e.id from conversation_events e
       where e.id > ${from} and e.id <= ${upTo} and (e.flags & ${INHERITED}) = 0
         ${session === undefined ? sql`` : sql`and e.session_id = ${session}`} ${asked === undefined ? sql`` : sql`and ${asked}`}
       order by e.id desc limit ${window + 1 - ranked.length}
    `.execute(db)
    for (const { id } of rows) ranked.push(id)
    upTo = from
    if (ranked.length <= limit || upTo === floor) continue
    isTruncated = true
    break
  }
  if (ranked.length > window) isTruncated = true
  return { events: ranked.slice(0, limit), ranked: ranked.slice(0, window), isTruncated }
}

/** The same of what failed alone, in the sessions that went on last: of so few lines, indexes of a session tell all. */
async function scanFailed(
  { db, capabilities }: ReadContext,
  { scope: { sessions: condition, events }, limit, window }: TextSearch,
  scanned: number,
): Promise<TextMatches> {
  const isMeant = sql`(e.flags & ${INHERITED}) = 0 ${events === undefined ? sql`` : sql`and ${events}`}`
  const found = new Set<number>()
  let isTruncated = false
  let seen = 0
  for await (const group of sessionGroups(db, condition, { sessions: FIRST_SESSIONS })) {
    isTruncated = found.size >= limit || seen >= scanned
    if (isTruncated) break
    const { rows } = await sql<{ id: number }>`
      ${failedEvents(capabilities.inKeys, group.sessions, isMeant)} order by e.id desc limit ${window + 1}
    `.execute(db)
    for (const { id } of rows) found.add(Number(id))
    seen += group.events
  }
  const ranked = [...found].sort((a, b) => b - a)
  return {
    events: ranked.slice(0, limit),
    ranked: ranked.slice(0, window),
    isTruncated: isTruncated || ranked.length > window,
  }
}

async function findSessionKey({ db }: ReadContext, id: SessionId): Promise<number | undefined> {
  const row = await db.selectFrom('sessions').select('id').where('native_id', '=', id).executeTakeFirst()
  return row?.id
}

/** The events of these keys, in this order. One that was forgotten meanwhile is left out. */
async function readHits(
  context: ReadContext,
  keys: number[],
  terms: SearchTerm[],
  mask: SecretMask,
): Promise<SearchHit[]> {
  if (keys.length === 0) return []
  const rows = await selectEvents(context)
    .where((eb) => context.capabilities.inKeys(eb.ref('e.id'), keys))
    .execute()
  const byKey = new Map(rows.map((row) => [row.id, row]))
  const nodes = await readNodes(
    context,
    rows.flatMap((row) => row.subagent_id ?? []),
  )
  const matcher = wordMatcher(terms)
  const hits: SearchHit[] = []
  for (const key of keys) {
    const row = byKey.get(key)
    if (row === undefined) continue
    const snippet = await snippetOf(context, row, matcher, mask)
    hits.push({
      event: toEvent(row),
      node: nodeOf(row, nodes),
      agent: row.session_agent as AgentName,
      sessionTitle: row.session_title,
      snippet,
    })
  }
  return hits
}

/** A line that names a launching call alone is of an agent that nothing else is known of (yet). */
function nodeOf(row: EventSelectRow, nodes: Awaited<ReturnType<typeof readNodes>>): EventNode {
  if (row.subagent_id === null) return row.parent_tool_use_id === null ? MAIN_NODE : UNKNOWN_NODE
  return nodes.get(subagentKey(row.subagent_id)) ?? UNKNOWN_NODE
}

/** A longer name of a tool would leave little room. Characters. */
const HEAD = 40

/**
 * From the stored text; where that has no match (tool inputs, text that was cut), from the line in the journal. A call is shown in words,
 * its tool first.
 */
async function snippetOf(
  context: ReadContext,
  row: EventSelectRow,
  matcher: WordMatcher,
  mask: SecretMask,
): Promise<string> {
  const isCall = row.type === 'tool_call'
  const tool = isCall && row.tool_name !== null ? `${row.tool_name}: ` : ''
  const head = tool.length > HEAD ? '' : tool
  const stored = mask.text(row.text ?? '')
  // Fields stand together otherwise in words than in JSON, and may be secret together.
  const words = isCall ? mask.text(callWords(stored, row.tool_name)) : stored
  const { snippet, hasMatch } = makeSnippet(words, matcher, head)
  if (hasMatch) return snippet
  const length = Math.min(row.length, SNIPPET_LINE_BYTES)
  const bytes = await readJournalBytes(context, row.incarnation_id, row.offset, length)
  // Before it is cut: half of a secret is not known as one. The first half of one that the line's cut has left is dropped.
  const line = new TextDecoder().decode(mask.bytes(bytes))
  const whole = length < row.length ? line.replace(/[^\s"\\]{1,9000}$/, '') : line
  const found = firstText(whole, matcher)
  if (found === undefined) return snippet
  // Whether it is the input of a call or the line itself, it may be JSON.
  const text = isCall || found === whole ? `${tool}${mask.text(valueWords(found))}` : found
  return makeSnippet(text, matcher, head).snippet
}

/** The first string anywhere in the line's JSON that has a match; the line itself when it is cut or no JSON. */
function firstText(line: string, matcher: WordMatcher): string | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(line)
  } catch {
    return line
  }
  const open: unknown[] = [parsed]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string' && matchesIn(value, matcher).next().value !== undefined) return value
    if (typeof value === 'object' && value !== null) open.push(...Object.values(value).reverse())
  }
  return undefined
}
