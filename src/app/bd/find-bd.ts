import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { isWithin } from '../../util/files/is-within'

export interface FoundBd {
  /** Absolute. */
  path: string
  /** Another one after an update in the same place. */
  stamp: string
}

/**
 * The first `bd` of the search path that may be run for this project: never one that lies in the project itself, nor one that any user
 * of the machine could have put there.
 *
 * @param path     as in `$PATH`; entries that are not absolute, `.` among them, do not count
 * @param project  absolute
 */
export function findBd(path: string | undefined, project: string): FoundBd | null {
  for (const folder of safeFolders(path, project)) {
    const candidate = join(folder, 'bd')
    try {
      const real = realpathSync(candidate)
      if (isWithin(real, project)) continue
      const found = statSync(real)
      if (!found.isFile() || isWritableByAll(found.mode)) continue
      accessSync(real, constants.X_OK)
      return { path: candidate, stamp: [real, found.mtimeMs, found.size, found.ino].join('\0') }
    } catch {
      // There is none, or it can't be run.
    }
  }
  return null
}

/** The entries of a search path from which programs may be run while the current folder is a project that may come from anybody. */
export function safeFolders(path: string | undefined, project: string): string[] {
  return (path ?? '').split(delimiter).filter((folder) => {
    if (!isAbsolute(folder)) return false
    try {
      const real = realpathSync(folder)
      return !isWithin(real, project) && !isWithin(folder, project) && !isWritableByAll(statSync(real).mode)
    } catch {
      return false
    }
  })
}

const isWritableByAll = (mode: number): boolean => process.platform !== 'win32' && (mode & 0o002) !== 0
