import { readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../../domain/errors'
import type { RulePlace } from '../../domain/policy/file-rules'
import { keepAway, PROTECTED_FILES } from '../../domain/policy/protected-files'
import { exceedsMode, raiseCeilingHint } from '../../domain/task/permission-mode'
import { realPath } from '../../util/files/real-path'
import { glob } from '../../util/glob'
import type { WorkerOptions } from '../options'
import type { Workplace } from '../workplace/workplace'

type Place = Pick<WorkerOptions, 'env' | 'home' | 'settings'>

/**
 * What Lodeline's folder has from the beginning, or may get during a run. A star saves rules: the start of Claude Code takes longer for
 * each.
 */
const SECRET_NAMES = 'token config.yaml host-* server.* lodeline.db* hooks runs streams blobs log'.split(' ')

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
  const open = [settings.worktreeFolder, cwd].flatMap((folder) => nameBelow(home, folder) ?? [])
  const known = SECRET_NAMES.filter((pattern) => !open.some((name) => glob(pattern, name)))
  const others = namesIn(home).filter((name) => !open.includes(name) && !known.some((pattern) => glob(pattern, name)))
  const own = [...known, ...others].map((name) => join(home, name))
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

/** The first name of a folder's path below another; `undefined` = it is not below it. */
const nameBelow = (home: string, folder: string): string | undefined =>
  folder.startsWith(`${home}/`) ? folder.slice(home.length + 1).split('/')[0] : undefined

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
