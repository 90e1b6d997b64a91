import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { packPath } from '../build-web'
import { threadModules } from '../compile'

/**
 * Compiles the `lode` that tests start, unless nothing has changed since: it starts with a fifth of the work that the source takes, and
 * what a person installs is compiled as well. The product's own executable is left alone.
 *
 * @returns its path; `null` where there is nothing to compile
 * @throws Error with the compiler's messages
 */
export async function buildTestExecutable(root: string): Promise<string | null> {
  if (!existsSync(join(root, 'src/cli/main.ts'))) return null
  // One folder below the root: by its own place it finds what lies in the repository.
  const path = join(root, 'dist/lode-under-test')
  if (isFresh(path, root)) return path
  const script = join(root, 'scripts/build.ts')
  const build = Bun.spawn([process.execPath, script, path, '--root', root], { stdout: 'pipe', stderr: 'pipe' })
  const [out, err, code] = await Promise.all([build.stdout.text(), build.stderr.text(), build.exited])
  if (code !== 0) throw new Error(`${out}${err}`.trim())
  return path
}

/**
 * Bundles the modules of a server's threads into a folder, below which they keep their paths: see `test/bundled-threads.ts`.
 *
 * @throws Error with the bundler's messages
 */
export async function bundleThreads(root: string, outdir: string): Promise<void> {
  const entrypoints = threadModules(root).map((path) => join(root, path))
  await Bun.build({ entrypoints, outdir, root: join(root, 'src'), target: 'bun', splitting: true })
}

function isFresh(path: string, root: string): boolean {
  const builtAt = changedAt(path)
  const inputs = [
    packPath(root),
    ...['package.json', 'package-lock.json', 'scripts/build.ts', 'scripts/compile.ts'].map((name) => join(root, name)),
    ...[...new Bun.Glob('src/**/*').scanSync({ cwd: root })].map((name) => join(root, name)),
  ]
  return inputs.every((input) => changedAt(input) < builtAt)
}

/** Milliseconds since the epoch; 0 = not there. */
const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
