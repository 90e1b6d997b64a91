import { AppError } from '../../domain/errors'
import { foldName } from '../../domain/user/user'
import type { UserRow } from '../../domain/user/user-store'
import { quoted } from '../unit/find-task'
import type { TokenUnit } from './token-unit'

/** The person of this name. @throws `not_found` there is none, or none any more */
export async function presentUser(unit: TokenUnit, name: string): Promise<UserRow> {
  const user = await unit.users.byFold(foldName(name))
  if (user !== undefined && user.removedAt === null) return user
  throw new AppError('not_found', `There is no person ${quoted(name)}.`, {
    hint: "Run 'lode user list' to see all people. Add one with 'lode user add NAME --role ROLE'.",
  })
}
