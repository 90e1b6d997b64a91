import { AppError } from '../../domain/errors'
import type { Store } from '../../domain/store'
import { type SavedView, VIEW_LIMITS, type ViewList } from '../../domain/view/saved-view'

/** The use cases that write saved views. Each person writes only their own. */
export interface ViewService {
  /** Saves it in the place of that person's view of the same name. @throws `too_large` that person has too many */
  save(view: SavedView): Promise<void>
  /** @throws `not_found` that person has none of this name */
  remove(owner: string, list: ViewList, name: string): Promise<void>
}

/** The service over a store. It holds no state: several may run over one database. */
export const createViewService = ({ store }: { store: Pick<Store, 'write'> }): ViewService => ({
  save: (view) =>
    store.write(async (tx) => {
      await tx.views.put(view)
      if ((await tx.views.count(view.owner)) > VIEW_LIMITS.perPerson)
        throw new AppError('too_large', `A person saves at most ${VIEW_LIMITS.perPerson} views.`, {
          hint: 'Remove one that is not used any more.',
        })
      await tx.appendFeed('view.updated', null, { list: view.list })
    }),
  remove: (owner, list, name) =>
    store.write(async (tx) => {
      if (!(await tx.views.remove(owner, list, name)))
        throw new AppError('not_found', `You have no view of ${list} with this name.`, {
          hint: 'A view that somebody else shares is removed by that person.',
        })
      await tx.appendFeed('view.updated', null, { list })
    }),
})
