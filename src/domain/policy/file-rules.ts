import { isAbsolute, join, resolve } from 'node:path/posix'

/** Where a run works, for rules about files. */
export interface RulePlace {
  /** The run's folder, absolute and real. */
  cwd: string
  /** The folder that the run's worktree was made from, absolute and real. Default: `cwd`. */
  project?: string
  /** The person's home folder. */
  userHome: string
  /** Where a path leads: without links, as far as it exists; `null` = that can't be said. */
  real(path: string): string | null
}

/** A path of a call, as it is written and where it leads. */
export function wholePath(path: string, place: RulePlace): { typed: string; real: string | null } {
  const typed = resolve(place.cwd, fromHome(path, place))
  return { typed, real: place.real(typed) }
}

/** A pattern as one for whole paths, as it is written and with its folder's links followed. */
export function wholePattern(pattern: string, place: RulePlace): { typed: string; real: string } {
  const typed = absolutePattern(pattern, place)
  const star = typed.indexOf('*')
  const fixed = star < 0 ? typed : typed.slice(0, typed.lastIndexOf('/', star))
  const real = fixed === '' ? '' : (place.real(fixed) ?? fixed)
  return { typed, real: `${real === '/' ? '' : real}${typed.slice(fixed.length)}` }
}

/** From `/`, from `~/`, anywhere, else from the run's folder. */
export function absolutePattern(pattern: string, { cwd, userHome }: Pick<RulePlace, 'cwd' | 'userHome'>): string {
  if (pattern.startsWith('**/')) return `*${pattern.slice(2)}`
  // As an agent CLI writes what begins at the root.
  if (pattern.startsWith('//')) return pattern.slice(1)
  if (isAbsolute(pattern)) return pattern
  if (pattern.startsWith('~/')) return join(userHome, pattern.slice(2))
  return join(cwd, pattern)
}

const fromHome = (path: string, { userHome }: RulePlace): string =>
  path === '~' || path.startsWith('~/') ? join(userHome, path.slice(1)) : path
