import { AppError } from '../domain/errors'
import type { Context } from './context'
import type { IssueWork, ShownIssue } from './views/issue-views'

/** To-dos that are read. */
const TODOS = 1_000

/** What the session is at that holds the issue, or that serves it; `null` when none is known, or the record has none of it. */
export async function workOn(context: Context, issue: ShownIssue): Promise<IssueWork | null> {
  const id = issue.claim?.sessionId ?? issue.activeTaskSession
  if (id === null) return null
  const client = await context.client()
  try {
    const [{ session }, { todos }] = await Promise.all([
      client.sessions.get(id),
      client.todos.list({ sessionId: id, limit: TODOS }),
    ])
    return {
      sessionId: session.id,
      status: session.status,
      startedAt: session.startedAt,
      lastEventAt: session.lastEventAt,
      completed: todos.filter(({ status }) => status === 'completed').length,
      inProgress: todos.filter(({ status }) => status === 'in_progress').length,
      total: todos.length,
      todos,
    }
  } catch (thrown) {
    // A session that was never recorded here, or that a run's token may not see.
    if (thrown instanceof AppError && (thrown.code === 'not_found' || thrown.code === 'forbidden')) return null
    throw thrown
  }
}
