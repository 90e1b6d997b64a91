import { AppError } from '../../../domain/errors'
import { readTreeId } from '../../../domain/tree-id'
import { DEFAULT_PAGE_LIMIT } from '../../contract/routes'
import { catchUp } from '../find-session'
import { settle } from '../find-task'
import type { Handler } from '../handler'

export const treeLevel: Handler<'tree.level'> = async ({ query }, context) => {
  const { under, status, q, since, limit = DEFAULT_PAGE_LIMIT, cursor } = query
  const place = under === undefined ? null : readTreeId(under)
  if (place === undefined) throw noEntry(under)
  await settle(context)
  await catchUp(place !== null && 'sessionId' in place ? place.sessionId : null, context)
  const level = await context.store.tree.level({
    under: place,
    limit,
    now: context.now(),
    ...(cursor !== undefined && { cursor }),
    ...(status !== undefined && status.length > 0 && { statuses: [...new Set(status)].sort() }),
    ...(q !== undefined && { q }),
    ...(since !== undefined && { since: Date.parse(since) }),
  })
  if (level === undefined) throw noEntry(under)
  return level
}

const noEntry = (id: string | undefined): AppError =>
  new AppError('not_found', `the tree has no entry ${id}`, {
    hint: 'take `id` of an entry of another level, or leave `under` out for the projects',
  })
