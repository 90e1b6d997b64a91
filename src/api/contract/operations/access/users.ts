/** People who were added, with the roles that say what each may do. */
import { USER_LIMITS, USER_ROLES } from '../../../../domain/user/user'
import { OPERATOR } from '../../callers'
import { type Fields, json, noun } from '../../operation'

/** A person's name as it is typed; more than a name may have is refused by the use case, which says so. */
const named = (f: Fields) => f.strictObject({ name: f.text(20 * USER_LIMITS.name) })

export const users = noun('users', {
  list: {
    method: 'GET',
    path: '/api/users',
    access: OPERATOR,
    summary: 'List the people who were added, by name',
    answer: json((schemas) => schemas.UserList),
  },
  add: {
    method: 'POST',
    path: '/api/users',
    access: OPERATOR,
    givesAccess: 'tracked',
    summary: 'Add a person with a role',
    body: (f) =>
      f.strictObject({
        name: f.text(20 * USER_LIMITS.name),
        role: f.enum(USER_ROLES),
        /** The e-mail address or the subject by which an OpenID provider knows the person. */
        login: f.optional(f.text(USER_LIMITS.login)),
      }),
    answer: json((schemas) => schemas.OneUser),
  },
  edit: {
    method: 'PATCH',
    path: '/api/users/:name',
    access: OPERATOR,
    givesAccess: 'tracked',
    summary: "Change a person's role or login; it holds from the next request on",
    params: named,
    ids: 'as given',
    body: (f) =>
      f.strictObject({
        role: f.optional(f.enum(USER_ROLES)),
        login: f.optional(f.nullable(f.text(USER_LIMITS.login))),
      }),
    answer: 'empty',
  },
  remove: {
    method: 'DELETE',
    path: '/api/users/:name',
    access: OPERATOR,
    givesAccess: 'tracked',
    summary: 'Remove a person and end all their access',
    params: named,
    ids: 'as given',
    answer: json((schemas) => schemas.RemovedUser),
  },
  code: {
    method: 'POST',
    path: '/api/users/:name/codes',
    access: OPERATOR,
    givesAccess: 'tracked',
    summary: 'Create a one-time login code for the browser of a person',
    params: named,
    ids: 'as given',
    answer: json((schemas) => schemas.LoginCode),
  },
})
