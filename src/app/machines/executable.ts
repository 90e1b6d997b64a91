/** The executable for a system, as it came here or can be fetched. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../../domain/errors'
import { isCompiled } from '../../util/thread-url'
import { VERSION } from '../../util/version'
import { ownInstallation } from '../install/installation'
import { ownSystem } from '../install/systems'
import type { Run } from '../install/upgrade'

export interface FoundExecutable extends Disposable {
  path: string
}

const kept = (path: string): FoundExecutable => ({ path, [Symbol.dispose]: () => {} })

/**
 * For this very system the executable that runs; for another one the package of this release, from the folder of the install script or from
 * npm.
 *
 * @throws `unavailable` there is none, with what to do
 */
export function executableFor(system: string, run: Run): FoundExecutable {
  const way = ownInstallation()
  const isOwn = system === ownSystem()
  if (isOwn && isCompiled) return kept(process.execPath)
  const built = way.way === 'repository' ? join(way.root, 'dist/lode') : null
  if (isOwn && built !== null && existsSync(built)) return kept(built)
  const file = `lodeline-${system}-${VERSION}.tgz`
  if (way.way === 'script' && existsSync(join(way.from, file))) return unpacked(join(way.from, file), run)
  if (way.way === 'npm' || way.way === 'npx') return fromNpm(`@lodeline/${system}@${VERSION}`, run)
  throw new AppError('unavailable', `There is no executable of ${VERSION} for ${system} here.`, {
    hint:
      built !== null && isOwn
        ? "Make one with 'npm run build', or name one with --executable FILE."
        : `Take it out of the release's package ${file} (package/bin/lode), and name it with --executable FILE.`,
  })
}

function fromNpm(name: string, run: Run): FoundExecutable {
  const folder = mkdtempSync(join(tmpdir(), 'lode-package-'))
  try {
    demand(run, ['npm', 'pack', name, '--silent', '--pack-destination', folder])
    const [file = ''] = readdirSync(folder)
    return unpacked(join(folder, file), run, folder)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

function unpacked(file: string, run: Run, folder = mkdtempSync(join(tmpdir(), 'lode-package-'))): FoundExecutable {
  demand(run, ['tar', '-xzf', file, '-C', folder, 'package/bin/lode'])
  return {
    path: join(folder, 'package/bin/lode'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function demand(run: Run, command: Parameters<Run>[0]): void {
  const { exitCode, stderr } = run(command)
  if (exitCode === 0) return
  throw new AppError('unavailable', `${command.join(' ')} failed: ${stderr.trim().split('\n')[0] || exitCode}`, {
    hint: 'Name an executable for that machine with --executable FILE.',
  })
}
