import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { CliPlace } from '../../domain/harness/harness-run'

/** The folder in which the CLI keeps the sessions of a working directory, below its configuration folder. */
export const sessionFolder = ({ cwd }: Pick<CliPlace, 'cwd'>): string =>
  join(
    'sessions',
    `--${resolved(cwd)
      .replace(/^[/\\]/, '')
      .replace(/[/\\:]/g, '-')}--`,
  )

/** The CLI takes its working directory with its links resolved. */
export function resolved(cwd: string): string {
  try {
    return realpathSync(cwd)
  } catch {
    return cwd
  }
}
