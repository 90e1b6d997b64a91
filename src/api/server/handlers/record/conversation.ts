import type { ConversationPage } from '../../../../domain/conversation/conversation'
import type { LinePosition } from '../../../../domain/conversation/line-row'
import { AppError } from '../../../../domain/errors'
import { eventId, type SubagentKey, subagentId } from '../../../../domain/ids'
import type { Session } from '../../../../domain/session/session'
import type { StoredSession } from '../../../../domain/session/session-store'
import { diffSessions } from '../../../../engine/conversation/diff-sessions'
import {
  type Agent,
  findStart,
  type PageStart,
  type ReadPage,
  readPage,
} from '../../../../engine/conversation/read-conversation'
import { readTimeline } from '../../../../engine/conversation/read-timeline'
import type { WholeTextReader } from '../../../../engine/conversation/whole-texts'
import type { QueryOf } from '../../../contract/operation'
import { sessions } from '../../../contract/operations/sessions'
import { DEFAULT_LANES, DEFAULT_TURNS } from '../../../contract/protocol'
import type { Context } from '../../context'
import { getSession } from '../../find/find-session'
import { handle } from '../../handler'
import { presentSession, presentSessions } from '../../present-session'
import { readLine } from './read-line'

/** Orphans that a first page lists. */
const SHOWN_ORPHANS = 50

export const showConversation = handle(sessions.conversation, async ({ params, query }, context) => {
  const session = await getSession(params.id, context)
  const { conversations } = context.store
  const { limit = DEFAULT_TURNS, depth = 0, flat: isFlat = false, full: isFull = false } = query
  const agent = query.subagentId === undefined ? null : await findAgent(query.subagentId, session, context)
  if (isFlat && agent !== null) {
    throw new AppError('invalid', 'A flat conversation always includes all agents.', {
      hint: 'Pass either `flat` or `subagentId`.',
    })
  }
  const scope = [session.id, agent?.subagent.id ?? '', isFlat] as const
  const from = await beginOf(query, scope, session, agent, limit, context)
  const page = await readPage(conversations, session, {
    agent,
    isFlat,
    from,
    limit,
    depth,
    ...(isFull && { whole: wholeTexts(context) }),
  })
  const isFirst = from === undefined && agent === null
  const [nodes, orphans] = await Promise.all([
    isFlat ? nodesOf(page, session, context) : [],
    isFirst ? conversations.orphans(session, SHOWN_ORPHANS) : { subagents: [], count: 0 },
  ])
  return {
    session: await presentSession(session, context),
    subagent: agent?.subagent ?? null,
    ...presentPage(page, scope),
    nodes,
    orphans: orphans.subagents,
    orphanCount: orphans.count,
  }
})

/** @throws `not_found` */
export async function findAgent(id: string, session: StoredSession, { store }: Context): Promise<Agent> {
  const found = await store.conversations.findAgent(session, subagentId(id))
  if (found !== undefined) return found
  throw new AppError('not_found', `Session ${session.id} has no sub-agent ${id}.`, {
    hint: `Run \`lode subagent list --session ${session.id}\` to see all of them.`,
  })
}

type Scope = readonly [session: string, subagent: string, isFlat: boolean]

async function beginOf(
  query: QueryOf<typeof sessions.conversation>,
  scope: Scope,
  session: StoredSession,
  agent: Agent | null,
  limit: number,
  context: Context,
): Promise<LinePosition | undefined> {
  if (query.cursor !== undefined) {
    if (query.from !== undefined) throw new AppError('invalid', 'Pass either `cursor` or `from`, not both.')
    return decodeCursor(query.cursor, scope)
  }
  if (query.from === undefined) return undefined
  const start = await parseStart(query.from, session, agent?.key ?? null, context)
  const place = await findStart(context.store.conversations, session, agent?.key ?? null, start, limit)
  if (place !== null) return place
  const count = await context.store.conversations.countTurns(session.key, agent?.key ?? null)
  throw new AppError('not_found', `There is no turn ${query.from}: the conversation has ${count}.`)
}

