import { realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isCompiled } from './thread-url'

/**
 * argv that starts this very program again: for guards and hooks, which live as long as what they serve, while `bin/lode` may
 * choose another executable tomorrow. The compiled executable, or bun with the source.
 */
export function lodeCommand(): string[] {
  if (isCompiled) return [stablePath(process.execPath)]
  // As bin/lode does: the folder where a run works must not be able to change the program by .env or bunfig.toml.
  return [process.execPath, '--no-env-file', '--config=/dev/null', resolve(import.meta.dir, '../cli/main.ts')]
}

/** The same program by a path that an update does not change: Homebrew keeps each version in a folder, and a link to the newest. */
export const stablePath = (path: string): string =>
  path.replace(/\/Cellar\/lodeline\/[^/]+\/bin\/lode$/, '/opt/lodeline/bin/lode')

/** Absolute paths of all that this very program reads when it starts: for a sandbox that hides the folder where it lies. */
export function lodeFiles(): string[] {
  if (isCompiled) {
    const path = stablePath(process.execPath)
    return path === process.execPath ? [path] : [path, realpathSync(path)]
  }
  const root = resolve(import.meta.dir, '../..')
  return [process.execPath, ...['package.json', 'tsconfig.json', 'src', 'node_modules'].map((name) => join(root, name))]
}
