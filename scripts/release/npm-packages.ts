/** The packages for npm: one with the executable for each system, and `lodeline`, which starts the one that npm chose. */
import { chmod, copyFile, cp, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { type CompressionLevel, packFolder } from './pack'
import { executableName, type Target, tarballName } from './targets'

const FILES = join(import.meta.dir, 'files')

export interface Place {
  root: string
  /** A folder for what is packed; it is the caller's. */
  stage: string
  /** Where the package goes. */
  out: string
  version: string
  level: CompressionLevel
}

const common = ({ version }: Place) => ({ version, license: manifest.license, description: manifest.description })

/** Packs one system's package. The executable is moved into it. Gives the name of its file. */
export async function packTarget(place: Place, target: Target, executable: string): Promise<string> {
  const folder = join(place.stage, target.name)
  await mkdir(join(folder, 'bin'), { recursive: true })
  const file = join(folder, 'bin', executableName(target))
  await rename(executable, file)
  await chmod(file, 0o755)
  // Claude Code installs the plugin from the folder that holds both.
  for (const name of ['plugin', '.claude-plugin'])
    await cp(join(place.root, name), join(folder, name), { recursive: true })
  await copyFile(join(place.root, 'LICENSE'), join(folder, 'LICENSE'))
  await writeManifest(folder, {
    name: `@lodeline/${target.name}`,
    ...common(place),
    os: [target.os],
    cpu: [target.cpu],
    ...(target.libc && { libc: [target.libc] }),
    preferUnplugged: true,
  })
  const name = tarballName(target, place.version)
  await packFolder(folder, join(place.out, name), place.level)
  return name
}

/** Packs `lodeline`. Gives the name of its file. */
export async function packLauncher(place: Place, targets: readonly Target[]): Promise<string> {
  const folder = join(place.stage, 'lodeline')
  await mkdir(join(folder, 'bin'), { recursive: true })
  await copyFile(join(FILES, 'launcher.cjs'), join(folder, 'bin/lode'))
  await chmod(join(folder, 'bin/lode'), 0o755)
  for (const name of ['executable.cjs', 'postinstall.cjs']) await copyFile(join(FILES, name), join(folder, name))
  for (const name of ['LICENSE', 'README.md']) await copyFile(join(place.root, name), join(folder, name))
  await writeManifest(folder, {
    name: manifest.name,
    ...common(place),
    bin: { lode: 'bin/lode' },
    engines: manifest.engines,
    scripts: { postinstall: 'node postinstall.cjs' },
    optionalDependencies: Object.fromEntries(targets.map(({ name }) => [`@lodeline/${name}`, place.version])),
  })
  const name = `${manifest.name}-${place.version}.tgz`
  await packFolder(folder, join(place.out, name), place.level)
  return name
}

const writeManifest = (folder: string, content: object): Promise<void> =>
  writeFile(join(folder, 'package.json'), `${JSON.stringify(content, null, 2)}\n`)
