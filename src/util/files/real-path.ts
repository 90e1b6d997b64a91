import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Where a path leads, as far as it exists; what is missing below stays as it is written. `null` = links in a circle, no right to look. */
export function realPath(path: string): string | null {
  const missing: string[] = []
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(realpathSync(at), ...missing)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || at === dirname(at)) return null
      missing.unshift(basename(at))
    }
  }
}
