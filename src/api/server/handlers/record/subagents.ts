import { AppError } from '../../../../domain/errors'
import { subagentId } from '../../../../domain/ids'
import type { Subagent } from '../../../../domain/session/session'
import { subagents } from '../../../contract/operations/subagents'
import { DEFAULT_PAGE_LIMIT } from '../../../contract/protocol'
import { catchUp, resolveSessionId } from '../../find/find-session'
import { handle } from '../../handler'
import { pageOf } from '../../page-of'

export const listSubagents = handle(subagents.list, async ({ query }, context) => {
  const { sessionId, kinds = ['agent'], limit = DEFAULT_PAGE_LIMIT, cursor } = query
  const session = await resolveSessionId(sessionId, context)
  const rows = await context.store.subagents.list(session, { kinds })
  const page = pageOf(rows, (row) => row.id, { limit, cursor })
  return { subagents: page.rows, nextCursor: page.nextCursor }
})

export const showSubagent = handle(subagents.get, async ({ params, query }, context) => {
  if (query.sessionId === undefined) await catchUp(null, context)
  const session = query.sessionId === undefined ? undefined : await resolveSessionId(query.sessionId, context)
  const found = (await context.store.subagents.find(subagentId(params.id))).filter(
    (one) => session === undefined || one.sessionId === session,
  )
  const [only] = found
  if (only === undefined)
    throw new AppError(
      'not_found',
      `No sub-agent ${params.id} is recorded${session === undefined ? '' : ` in ${session}`}.`,
    )
  if (found.length > 1) throw ambiguous(params.id, found)
  return { subagent: only, runs: await context.store.runs.ofSubagent(only.sessionId, only.id) }
})

function ambiguous(id: string, found: Subagent[]): AppError {
  return new AppError('conflict', `${found.length} sessions have a sub-agent ${id}.`, {
    hint: 'Give the session too (`sessionId`, `--session`).',
    details: {
      candidates: found.map(({ sessionId, type, description, startedAt }) => ({
        sessionId,
        type,
        description,
        startedAt,
      })),
    },
  })
}
