import { AppError } from '../../../../domain/errors'
import { type EventId, eventId, type SessionId } from '../../../../domain/ids'
import { PARSED_LINE_BYTES } from '../../../../domain/session/line-content'
import { readRows } from '../../../../engine/conversation/rows'
import { sessions } from '../../../contract/operations/sessions'
import { DEFAULT_ROWS } from '../../../contract/protocol'
import type { Context } from '../../context'
import { getSession } from '../../find/find-session'
import { handle } from '../../handler'
import { findAgent } from './conversation'

export const sessionRows = handle(sessions.rows, async ({ params, query }, context) => {
  const { store } = context
  const session = await getSession(params.id, context)
  // Before the rows: who follows the feed from here on misses nothing that they do not show.
  const feedSeq = await store.feed.head()
  const agent = query.subagentId === undefined ? null : await findAgent(query.subagentId, session, context)
  const page = await readRows(store.conversations, session, {
    agent,
    from: query.from,
    around: query.around === undefined ? undefined : eventId(query.around.toLowerCase()),
    limit: query.limit ?? DEFAULT_ROWS,
  })
  return { sessionId: session.id, ...page, feedSeq }
})

export const eventContent = handle(sessions.content, async ({ params }, context) => {
  const { store, services } = context
  const session = await getSession(params.id, context)
  const id = eventId(params.eventId.toLowerCase())
  const event = await store.events.find(session.id, id)
  if (event === undefined) {
    throw new AppError('not_found', `Session ${session.id} has no event ${id}.`, {
      hint: `Run \`lode event list --session ${session.id}\` to see its events.`,
    })
  }
  const line = await readLine(session.id, id, context)
  if (line !== undefined) return { eventId: id, ...(await services.agentLines.contentOf(session.agent, line)) }
  const text = event.text ?? ''
  return { eventId: id, blocks: text === '' ? [] : [{ kind: 'text' as const, text }], isCut: event.isCut }
})

/** The line's bytes from its journal, as many as are looked at. `undefined` = they are not kept. */
async function readLine(session: SessionId, id: EventId, { store }: Context): Promise<Uint8Array | undefined> {
  const place = await store.events.locate(session, id)
  if (place === undefined) return undefined
  const length = Math.min(place.length, PARSED_LINE_BYTES + 1)
  const parts: Uint8Array[] = []
  for await (const part of store.journals.read(place.incarnation, place.offset, length)) parts.push(part)
  return parts.length === 0 ? undefined : Buffer.concat(parts)
}
