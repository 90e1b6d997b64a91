import { AppError } from '../../../../domain/errors'
import { eventId, type SessionId, sessionId, subagentId } from '../../../../domain/ids'
import type { StoredJournal } from '../../../../domain/record/journal-store'
import type { Subagent } from '../../../../domain/session/session'
import { parseSpan } from '../../../../domain/session/session-list'
import type { SessionFilter } from '../../../../domain/session/session-store'
import { firstAgents } from '../../../../domain/subagent/first-agents'
import { actorOf } from '../../../../engine/audit/record-act'
import type { QueryOf } from '../../../contract/operation'
import { sessions } from '../../../contract/operations/sessions'
import { DEFAULT_PAGE_LIMIT, MIN_ID_PREFIX } from '../../../contract/protocol'
import { requireFor } from '../../callers/authorize'
import type { Context } from '../../context'
import { checkAgentCli } from '../../find/find-agent-cli'
import { findPlace } from '../../find/find-place'
import { catchUp, getSession, noSession } from '../../find/find-session'
import { handle } from '../../handler'
import { presentSession, presentSessions, statusReader } from '../../present-session'
import { addressFacts } from '../messages/registry'
import { listByStatus } from './list-sessions'

export const listSessions = handle(sessions.list, async ({ query }, context) => {
  const { store } = context
  const { status, limit = DEFAULT_PAGE_LIMIT, cursor, sort = 'active', ascending = false, ...rest } = query
  await catchUp(null, context)
  const filter = await filterOf(rest, context)
  const order = { by: sort, isAscending: ascending }
  const read = await statusReader(context)
  const request = { limit, ...(cursor !== undefined && { cursor }) }
  const page =
    status === undefined
      ? await store.sessions.list(filter, request, order)
      : await listByStatus((page) => store.sessions.list(filter, page, order), status, request, read)
  return { sessions: await presentSessions(page.rows, context, read), nextCursor: page.nextCursor }
})

export const countSessions = handle(sessions.facets, async ({ query }, context) => {
  await catchUp(null, context)
  return await context.store.sessions.facets(await filterOf(query, context))
})

export const sessionOutcome = handle(sessions.outcome, async ({ caller, params }, context) => {
  const { id } = await getSession(params.id, context)
  await requireFor(sessions.outcome, caller, id, context)
  const outcome = await context.store.sessions.outcome(id)
  if (outcome === undefined) throw await noSession(id, context)
  return outcome
})

export const stepInSession = handle(sessions.step, async ({ params, query }, context) => {
  const { id } = await getSession(params.id, context)
  const { to, from, back = false, subagentId: agent } = query
  const request = {
    ...{ kind: to, isBack: back },
    from: from === undefined ? null : eventId(from.toLowerCase()),
    agent: agent === undefined ? null : subagentId(agent),
  }
  return { eventId: await context.store.sessions.step(id, request) }
})

/** What a request asks for, as the store takes it. */
async function filterOf(query: QueryOf<typeof sessions.facets>, context: Context): Promise<SessionFilter> {
  const { errors, cost, length, since, forkedFrom, under, text, ...facets } = query
  checkAgentCli(facets.agent, context)
  return {
    ...facets,
    ...(errors !== undefined && spanOf('errors', errors)),
    ...(cost !== undefined && spanOf('cost', cost)),
    ...(length !== undefined && spanOf('length', length)),
    ...(since !== undefined && { since: Date.parse(since) }),
    ...(under !== undefined && { under }),
    ...(text !== undefined && { text }),
    ...(forkedFrom !== undefined && { forkedFrom: await parentId(forkedFrom, context) }),
  }
}

/** The schema has checked that it is one. */
const spanOf = (name: 'errors' | 'cost' | 'length', text: string) => ({ [name]: parseSpan(text) ?? undefined })

/** A parent need not be recorded itself; what is no unique beginning of a recorded id is taken as it stands. */
async function parentId(given: string, { store }: Context): Promise<SessionId> {
  const matches = given.length < MIN_ID_PREFIX ? [] : await store.sessions.matchPrefix(given)
  const [only] = matches
  return matches.length === 1 && only !== undefined ? only : sessionId(given)
}

/** One that is registered and not recorded has no `session`. */
export const showSession = handle(sessions.place, async ({ caller, params, query }, context) => {
  const place = await findPlace(params.id, context)
  const { session: stored } = place
  const { store } = context
  if (stored !== undefined) await requireFor(sessions.place, caller, stored.id, context)
  const facts = await addressFacts(place, context)
  if (stored === undefined)
    return { session: null, subagents: [], backgroundTasks: [], agentCount: 0, todos: [], ...facts }
  const [all, todos, session] = await Promise.all([
    store.subagents.list(stored.id),
    store.todos.list({ sessionId: stored.id }),
    presentSession(stored, context),
  ])
  const { agentLimit = all.length, withSubagent } = query
  const listed = firstAgents(all, agentLimit, withSubagent === undefined ? undefined : subagentId(withSubagent))
  const isAgent = (one: Subagent) => one.kind === 'agent'
  return {
    session,
    subagents: listed.filter(isAgent),
    backgroundTasks: listed.filter((one) => !isAgent(one)),
    agentCount: all.length,
    todos,
    ...facts,
  }
})

export const sessionTree = handle(sessions.tree, async ({ params }, context) => {
  const stored = await getSession(params.id, context)
  const tree = await context.store.subagents.tree(stored.id)
  if (tree === undefined) throw await noSession(stored.id, context)
  return { session: await presentSession(stored, context), tree }
})

export const sessionJournals = handle(sessions.journals, async ({ caller, params }, context) => {
  const { id } = await getSession(params.id, context)
  await requireFor(sessions.journals, caller, id, context)
  const journals = await context.store.journals.listBySession(id)
  return { sessionId: id, journals: journals.map(presentJournal) }
})

/** Without the database's keys, which mean nothing outside. */
function presentJournal({ kind, path, subagentId, incarnations }: StoredJournal) {
  return { kind, path, subagentId, incarnations: incarnations.map(({ id: _id, ...rest }) => rest) }
}

export const forgetSession = handle(sessions.forget, async ({ caller, params }, context) => {
  const { store, services } = context
  const stored = await store.sessions.find(sessionId(params.id))
  if (stored === undefined) {
    const matches = params.id.length < MIN_ID_PREFIX ? [] : await store.sessions.matchPrefix(params.id)
    if (matches.length === 0) throw await noSession(params.id, context)
    throw new AppError('invalid', 'Forgetting a session requires its full ID.', {
      hint: `Did you mean ${matches[0]}?`,
      details: { candidates: matches },
    })
  }
  const journals = await store.journals.listBySession(stored.id)
  const beside = await services.forget(stored.id, actorOf(caller))
  const bytes = journals.flatMap(({ incarnations }) => incarnations).reduce((sum, { size }) => sum + size, 0)
  return { sessionId: stored.id, journals: journals.length, bytes, ...beside }
})
