/** The way this program was installed, which decides how it is updated and removed. */
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isCompiled } from '../../util/thread-url'

export type Installation =
  | { way: 'npm'; prefix: string }
  | { way: 'npx' }
  | { way: 'homebrew'; prefix: string }
  /** `from`: the address or folder that its files came from. */
  | { way: 'script'; prefix: string; from: string }
  | { way: 'image' }
  /** `lode machine add` put it here. */
  | { way: 'machine'; path: string }
  | { way: 'repository'; root: string }
  /** An executable that somebody put there. */
  | { way: 'file'; path: string }

/** The running program. */
export const ownInstallation = (): Installation =>
  installationOf(isCompiled ? process.execPath : resolve(import.meta.dir, '../../cli/main.ts'))

/** @param path  of the executable, or of the source's main module; real, without links */
export function installationOf(path: string): Installation {
  const root = dirname(dirname(path))
  const npm = /^(.*?)(?:\/lib)?\/node_modules\/(?:lodeline\/node_modules\/)?@lodeline\/[^/]+\/bin\/[^/]+$/.exec(
    path.replaceAll('\\', '/'),
  )
  if (npm) return path.includes('_npx') ? { way: 'npx' } : { way: 'npm', prefix: npm[1] ?? '' }
  const brew = /^(.*)\/Cellar\/lodeline\/[^/]+\/bin\/lode$/.exec(path)
  if (brew) return { way: 'homebrew', prefix: brew[1] ?? '' }
  const [way, from = ''] = readLines(join(root, 'installed-by'))
  if (way === 'script')
    return { way, from, prefix: dirname(basename(dirname(root)) === 'share' ? dirname(root) : root) }
  if (way === 'image') return { way }
  if (way === 'machine') return { way, path }
  const source = path.endsWith('.ts') ? dirname(root) : root
  if (existsSync(join(source, 'src/cli/main.ts'))) return { way: 'repository', root: source }
  return { way: 'file', path }
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    return []
  }
}
