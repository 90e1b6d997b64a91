import { users } from '../../../contract/operations/access/users'
import { handle } from '../../handler'
import { LOGIN_PATH } from './login-path'

export const listUsers = handle(users.list, async (_call, { store }) => ({ users: await store.users.list() }))

export const addUser = handle(users.add, async ({ caller, body }, { services }) => ({
  user: await services.users.add(caller, body),
}))

export const editUser = handle(users.edit, async ({ caller, params, body, headers }, { services, who }) => {
  await services.users.edit(caller, params.name, body)
  who.lookAgain()
  return new Response(null, { status: 204, headers })
})

export const removeUser = handle(users.remove, async ({ caller, params }, { services, who }) => {
  const removed = await services.users.remove(caller, params.name)
  who.lookAgain()
  return removed
})

export const makeUserCode = handle(users.code, async ({ caller, params }, { services, access }) => {
  const { code, expiresAt } = await services.users.makeCode(caller, params.name)
  return { code, path: LOGIN_PATH, url: access.kind === 'network' ? (access.publicUrl?.() ?? null) : null, expiresAt }
})
