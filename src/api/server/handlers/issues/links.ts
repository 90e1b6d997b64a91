import type { SessionTodos } from '../../../../domain/session/session-issue'
import { resolveIssue } from '../../../../engine/issues/find-issue'
import { links } from '../../../contract/operations/todos'
import { namedSession, todoView } from '../../find/find-todos'
import { handle } from '../../handler'
import { enter, shownIssue } from './issues'

export const sessionIssues = handle(links.ofSession, async ({ params, caller }, context) => {
  const id = await namedSession(links.ofSession, params.id, caller, context)
  const { issues, suggestion } = await context.store.todos.ofSession(id, todoView(context))
  return { issues, suggestion }
})

export const linkIssue = handle(links.link, async ({ params, body, caller }, context) => {
  const session = await namedSession(links.link, params.id, caller, context)
  const { tracker, issueId, isNew, notices } = await context.services.todos.link(caller, body, session, params.issue)
  return { issue: await shownIssue(tracker, issueId, context), isNew, notices }
})

export const unlinkIssue = handle(links.unlink, async ({ params, query, caller }, context) => {
  const session = await namedSession(links.unlink, params.id, caller, context)
  return await context.services.todos.unlink(caller, query, session, params.issue)
})

export const unlinkIssues = handle(links.unlinkAll, async ({ params, query, caller }, context) => {
  const session = await namedSession(links.unlinkAll, params.id, caller, context)
  return await context.services.todos.unlink(caller, query, session, null)
})

export const sawIssue = handle(links.saw, async ({ params, body, caller }, context) => {
  const session = await namedSession(links.saw, params.id, caller, context)
  return await context.services.todos.saw(caller, body, session, params.issue)
})

export const issueSessions = handle(links.ofIssue, async ({ params, query, caller }, context) => {
  const { store, services } = context
  const { tracker } = await enter(caller, query, context)
  const issue = await resolveIssue(store, tracker, params.id)
  const { sessions, isTruncated } = await store.links.ofIssue(issue.tracker, issue.id, services.recalls.linkFrom)
  const view = todoView(context)
  const shown = []
  for (const { sessionId, evidence } of sessions) {
    const list = await store.todos.ofSession(sessionId, view)
    shown.push({
      session: {
        id: list.sessionId,
        status: list.status,
        statusEvidence: list.statusEvidence,
        title: list.title,
        agent: list.agent,
        startedAt: list.startedAt,
        lastEventAt: list.lastEventAt,
      },
      evidence: evidence.map((one) => ({ ...one, at: new Date(one.at).toISOString() })),
      progress: list.progress,
      todos: list.todos,
    })
  }
  // Newest first they are already: those at work before those that are over.
  const [live, over] = [shown.filter(({ session }) => isLive(session)), shown.filter(({ session }) => !isLive(session))]
  return { sessions: [...live, ...over], isTruncated }
})

/** What nobody knows of may have just begun. */
const isLive = ({ status }: Pick<SessionTodos, 'status'>): boolean => status !== 'ended' && status !== 'lost'
