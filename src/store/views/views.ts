import type { SavedView, ViewReads, ViewTx } from '../../domain/view/saved-view'
import type { Driver } from '../sql/program'
import type { ReadContext } from '../sql/read-context'
import { statement } from '../sql/statement'

export function viewReads({ db }: ReadContext): ViewReads {
  return {
    async list(owner, list) {
      let query = db
        .selectFrom('saved_views')
        .selectAll()
        .where((eb) => eb.or([eb('owner', '=', owner), eb('is_shared', '=', 1)]))
        .orderBy('name')
        .orderBy('owner')
      if (list !== null) query = query.where('list', '=', list)
      return (await query.execute()).map(({ is_shared, ...view }) => ({ ...view, isShared: Number(is_shared) === 1 }))
    },
  }
}

/** The port over one connection. */
export const createViewTx = (driver: Driver): ViewTx => ({
  put: ({ isShared, ...view }) => driver.drive(PUT.run({ ...view, isShared: isShared ? 1 : 0 })),
  remove: (owner, list, name) =>
    driver.drive(
      (function* () {
        return (yield* REMOVE.changed({ owner, list, name })) > 0
      })(),
    ),
  count: (owner) =>
    driver.drive(
      (function* () {
        return (yield* COUNT.rows({ owner })).length
      })(),
    ),
})

const PUT = statement<Omit<SavedView, 'isShared'> & { isShared: number }>()((db, param) =>
  db
    .insertInto('saved_views')
    .values({
      owner: param('owner'),
      list: param('list'),
      name: param('name'),
      search: param('search'),
      is_shared: param('isShared'),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['owner', 'list', 'name'])
        .doUpdateSet({ search: param('search'), is_shared: param('isShared') }),
    ),
)
const REMOVE = statement<Pick<SavedView, 'owner' | 'list' | 'name'>>()((db, param) =>
  db
    .deleteFrom('saved_views')
    .where('owner', '=', param('owner'))
    .where('list', '=', param('list'))
    .where('name', '=', param('name')),
)
const COUNT = statement<Pick<SavedView, 'owner'>>()((db, param) =>
  db.selectFrom('saved_views').select('name').where('owner', '=', param('owner')),
)
