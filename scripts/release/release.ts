/**
 * Makes all that is published of a release: `bun scripts/release/release.ts [--target NAME]… [--out FOLDER] [--url ADDRESS]`
 *
 * `--target` makes only those; `host` is this machine's. `--out` is `dist/release` by default. `--url` is where the files will be
 * published; without it the installers look beside themselves, and there is no formula for Homebrew. `--quick` compresses less.
 *
 * What cannot be made here is named, and the command then ends with 1.
 */
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import manifest from '../../package.json' with { type: 'json' }
import { buildDashboard, describe } from '../build-web'
import { compileLode } from '../compile'
import { checkExecutable } from './check-executable'
import { formula } from './formula'
import { signedForMac } from './mac-signature'
import { type Place, packLauncher, packTarget } from './npm-packages'
import { run } from './run'
import { runtimeFile } from './runtime'
import { executableName, hostTarget, TARGETS, type Target } from './targets'

const root = resolve(import.meta.dir, '../..')
/** Names of files that a release makes. */
const OURS = /^(lodeline-[\w.-]+\.tgz|install\.sh|install\.ps1|lodeline\.rb|Dockerfile|lode\.cdx\.json|SHA256SUMS)$/
const { values } = parseArgs({
  options: {
    target: { type: 'string', multiple: true },
    out: { type: 'string', default: join(root, 'dist/release') },
    url: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
})
const say = (line: string) => process.stderr.write(`${line}\n`)

try {
  await release(values)
} catch (error) {
  say(describe(error))
  process.exitCode = 1
}

async function release({ target: names = [], out, url, quick }: typeof values): Promise<void> {
  if (url !== undefined && !/^https:\/\/[\w./:@~+-]+$/.test(url))
    throw new Error(`--url ${url}: name an address with https.`)
  const { version } = manifest
  const wanted = names.length === 0 ? TARGETS : names.map(targetNamed)
  const folder = resolve(out)
  // Not emptied by its name alone: a person may have named a folder with other things in it.
  await mkdir(folder, { recursive: true })
  const strangers = (await readdir(folder)).filter((name) => !OURS.test(name))
  if (strangers.length > 0)
    throw new Error(`${folder} holds ${strangers[0]}, which is of no release. Name an empty folder.`)
  for (const name of await readdir(folder)) await rm(join(folder, name))
  // A fresh clone has no `dist` yet.
  await mkdir(join(root, 'dist'), { recursive: true })
  const stage = await mkdtemp(join(root, 'dist/.release-'))
  const place: Place = { root, stage, out: folder, version, level: quick ? 1 : 6 }
  const failures: string[] = []
  const packages: { target: Target; file: string }[] = []
  try {
    await buildDashboard(root)
    for (const target of wanted) {
      try {
        const { bytes, file } = await make(place, target)
        packages.push({ target, file })
        say(`made    ${file}  (${megabytes(bytes)} MB installed)`)
      } catch (error) {
        failures.push(target.name)
        say(`FAILED  ${target.name}: ${describe(error)}`)
      }
    }
    // It names every system: npm takes the package of its own system only, and goes on without one that is not there.
    say(`made    ${await packLauncher(place, TARGETS)}`)
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
  const summed = await Promise.all(packages.map(async (one) => ({ ...one, sum: await sumOf(join(folder, one.file)) })))
  await writeInstallers(folder, version, url, summed)
  await run([process.execPath, join(root, 'scripts/sbom.ts'), join(folder, 'lode.cdx.json')], root)
  const files = (await readdir(folder)).sort()
  const lines = await Promise.all(files.map(async (name) => `${await sumOf(join(folder, name))}  ${name}\n`))
  await writeFile(join(folder, 'SHA256SUMS'), lines.join(''))
  say(`made    ${folder}/SHA256SUMS of ${files.length} files`)
  if (failures.length > 0) throw new Error(`Not made: ${failures.join(', ')}. The reasons are above.`)
}

function targetNamed(name: string): Target {
  const found = name === 'host' ? hostTarget() : TARGETS.find((each) => each.name === name)
  if (found) return found
  throw new Error(`There is no target ${name}. Targets: host, ${TARGETS.map((each) => each.name).join(', ')}.`)
}

async function make(place: Place, target: Target): Promise<{ bytes: number; file: string }> {
  const executable = join(place.stage, `${target.name}-${executableName(target)}`)
  const isHost = target.name === hostTarget()?.name
  await compileLode({
    root,
    outfile: executable,
    metafile: join(place.stage, 'meta.json'),
    ...(!isHost && { runtime: { target: target.compileTarget, executable: await runtimeFile(root, target) } }),
  })
  if (target.os === 'darwin') await signedForMac(executable, target)
  const { bytes } = await checkExecutable(executable, target)
  return { bytes, file: await packTarget(place, target, executable) }
}

async function writeInstallers(
  folder: string,
  version: string,
  url: string | undefined,
  packages: readonly { target: Target; file: string; sum: string }[],
): Promise<void> {
  const sums = packages.map(({ sum, file }) => `${sum}  ${file}`).join('\n')
  const fill = (text: string) =>
    text
      .replaceAll('@VERSION@', version)
      .replaceAll('@URL@', url ?? '')
      .replaceAll('@SUMS@', sums)
  const made = (name: string) => packages.some(({ target }) => target.name === name)
  for (const [name, mode, needs] of [
    ['install.sh', 0o755, []],
    ['install.ps1', 0o644, ['win32-x64']],
    ['Dockerfile', 0o644, ['linux-x64', 'linux-arm64']],
  ] as const) {
    const missing = needs.filter((need) => !made(need))
    if (missing.length > 0) {
      say(`skipped ${name}: it needs the package for ${missing.join(' and ')}`)
      continue
    }
    await writeFile(join(folder, name), fill(await readFile(join(import.meta.dir, 'files', name), 'utf8')), { mode })
    say(`made    ${name}`)
  }
  const text = url === undefined ? null : formula(version, url, packages)
  if (text === null) {
    say(
      `skipped lodeline.rb: ${url === undefined ? 'a formula needs --url' : 'Homebrew has a use for none of the packages'}`,
    )
    return
  }
  await writeFile(join(folder, 'lodeline.rb'), text)
  say('made    lodeline.rb')
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6)
}

async function sumOf(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
}
