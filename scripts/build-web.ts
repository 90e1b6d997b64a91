/**
 * Builds the dashboard into `dist/dashboard.pack`: `bun scripts/build-web.ts [--root DIR]`
 *
 * Nothing is done when no source is newer. A server that runs from source shows what was built last, without a restart.
 */
import { mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { packFiles } from './web/pack'

/** Besides `web/` what its pages are made from and by. */
const ALSO = [
  'package-lock.json',
  'scripts/build-web.ts',
  'scripts/web/*.ts',
  'src/api/contract/**/*.ts',
  'src/api/client/**/*.ts',
  'src/domain/**/*.ts',
]

/** The files of `web/` that the dashboard is made from, relative to `root`; none where there is no dashboard. */
export function webSources(root: string): string[] {
  return [...new Bun.Glob('web/**/*').scanSync({ cwd: root })].filter((path) => !isTest(path)).sort()
}

const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path) || path.startsWith('web/test/')

export const packPath = (root: string): string => join(root, 'dist/dashboard.pack')

/**
 * Builds the dashboard of a repository when it is not there or older than its sources.
 *
 * @returns what was built, in bytes; `null` when there was nothing to do
 * @throws Error with the compilers' messages
 */
export async function buildDashboard(root: string): Promise<number | null> {
  const sources = webSources(root)
  if (sources.length === 0 || isFresh(root, sources)) return null
  const startedAt = new Date()
  // Loaded when there is something to build: the compilers take a tenth of a second.
  const { bundleWeb } = await import('./web/bundle')
  const pack = await packFiles(await bundleWeb(root))
  const path = packPath(root)
  mkdirSync(join(root, 'dist'), { recursive: true })
  // Beside its place, then renamed: of several builds at once each leaves a whole file.
  const draft = `${path}.${process.pid}`
  try {
    writeFileSync(draft, pack)
    // A source that is saved while the build runs counts as newer than what was built.
    utimesSync(draft, startedAt, startedAt)
    renameSync(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
  return pack.length
}

function isFresh(root: string, sources: string[]): boolean {
  const built = statSync(packPath(root), { throwIfNoEntry: false })?.mtimeMs
  if (built === undefined) return false
  const also = ALSO.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root })])
  return [...sources, ...also].every((path) => statSync(join(root, path)).mtimeMs <= built)
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { root: { type: 'string', default: resolve(import.meta.dir, '..') } } })
  try {
    const bytes = await buildDashboard(resolve(values.root))
    const said = bytes === null ? 'is up to date' : `built (${Math.round(bytes / 1024)} KB)`
    process.stderr.write(`dashboard ${said}\n`)
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`)
    process.exitCode = 1
  }
}

/** A bundler's messages stand in the errors of an error, each with its place. */
export function describe(error: unknown): string {
  if (error instanceof AggregateError) return [error.message, ...error.errors.map(placed)].join('\n')
  return error instanceof Error ? error.message : String(error)
}

function placed(error: unknown): string {
  const { message, position } = error as Partial<BuildMessage>
  const place = position ? `${position.file}:${position.line}: ` : ''
  return `  ${place}${message ?? error}`
}
