import { AppError } from '../../../../domain/errors'
import type { Caller } from '../../../../domain/task/worker-protocol'
import type { SavedView } from '../../../../domain/view/saved-view'
import { views } from '../../../contract/operations/views'
import { handle } from '../../handler'

const ownerOf = (caller: Caller): string => caller.user?.name ?? ''

const shown = (view: SavedView, caller: Caller) => ({
  ...view,
  owner: view.owner === '' ? null : view.owner,
  isOwn: view.owner === ownerOf(caller),
})

export const listViews = handle(views.list, async ({ caller, query }, { store }) => ({
  views: (await store.views.list(ownerOf(caller), query.list ?? null, query.project)).map((view) =>
    shown(view, caller),
  ),
}))

export const saveView = handle(views.save, async ({ caller, body }, { services, store }) => {
  const { project = null, isShared = project !== null, search, ...named } = body
  if (search !== '' && !search.startsWith('?'))
    throw new AppError('invalid', '`search` must be the search part of an address.', {
      hint: 'It begins with `?`, or is empty.',
    })
  if (project !== null && !isShared)
    throw new AppError('invalid', "A view of your own can't be of one project.", {
      hint: '`project` says where others see it: share it, or leave `project` out.',
    })
  const of = project === null ? null : await store.views.projectOf(project)
  const view = { ...named, search, isShared, project: of, owner: ownerOf(caller) }
  await services.views.save(view)
  return { view: shown(view, caller) }
})

export const removeView = handle(views.remove, async ({ caller, body: { list, name } }, { services }) => {
  await services.views.remove(ownerOf(caller), list, name)
  return { list, name }
})
