import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { isCompiled } from '../../util/thread-url'

/**
 * How a person standing in `cwd` calls this very program: `lode` when that is it, else a path that can be pasted.
 *
 * @param onPath  what the shell finds as `lode`; `null` = nothing
 */
export function programName(cwd: string, onPath: string | null = Bun.which('lode')): string {
  const launcher = isCompiled
    ? join(dirname(process.execPath), '../bin/lode')
    : join(import.meta.dir, '../../../bin/lode')
  const program = existsSync(launcher) ? realpathSync(launcher) : process.execPath
  if (onPath !== null && existsSync(onPath) && [program, process.execPath].includes(realpathSync(onPath))) return 'lode'
  if (onPath !== null && existsSync(onPath) && isLauncherOf(realpathSync(onPath), program)) return 'lode'
  const path = relative(cwd, program)
  if (path.startsWith('..') || isAbsolute(path)) return program
  return path.includes('/') ? path : `./${path}`
}

/** npm's package `lodeline` holds the launcher of the executable that is in a package `@lodeline/…` below or beside it. */
function isLauncherOf(path: string, program: string): boolean {
  const packages = dirname(dirname(dirname(path)))
  return (
    basename(dirname(dirname(path))) === 'lodeline' &&
    program.startsWith(`${packages}/`) &&
    program.includes('/@lodeline/')
  )
}
