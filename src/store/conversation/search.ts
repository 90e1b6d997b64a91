import { type AgentName, type SessionId, subagentKey } from '../../domain/ids'
import { type SecretMask, secretMask } from '../../domain/secrets/mask'
import type { EventNode } from '../../domain/session/conversation'
import type { SearchHit, SearchOptions, SearchResult } from '../../domain/session/event-store'
import { checkLimit } from '../sql/cursor'
import type { ReadContext } from '../sql/read-context'
import { findMatches, makeSnippet, parseSearch, type SearchTerm } from '../sql/search-words'
import { MAIN_NODE, readNodes, UNKNOWN_NODE } from './event-nodes'
import { type EventSelectRow, selectEvents, toEvent } from './event-rows'
import { readJournalBytes } from './journal-bytes'

/** Ranking costs time for each match: only the newest are ranked (3–11 ms; all matches of a common word took 60–416). */
export const RANKED_MATCHES = 2_000
/** Bytes of a line that are read again to show a match outside the stored text. */
const SNIPPET_LINE_BYTES = 256 * 1_024

/** @see EventReads.search */
export async function searchEvents(context: ReadContext, text: string, options: SearchOptions): Promise<SearchResult> {
  const limit = checkLimit(options.limit)
  const terms = parseSearch(text)
  if (terms.length === 0) return { hits: [], isTruncated: false }
  let session: number | undefined
  if (options.sessionId !== undefined) {
    session = await findSessionKey(context, options.sessionId)
    if (session === undefined) return { hits: [], isTruncated: false }
  }
  const { events, isTruncated } = await context.capabilities.searchText(context.db, terms, {
    session,
    agent: options.agent,
    limit,
    window: RANKED_MATCHES,
  })
  return { hits: await readHits(context, events, terms, secretMask(options.secrets)), isTruncated }
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
  const hits: SearchHit[] = []
  for (const key of keys) {
    const row = byKey.get(key)
    if (row === undefined) continue
    const snippet = await snippetOf(context, row, terms, mask)
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

/** From the stored text; where that has no match (tool inputs, text that was cut), from the line in the journal. */
async function snippetOf(
  context: ReadContext,
  row: EventSelectRow,
  terms: SearchTerm[],
  mask: SecretMask,
): Promise<string> {
  const stored = mask.text(row.text ?? '')
  if (findMatches(stored, terms).length > 0) return makeSnippet(stored, terms)
  const length = Math.min(row.length, SNIPPET_LINE_BYTES)
  const bytes = await readJournalBytes(context.db, row.incarnation_id, row.offset, length)
  // Before it is cut: half of a secret is not known as one. The first half of one that the line's cut has left is dropped.
  const line = new TextDecoder().decode(mask.bytes(bytes))
  const found = firstText(length < row.length ? line.replace(/[^\s"\\]{1,9000}$/, '') : line, terms)
  return makeSnippet(found ?? stored, terms)
}

/** The first string anywhere in the line's JSON that has a match; the line itself when it is cut or no JSON. */
function firstText(line: string, terms: SearchTerm[]): string | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(line)
  } catch {
    return line
  }
  const open: unknown[] = [parsed]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string' && findMatches(value, terms).length > 0) return value
    if (typeof value === 'object' && value !== null) open.push(...Object.values(value).reverse())
  }
  return undefined
}
