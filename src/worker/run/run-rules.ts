import { readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../../domain/errors'
import type { RulePlace } from '../../domain/policy/file-rules'
import { keepAway, PROTECTED_FILES } from '../../domain/policy/protected-files'
import { exceedsMode, raiseCeilingHint } from '../../domain/task/permission-mode'
import { realPath } from '../../util/files/real-path'
import type { WorkerOptions } from '../options'
import type { Workplace } from '../workplace/workplace'

type Place = Pick<WorkerOptions, 'env' | 'home' | 'settings'>

/** Of Lodeline's folder, what is there from the beginning or may appear during a run. */
const SECRET_NAMES = ['token', 'config.yaml', 'host-key', 'server.json', 'hooks', 'runs', 'streams', 'blobs', 'log']

/**
 * What no run here may do, whatever its mode: the worker's rules, the files that are always protected, and Lodeline's folder but for the
 * worktrees in it, and a folder in which the run itself works.
 *
 * @param configRoot  the configuration folder of the run's CLI
 */
export function deniedTo(
  { home, settings }: Pick<Place, 'home' | 'settings'>,
  configRoot: string,
  cwd: string,
): string[] {
  const names = new Set([...SECRET_NAMES, ...namesIn(home)])
  const own = [...names]
    .map((name) => join(home, name))
    .filter((path) => ![settings.worktreeFolder, cwd].some((folder) => isAbove(path, folder)))
  return [...settings.deny, ...PROTECTED_FILES, ...ofCli(configRoot), ...keepAway(own)]
}

/** What the server says is not enough: this machine's person has the last word. @throws `invalid` */
export function checkPermissionMode(mode: string | null, most: string): void {
  if (mode === null || !exceedsMode(mode, most)) return
  throw new AppError(
    'invalid',
    `The permission mode ${mode} is above this worker's worker.maxPermissionMode, which is ${most}.`,
    {
      hint: raiseCeilingHint(mode),
    },
  )
}

/** Settings of the CLI, and programs that it loads. */
const ofCli = (root: string): string[] => ['settings*', 'extensions/**'].map((name) => `Edit(${join(root, name)})`)

/** Where a run works, for rules. @param workplace  `null` = it has none yet */
export const rulePlace = (
  { env }: Pick<Place, 'env'>,
  workplace: Pick<Workplace, 'cwd' | 'project'> | null,
): RulePlace => ({
  cwd: workplace?.cwd ?? '/',
  project: workplace?.project ?? '/',
  userHome: userHomeOf(env),
  real: realPath,
})

/** The person's home folder, as the run sees it. */
export const userHomeOf = (env: WorkerOptions['env']): string => env.HOME || homedir()

const isAbove = (path: string, folder: string): boolean => path === folder || folder.startsWith(`${path}/`)

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
