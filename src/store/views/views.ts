import type { SavedView, ViewReads, ViewTx } from '../../domain/view/saved-view'
import type { Driver } from '../sql/program'
import type { ReadContext } from '../sql/read-context'
import { statement } from '../sql/statement'
import { findProject, readProjects } from '../tree-levels/projects'

export function viewReads(context: ReadContext): ViewReads {
  const { db } = context
  return {
    async list(owner, list, project) {
      let query = db
        .selectFrom('saved_views')
        .selectAll()
        .where((eb) => eb.or([eb('owner', '=', owner), eb('is_shared', '=', 1)]))
        .orderBy('name')
        .orderBy('owner')
      if (list !== null) query = query.where('list', '=', list)
      const views = (await query.execute()).map(({ is_shared, ...view }) => ({
        ...view,
        isShared: Number(is_shared) === 1,
      }))
      const isHere = await whereLookedAt(context, project)
      return views.filter((view) => view.owner === owner || view.project === null || isHere(view.project))
    },
    async projectOf(given) {
      return findProject(await readProjects(context), given)?.root ?? given
    },
  }
}

/** Whether a view of a project belongs to the one that is looked at: another clone of its remote is the same project. */
async function whereLookedAt(context: ReadContext, project: string | undefined): Promise<(own: string) => boolean> {
  if (project === undefined) return () => false
  const projects = await readProjects(context)
  const keyOf = (given: string) => findProject(projects, given)?.key ?? given
  const wanted = keyOf(project)
  return (own) => keyOf(own) === wanted
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
      project: param('project'),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['owner', 'list', 'name'])
        .doUpdateSet({ search: param('search'), is_shared: param('isShared'), project: param('project') }),
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
