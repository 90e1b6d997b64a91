import { AppError } from '../../domain/errors'

/** PostgreSQL cuts names at 63 bytes. */
const NAME = /^[a-z][a-z0-9_]{0,39}$/
const PREFIX = 'lodeline_'

/** The database of a workspace, and the role that alone uses it. Needs no quotes. @throws `invalid` no name of a workspace */
export function databaseOf(name: string): string {
  if (!NAME.test(name))
    throw new AppError('invalid', `'${name.slice(0, 60)}' can't be the name of a workspace.`, {
      hint: 'Use up to 40 small letters, digits and _, and a letter first.',
    })
  return PREFIX + name
}

/** The workspace of a database; `null` = by its name it is none's. */
export function workspaceOf(database: string): string | null {
  const name = database.startsWith(PREFIX) ? database.slice(PREFIX.length) : ''
  return NAME.test(name) ? name : null
}