export async function parseStart(
  from: string,
  session: StoredSession,
  node: SubagentKey | null,
  { store }: Context,
): Promise<PageStart> {
  if (from === 'start' || from === 'end') return { kind: from }
  if (/^\d{1,9}$/.test(from)) return { kind: 'turn', number: Number(from) }
  const at = /^\d{4}-\d\d-\d\d/.test(from) ? Date.parse(from) : Number.NaN
  if (!Number.isNaN(at)) return { kind: 'time', at }
  const line = await store.conversations.findLine(session.key, eventId(from.toLowerCase()))
  if (line === undefined) {
    throw new AppError('invalid', `A conversation can't be read from '${from}'.`, {
      hint: 'Use the number of a turn, a time such as 2026-01-31T12:00:00Z, an event ID, start or end.',
    })
  }
  if (line.node !== node) {
    throw new AppError('invalid', `Event ${from} is not in this conversation.`, {
      hint:
        line.node === null
          ? 'It belongs to the main thread.'
          : 'It belongs to another agent, which `lode event show` shows.',
    })
  }
  return { kind: 'line', position: line.position }
}

/** Base64url of JSON: whose conversation, and the first line of the next page. */
function encodeCursor(scope: Scope, { at, key }: LinePosition): string {
  return Buffer.from(JSON.stringify([...scope, at, key])).toString('base64url')
}

function decodeCursor(cursor: string, scope: Scope): LinePosition {
  const parts = parsed(cursor)
  const [at, key] = Array.isArray(parts) ? parts.slice(scope.length) : []
  const isOurs = Array.isArray(parts) && scope.every((part, i) => parts[i] === part)
  if (!isOurs || !Number.isSafeInteger(at) || !Number.isSafeInteger(key)) {
    throw new AppError('invalid', 'This cursor does not belong to this conversation.', {
      hint: 'Omit it to read from the beginning.',
    })
  }
  return { at, key }
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return undefined
  }
}

function presentPage({ next, ...page }: ReadPage, scope: Scope): ConversationPage {
  return { ...page, nextCursor: next === null ? null : encodeCursor(scope, next) }
}

/** The agents that a flat page names. */
async function nodesOf({ turns }: ReadPage, session: StoredSession, { store }: Context) {
  const ids = new Set(turns.flatMap((turn) => turn.items.flatMap((item) => item.subagentId ?? [])))
  const agents = await Promise.all([...ids].map((id) => store.conversations.findAgent(session, id)))
  const nodes = await store.conversations.nodes(agents.flatMap((agent) => agent?.key ?? []))
  return [...nodes.values()]
}

/** Lines of more bytes than this keep their cut text. */
const MAX_LINE_BYTES = 8 * 1_024 * 1_024

export function wholeTexts(context: Context): WholeTextReader {
  return {
    readLine: (session, id) => readLine(session, id, { maxBytes: MAX_LINE_BYTES }, context),
    textOf: (agent, line) => context.services.agentLines.textOf(agent, line),
  }
}

export const showTimeline = handle(sessions.timeline, async ({ params, query }, context) => {
  const session = await getSession(params.id, context)
  const askingTools = await context.services.agentLines.askingTools(session.agent)
  const options = { limit: query.limit ?? DEFAULT_LANES, askingTools }
  const timeline = await readTimeline(context.store.conversations, session, options)
  return { session: await presentSession(session, context), ...timeline }
})

export const showDiff = handle(sessions.diff, async ({ params, query }, context) => {
  const [a, b] = [await getSession(params.id, context), await getSession(params.other, context)]
  if (a.key === b.key) {
    throw new AppError('invalid', `Both are session ${a.id}.`, { hint: 'Give two sessions: one and its fork.' })
  }
  const { relation, origin, shared, alone } = await diffSessions(
    context.store.conversations,
    a,
    b,
    query.limit ?? DEFAULT_TURNS,
  )
  const [first, second] = alone
  const shown = await presentSessions([a, b], context)
  const side = (session: StoredSession, at: 0 | 1, { lineCount, page }: (typeof alone)[number]) => ({
    session: shown[at] as Session,
    lineCount,
    ...presentPage(page, [session.id, '', false]),
  })
  return { relation, origin, shared, first: side(a, 0, first), second: side(b, 1, second) }
})
