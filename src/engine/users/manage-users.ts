import { AppError } from '../../domain/errors'
import {
  foldLogin,
  foldName,
  type NameProblem,
  nameForm,
  nameProblem,
  USER_LIMITS,
  type User,
  type UserRole,
} from '../../domain/user/user'
import type { UserRow } from '../../domain/user/user-store'
import { recordAct } from '../audit/record-act'
import { endTokens } from '../tokens/end-tokens'
import { presentUser } from '../tokens/find-user'
import { mayGiveAccess, type TokenUnit } from '../tokens/token-unit'
import { quoted } from '../unit/find-task'
import { nameOf } from '../unit/unit'

export interface NewUserInput {
  name: string
  role: UserRole
  /** A verified e-mail address or a subject, as the OpenID provider gives it. */
  login?: string | null | undefined
}

export interface EditUserInput {
  role?: UserRole | undefined
  /** `null`: nobody comes in by a provider's login as this person any more. */
  login?: string | null | undefined
}

/**
 * Adds a person. A name is one person's for ever: what is written under it stays that person's.
 *
 * @throws `forbidden` `invalid` `too_large` · `conflict` somebody has or had the name, or has the login
 */
export async function addUser(unit: TokenUnit, input: NewUserInput): Promise<User> {
  await mayGiveAccess(unit)
  const name = checkName(input.name)
  await checkIsFree(unit, name)
  const login = await checkLogin(unit, input.login ?? null)
  if ((await unit.users.countPresent()) >= USER_LIMITS.present)
    throw new AppError('too_large', `There are already ${USER_LIMITS.present} people, the maximum.`, {
      hint: "Remove some with 'lode user remove NAME'.",
      details: { limit: USER_LIMITS.present, unit: 'people' },
    })
  const { role } = input
  const addedBy = nameOf(unit.caller)
  await unit.users.insert({ name, fold: foldName(name), role, login, addedBy, createdAt: unit.now })
  await publish(unit, name, 'added')
  await recordAct(unit, 'user.add', { target: name, detail: { role, login } })
  return { name, role, login, addedBy, createdAt: new Date(unit.now).toISOString(), lastUsedAt: null }
}

/**
 * Changes what a person may do, from the next request on. What somebody gave as an admin ends when that role does.
 *
 * @throws `forbidden` `invalid` `not_found` · `conflict` somebody else has the login
 */
export async function editUser(unit: TokenUnit, typed: string, input: EditUserInput): Promise<void> {
  await mayGiveAccess(unit)
  const user = await presentUser(unit, typed)
  const role = input.role ?? user.role
  const login = input.login === undefined ? user.login : await checkLogin(unit, input.login, user)
  if (role === user.role && login === user.login) return
  await unit.users.update(user.key, { role, login })
  const isOwn = ({ userKey }: { userKey: UserRow['key'] | null }) => userKey === user.key
  if (user.role === 'admin' && role !== 'admin') await endTokens(unit, isOwn, isOwn)
  // Browsers that came in by the former login are logged out; the new one's holder logs in again.
  if (login !== user.login) await endTokens(unit, (token) => isOwn(token) && token.purpose === 'browser')
  await publish(unit, user.name, 'edited')
  await recordAct(unit, 'user.edit', { target: user.name, detail: { role, login, roleBefore: user.role } })
}

/** Ends all access of a person, and what the person gave others. @throws `forbidden` `not_found` */
export async function removeUser(unit: TokenUnit, typed: string): Promise<{ name: string }> {
  await mayGiveAccess(unit)
  const user = await presentUser(unit, typed)
  await unit.users.update(user.key, { removedAt: unit.now, login: null })
  await endTokens(unit, ({ userKey }) => userKey === user.key)
  await publish(unit, user.name, 'removed')
  await recordAct(unit, 'user.remove', { target: user.name })
  return { name: user.name }
}

const publish = (unit: TokenUnit, user: string, what: 'added' | 'edited' | 'removed') =>
  unit.feed('user.updated', { user, what, by: nameOf(unit.caller) })

const PROBLEMS: Readonly<Record<NameProblem, (name: string) => string>> = {
  empty: () => 'The name is empty',
  signs: (name) => `${name} can't be a name`,
  taken: (name) => `${name} stands for somebody else already`,
}

/** @throws `invalid` `too_large` */
function checkName(typed: string): string {
  const name = nameForm(typed)
  if (name.length > USER_LIMITS.name)
    throw new AppError('too_large', `The name has more than ${USER_LIMITS.name} characters.`)
  const problem = nameProblem(name)
  if (problem === null) return name
  throw new AppError('invalid', `${PROBLEMS[problem](quoted(name))}.`, {
    hint: "Begin with a letter or a digit. Use letters, digits, spaces and . ' @ + _ - and no word such as operator, nor the form of an ID.",
    details: { field: 'name' },
  })
}

/** @throws `conflict` */
async function checkIsFree(unit: TokenUnit, name: string): Promise<void> {
  const other = await unit.users.byFold(foldName(name))
  if (other !== undefined && other.removedAt === null)
    throw new AppError('conflict', `${other.name} is there already.`, {
      hint: "Choose another name, or change the role with 'lode user edit'.",
    })
  if (other !== undefined)
    throw new AppError('conflict', `${other.name} was the name of a person who was removed.`, {
      hint: `What that person did stays under this name. Choose another one, such as ${quoted(`${name} 2`)}.`,
    })
  if ((await unit.tasks.agentByName(name)) !== undefined)
    throw new AppError('conflict', `${quoted(name)} is the name of an agent.`, { hint: 'Choose another name.' })
}

/** @throws `invalid` `too_large` `conflict` */
async function checkLogin(unit: TokenUnit, typed: string | null, own?: UserRow): Promise<string | null> {
  if (typed === null) return null
  const login = foldLogin(typed.trim())
  if (login.length > USER_LIMITS.login)
    throw new AppError('too_large', `The login has more than ${USER_LIMITS.login} characters.`)
  if (!/^[\x21-\x7e]+$/.test(login))
    throw new AppError('invalid', 'A login must be an e-mail address or a subject, of printable ASCII characters.', {
      details: { field: 'login' },
    })
  const other = await unit.users.byLogin(login)
  if (other === undefined || other.key === own?.key) return login
  throw new AppError('conflict', `${other.name} logs in as ${quoted(login)} already.`)
}
