import { AppError } from '../domain/errors'
import { createTokenService } from '../engine/tokens/token-service'
import { openStore } from '../store/open'
import { type MadeWorkspace, PostgresWorkspaces } from '../store/workspaces/postgres-workspaces'
import { randomHex, sha256Hex } from '../util/crypto'
import { addressesOf } from '../util/net/database-url'

export type { Workspace } from '../store/workspaces/postgres-workspaces'

/** Names the database's administrator. An option would show the password to everybody on the machine. */
export const ADMIN_URL_VARIABLE = 'LODELINE_ADMIN_DATABASE_URL'
/** The holder of the first token, beside those that installations make for themselves. */
const FIRST_HOME = 'workspace'

/** The workspaces of the PostgreSQL server that the environment names. @throws `invalid` it names none */
export function openWorkspaces(env: Readonly<Record<string, string | undefined>>): PostgresWorkspaces {
  const url = env[ADMIN_URL_VARIABLE]
  if (url === undefined || url === '' || addressesOf(url) === null)
    throw new AppError('invalid', `${ADMIN_URL_VARIABLE} does not name a PostgreSQL server.`, {
      hint: 'Set it to postgres://user:password@host:port/postgres, with a user that may create databases and roles.',
    })
  return new PostgresWorkspaces(url)
}

export interface CreatedWorkspace extends MadeWorkspace {
  /** An operator's token that every server of the workspace takes; `null` = the database is empty. */
  token: string | null
}

/**
 * Makes a workspace with its tables and the first token.
 *
 * @param wanted.isEmpty  no tables: a backup goes into an empty database
 * @throws see `PostgresWorkspaces.create`
 */
export async function createWorkspace(
  workspaces: PostgresWorkspaces,
  { name, maxConnections, isEmpty }: { name: string; maxConnections: number; isEmpty: boolean },
): Promise<CreatedWorkspace> {
  const token = isEmpty ? null : randomHex(32)
  const made = await workspaces.create(name, maxConnections, async (url) => {
    if (token === null) return
    const store = await openStore({ url, mode: 'read-write', migrate: true })
    try {
      await createTokenService({ store }).knowOperator(FIRST_HOME, sha256Hex(token))
    } finally {
      await store.close()
    }
  })
  return { ...made, token }
}
