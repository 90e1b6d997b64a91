import { PARSED_LINE_BYTES } from '../../../../domain/conversation/line-content'
import { AppError } from '../../../../domain/errors'
import { eventId } from '../../../../domain/ids'
import { readRows } from '../../../../engine/conversation/rows'
import { sessions } from '../../../contract/operations/sessions'
import { DEFAULT_ROWS } from '../../../contract/protocol'
import { getSession } from '../../find/find-session'
import { handle } from '../../handler'
import { revealed } from '../../reveal'
import { findAgent } from './conversation'
import { readLine } from './read-line'

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
    until: query.until === undefined ? undefined : Date.parse(query.until),
    limit: query.limit ?? DEFAULT_ROWS,
  })
  return { sessionId: session.id, ...page, feedSeq }
})

export const sessionMinimap = handle(sessions.minimap, async ({ params, query }, context) => {
  const session = await getSession(params.id, context)
  const agent = query.subagentId === undefined ? null : await findAgent(query.subagentId, session, context)
  const { conversations } = context.store
  const node = agent?.key ?? null
  const [map, only] = await Promise.all([
    conversations.minimap(session.key, node),
    query.only === undefined ? null : conversations.linesOfKind(session.key, node, query.only),
  ])
  return { ...map, only }
})

export const eventContent = handle(sessions.content, async (call, context) => {
  const { store, services } = context
  const { params } = call
  const session = await getSession(params.id, context)
  const id = eventId(params.eventId.toLowerCase())
  const event = await store.events.find(session.id, id)
  if (event === undefined) {
    throw new AppError('not_found', `Session ${session.id} has no event ${id}.`, {
      hint: `Run \`lode event list --session ${session.id}\` to see its events.`,
    })
  }
  const isExact = await revealed(sessions.content, call, id, context)
  const line = await readLine(session.id, id, { maxBytes: PARSED_LINE_BYTES + 1, isCut: true, isExact }, context)
  if (line !== undefined) return { eventId: id, ...(await services.agentLines.contentOf(session.agent, line)) }
  const text = event.text ?? ''
  return { eventId: id, blocks: text === '' ? [] : [{ kind: 'text' as const, text }], isCut: event.isCut }
})
