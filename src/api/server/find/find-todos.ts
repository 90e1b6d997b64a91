import { callerName, kindOf } from '../../../domain/access/caller-kind'
import { AppError } from '../../../domain/errors'
import { type SessionId, sessionId } from '../../../domain/ids'
import type { Caller } from '../../../domain/task/worker-protocol'
import type { TodoView } from '../../../domain/todo/todo-store'
import { resolveIssue } from '../../../engine/issues/find-issue'
import { realProjectOf } from '../../../util/git/git-project'
import type { Operation } from '../../contract/operation'
import { requireFor } from '../callers/authorize'
import type { Context } from '../context'
import { catchUp, getSession, noSession } from './find-session'

/** Length of a uuid: what is shorter can be the beginning of one. */
const WHOLE_ID = 36

/** How to-dos are looked at now. */
export const todoView = ({ now, services }: Context): TodoView => ({
  now: now(),
  linkFrom: services.recalls.linkFrom,
})

/** The conversation of a run; `null` while it has none. */
export async function ownSession(caller: Caller & { kind: 'attempt' }, { store }: Context): Promise<SessionId | null> {
  return (await store.tasks.placeOfAttempt(caller.attemptId))?.sessionId ?? null
}

/**
 * The session that a request about to-dos names. One that begins now is not recorded yet: a whole id is taken as it is.
 *
 * @throws `not_found` `conflict` · `forbidden` a run names another session than its own
 */
export async function namedSession(
  operation: Operation,
  given: string,
  caller: Caller,
  context: Context,
): Promise<SessionId> {
  const id = await anySession(given, context)
  await requireFor(operation, caller, id, context)
  return id
}

async function anySession(given: string, context: Context): Promise<SessionId> {
  await catchUp(given, context)
  const { sessions } = context.store
  if ((await sessions.find(sessionId(given))) !== undefined) return sessionId(given)
  if (given.length < WHOLE_ID) return (await getSession(given, context)).id
  if (await sessions.isTombstoned('session', given)) throw await noSession(given, context)
  return sessionId(given)
}

export interface TodoScope {
  sessionId?: string | undefined
  issue?: string | undefined
  dir?: string | undefined
}

/** The sessions that a list of to-dos is about: `undefined` = all, or those of `project`. */
export async function scopeOfTodos(
  operation: Operation,
  { sessionId: named, issue, dir }: TodoScope,
  caller: Caller,
  context: Context,
): Promise<{ sessions?: SessionId[]; project?: string }> {
  if (named !== undefined) return { sessions: [await namedSession(operation, named, caller, context)] }
  await catchUp(null, context)
  if (issue !== undefined) {
    const { tracker } = await context.services.issues.resolveScope(caller, { dir })
    const found = await resolveIssue(context.store, tracker, issue)
    const { linkFrom } = context.services.recalls
    const { sessions } = await context.store.links.ofIssue(found.tracker, found.id, linkFrom)
    return { sessions: sessions.map((one) => one.sessionId) }
  }
  if (caller.kind === 'attempt') {
    const own = await ownSession(caller, context)
    return { sessions: own === null ? [] : [own] }
  }
  if (caller.kind === 'agent' && operation.access !== 'public' && operation.access[kindOf(caller)] !== 'any')
    throw new AppError('forbidden', `${callerName(caller)} may read only to-dos of a session that it names.`, {
      hint: 'Give the session, or the issue that it works on.',
    })
  return dir === undefined ? {} : { project: realProjectOf(dir).root }
}
