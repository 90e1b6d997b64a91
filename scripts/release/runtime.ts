/** Runtimes of other systems, from the package registry. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './run'
import type { Target } from './targets'

interface Lockfile {
  packages: Record<string, { version: string; integrity?: string } | undefined>
}

/**
 * The file of a target's runtime, of the release that the lockfile pins. It is fetched once by `npm pack` and kept below `node_modules`.
 *
 * @throws Error the registry has it not, or it is not what the lockfile says
 */
export async function runtimeFile(root: string, target: Target): Promise<string> {
  const lockfile = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as Lockfile
  const locked = lockfile.packages[`node_modules/${target.runtime}`]
  if (locked?.integrity === undefined) throw new Error(`package-lock.json has no digest of ${target.runtime}.`)
  const kept = join(root, 'node_modules/.cache/lodeline-runtimes', `${target.name}-${locked.version}`)
  const file = join(kept, 'bin', target.os === 'win32' ? 'bun.exe' : 'bun')
  if (existsSync(file)) return file
  await mkdir(join(kept, '..'), { recursive: true })
  const folder = await mkdtemp(`${kept}-`)
  try {
    const packed = await run(
      ['npm', 'pack', '--silent', '--ignore-scripts', `${target.runtime}@${locked.version}`],
      folder,
    )
    const tarball = join(folder, packed.trim().split('\n').at(-1) ?? '')
    const digest = `sha512-${createHash('sha512')
      .update(await readFile(tarball))
      .digest('base64')}`
    if (digest !== locked.integrity)
      throw new Error(`${target.runtime} is not what package-lock.json says: its digest is ${digest}.`)
    await run(['tar', '-xzf', tarball], folder)
    await rm(kept, { recursive: true, force: true })
    await rename(join(folder, 'package'), kept)
    return file
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
