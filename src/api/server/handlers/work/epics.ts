import { AppError } from '../../../../domain/errors'
import { issueId } from '../../../../domain/ids'
import type { Issue } from '../../../../domain/task/task'
import { epics } from '../../../contract/operations/epics'
import { DEFAULT_PAGE_LIMIT } from '../../../contract/protocol'
import type { Context } from '../../context'
import { handle } from '../../handler'
import { idempotencyKey } from '../../request/idempotency-key'

export const createEpic = handle(epics.create, async ({ caller, body, request }, { services }) => ({
  epic: await services.tasks.createEpic(caller, body, idempotencyKey(request)),
}))

export const listEpics = handle(epics.list, async ({ query }, context) => {
  const { limit = DEFAULT_PAGE_LIMIT, cursor } = query
  const request = { limit, ...(cursor !== undefined && { cursor }) }
  const page = await context.store.tasks.issues({ type: 'epic' }, request)
  return {
    epics: await Promise.all(page.rows.map((epic) => withCounts(epic, context))),
    nextCursor: page.nextCursor,
  }
})

export const showEpic = handle(epics.get, async ({ params }, context) => {
  const epic = await context.store.tasks.findIssue(issueId(params.id))
  if (epic === undefined || epic.type !== 'epic') {
    throw new AppError('not_found', `There is no epic ${params.id}.`, {
      hint: 'Run `lode epic list` to see all epics.',
    })
  }
  return withCounts(epic, context)
})

async function withCounts(epic: Issue, { store }: Context) {
  return { epic, counts: await store.tasks.epicCounts(epic.id) }
}

export const createInEpic = handle(epics.createTask, ({ caller, params, body, request }, { services }) =>
  services.tasks.createInEpic(caller, issueId(params.id), body, idempotencyKey(request)),
)
