/** Lists as people saved them. Everybody sees their own, and what others share. */
import { VIEW_LIMITS, VIEW_LISTS } from '../../../domain/view/saved-view'
import { APPROVERS, LEADS } from '../callers'
import { type Fields, json, noun } from '../operation'

const named = (f: Fields) => ({
  list: f.enum(VIEW_LISTS),
  name: f.text(VIEW_LIMITS.name).check(f.minLength(1)),
})

export const views = noun('views', {
  list: {
    method: 'GET',
    path: '/api/views',
    access: LEADS,
    summary: "List your saved views and those that others share, by the list's name",
    query: (f) =>
      f.strictObject({
        list: f.optional(f.enum(VIEW_LISTS)),
        /** A project that is looked at, as a folder, name or key: views that are shared with it are listed too. */
        project: f.optional(f.text(VIEW_LIMITS.project)),
      }),
    answer: json((schemas) => schemas.SavedViewList),
  },
  save: {
    method: 'PUT',
    path: '/api/views',
    access: APPROVERS,
    summary: 'Save the filters and the order of a list under a name; the same name again replaces it',
    body: (f) =>
      f.strictObject({
        ...named(f),
        /** The search part of the address of the list's page, with its `?`; empty = as it opens. */
        search: f.words(VIEW_LIMITS.search),
        /** Show it to everybody with access to this server. */
        isShared: f.optional(f.boolean()),
        /** Show it to others only where they look at this project: a folder, name or key. It is shared then. */
        project: f.optional(f.nullable(f.text(VIEW_LIMITS.project).check(f.minLength(1)))),
      }),
    answer: json((schemas) => schemas.OneSavedView),
  },
  remove: {
    method: 'POST',
    path: '/api/views/remove',
    access: APPROVERS,
    summary: 'Remove a saved view of your own',
    body: (f) => f.strictObject(named(f)),
    answer: json((schemas) => schemas.RemovedView),
  },
})
