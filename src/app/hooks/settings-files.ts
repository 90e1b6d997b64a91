/** Where settings stand, for hooks: what reads them is loaded only where there are some. */
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { hasRepository } from '../../util/git/git-project'

/**
 * The files that there are, weakest first: the user's, then that of the project. As `config/load.ts` finds them.
 *
 * @param home  Lodeline's folder; @param cwd  where the agent works
 */
export function settingsFiles(home: string, cwd: string, env: Readonly<Record<string, string | undefined>>): string[] {
  const user = join(home, 'config.yaml')
  const project = projectFile(cwd, user, env.HOME ?? '')
  return [user, project].filter((path): path is string => path !== null && existsSync(path))
}

/** The nearest from `cwd` upwards, not above the repository's root, and not the user's own folder. */
function projectFile(cwd: string, user: string, userHome: string): string | null {
  for (let folder = resolve(cwd); folder !== userHome && folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, '.lodeline', 'config.yaml')
    if (path !== user && existsSync(path)) return path
    if (hasRepository(folder)) return null
  }
  return null
}
