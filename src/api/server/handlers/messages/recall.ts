import { AppError } from '../../../../domain/errors'
import { type IssueId, issueId, type SessionId, sessionId } from '../../../../domain/ids'
import { branchWords } from '../../../../domain/issue/issue-mention'
import type { Caller } from '../../../../domain/task/worker-protocol'
import { composeHandoff } from '../../../../engine/recall/handoff'
import { sessionRecall } from '../../../../engine/recall/session-recall'
import { branchOf } from '../../../../util/git/git-branch'
import { realProjectOf } from '../../../../util/git/git-project'
import * as operations from '../../../contract/operations/recall'
import type { Context } from '../../context'
import { catchUp, resolveSessionId } from '../../find/find-session'
import { getTask } from '../../find/find-task'
import { handle } from '../../handler'

const TEXT_TYPE = 'text/plain; charset=utf-8'
/** Length of a uuid: what is shorter can be the beginning of one. */
const WHOLE_ID = 36

/** Gives the reminder for the agent of a session at a moment; an empty text when there is none. */
export const recall = handle(operations.recall, async ({ body, headers }, context) => {
  const { moment, folder, origin, subagentId, issueId: named, isLook } = body
  const { handoffs, recalls } = context.services
  const { notified, linkFrom, hidesTodos } = recalls
  const text = await sessionRecall(
    context.store.recall,
    { handoffs, notified },
    {
      moment,
      sessionId: body.sessionId === undefined ? null : await nameSession(body.sessionId, context),
      origin: origin === undefined ? null : await nameSession(origin, context),
      ...(subagentId !== undefined && { subagent: subagentId }),
      folder: realProjectOf(folder).root,
      named: named ?? null,
      // A folder of another host has no branch here.
      links: { linkFrom, branchWords: branchWords(branchOf(folder) ?? '') },
      isLook: isLook === true,
      hidesTodos,
    },
  )
  return new Response(text, { headers: { ...headers, 'content-type': TEXT_TYPE } })
})

/** A session that begins now is not recorded yet: a whole id is taken as it is. */
async function nameSession(given: string, context: Context): Promise<SessionId> {
  if (given.length < WHOLE_ID) return await resolveSessionId(given, context)
  await catchUp(given, context)
  return sessionId(given)
}

export const createHandoff = handle(operations.handoffs.create, async ({ caller, body }, context) => {
  const { folder, to, note, goal, state, evidence, next } = body
  const { store, services, now } = context
  const place = realProjectOf(folder).root
  const session = await writerOf(caller, body.sessionId, context)
  const facts = session === null ? undefined : await store.recall.session(session)
  const { linkFrom } = services.recalls
  const issue = await store.recall.issue(place, session, to === undefined || to === LINKED ? null : issueId(to), {
    linkFrom,
  })
  const target = to === undefined ? null : await targetOf(to, place, issue?.id ?? null, context)
  const handoff = await services.handoffs.write(
    composeHandoff(
      facts ?? null,
      issue ?? null,
      { note, goal, state, evidence, next },
      {
        folder: place,
        to: target,
        at: new Date(now()).toISOString(),
      },
    ),
  )
  return { handoff }
})

export const listHandoffs = handle(operations.handoffs.list, async ({ query }, { services }) => {
  const folder = query.folder === undefined ? undefined : realProjectOf(query.folder).root
  const all = await services.handoffs.list(query.limit ?? 50)
  return { handoffs: folder === undefined ? all : all.filter((handoff) => handoff.folder === folder) }
})

/** A word that is no issue's id. */
const LINKED = 'linked'

/** A run writes for its own conversation, whatever it names. */
async function writerOf(caller: Caller, given: string | undefined, context: Context): Promise<SessionId | null> {
  if (caller.kind === 'attempt') return (await getTask(caller.taskId, context)).claudeSessionId
  return given === undefined ? null : await resolveSessionId(given, context)
}

async function targetOf(to: string, place: string, linked: IssueId | null, { store }: Context): Promise<IssueId> {
  if (to === LINKED) {
    if (linked !== null) return linked
    throw new AppError('not_found', 'The session is not linked to an issue.', {
      hint: 'Give the issue: lode handoff --to ID.',
    })
  }
  const issue = await store.recall.issue(place, null, issueId(to))
  if (issue === undefined)
    throw new AppError('not_found', `There is no issue ${to}.`, { hint: 'Run `lode issue list` to see all issues.' })
  return issue.id
}
