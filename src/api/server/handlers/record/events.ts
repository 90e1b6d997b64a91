import type { EventFilter } from '../../../../domain/conversation/event-store'
import { readSearch } from '../../../../domain/conversation/search-query'
import { AppError } from '../../../../domain/errors'
import { eventId, subagentId, toolUseId } from '../../../../domain/ids'
import type { QueryOf } from '../../../contract/operation'
import { events, search } from '../../../contract/operations/events'
import { sessions } from '../../../contract/operations/sessions'
import { DEFAULT_PAGE_LIMIT, DEFAULT_SEARCH_LIMIT } from '../../../contract/protocol'
import type { Context } from '../../context'
import { checkAgentCli } from '../../find/find-agent-cli'
import { catchUp, getSession, resolveSessionId } from '../../find/find-session'
import { checkTimeZone } from '../../find/time-zone'
import { handle } from '../../handler'
import { revealed } from '../../reveal'

export const listEvents = handle(events.list, async ({ query }, context) => {
  const { sessionId, agent, ...rest } = query
  checkAgentCli(agent, context)
  if (sessionId === undefined) await catchUp(null, context)
  const scope = {
    ...(sessionId !== undefined && { sessionId: await resolveSessionId(sessionId, context) }),
    ...(agent !== undefined && { agent }),
  }
  return readPage(scope, rest, context)
})

export const listSessionEvents = handle(sessions.events, async ({ params, query }, context) =>
  readPage({ sessionId: await resolveSessionId(params.id, context) }, query, context),
)

async function readPage(scope: EventFilter, query: QueryOf<typeof sessions.events>, { store }: Context) {
  const {
    limit = DEFAULT_PAGE_LIMIT,
    cursor,
    parentToolUseId: parent,
    subagentId: subagent,
    toolUseId: tool,
    ...rest
  } = query
  const filter: EventFilter = {
    ...scope,
    ...rest,
    ...(parent !== undefined && { parentToolUseId: parent === null ? null : toolUseId(parent) }),
    ...(subagent !== undefined && { subagentId: subagentId(subagent) }),
    ...(tool !== undefined && { toolUseId: toolUseId(tool) }),
  }
  const page = await store.events.list(filter, { limit, ...(cursor !== undefined && { cursor }) })
  return { events: page.rows, nextCursor: page.nextCursor }
}

/** Largest line that an answer holds; a longer one is in the export. */
const MAX_LINE_BYTES = 64 * 1024 * 1024

export const showEvent = handle(sessions.event, async (call, context) => {
  const { store, mask } = context
  const { params } = call
  const session = await getSession(params.id, context)
  const id = eventId(params.eventId.toLowerCase())
  const event = await store.events.find(session.id, id)
  if (event === undefined) throw new AppError('not_found', `Session ${session.id} has no event ${id}.`)
  const place = await store.events.locate(session.id, id)
  if (place === undefined) return { event, line: null }
  if (place.length > MAX_LINE_BYTES) {
    throw new AppError('too_large', `The line of the event has ${place.length} bytes, more than ${MAX_LINE_BYTES}.`, {
      hint: `To get the full line, run \`lode session export ${session.id}\`.`,
    })
  }
  const exact = await readAll(store.journals.read(place.incarnation, place.offset, place.length), place.length)
  const bytes = (await revealed(sessions.event, call, id, context)) ? exact : mask.bytes(exact)
  return { event, line: { ...presentLine(bytes), offset: place.offset, length: place.length } }
})

/** Text, and the bytes as well where text can't hold them. */
function presentLine(bytes: Uint8Array): { text: string; base64: string | null } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), base64: null }
  } catch {
    return { text: new TextDecoder().decode(bytes), base64: bytes.toBase64() }
  }
}

async function readAll(chunks: AsyncIterable<Uint8Array>, length: number): Promise<Uint8Array> {
  const whole = new Uint8Array(length)
  let at = 0
  for await (const chunk of chunks) {
    whole.set(chunk.subarray(0, length - at), at)
    at += Math.min(chunk.length, length - at)
  }
  return whole.subarray(0, at)
}

export const searchEvents = handle(search, async ({ query }, context) => {
  const { q, sessionId, agent, timeZone, facets, limit = DEFAULT_SEARCH_LIMIT } = query
  checkAgentCli(agent, context)
  if (sessionId === undefined) await catchUp(null, context)
  const scope = sessionId === undefined ? {} : { sessionId: await resolveSessionId(sessionId, context) }
  // Words of a secret are not in the index: a match would confirm a guess.
  const { secrets } = context
  const { words, filters } = readSearch(context.mask.text(q), { now: Date.now(), timeZone: checkTimeZone(timeZone) })
  return context.store.events.search(words, {
    ...scope,
    filters,
    ...(facets !== undefined && { wantsFacets: facets }),
    ...(agent !== undefined && { agent }),
    limit,
    ...(secrets && { secrets }),
  })
})
