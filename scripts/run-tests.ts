/**
 * Runs the test files, several at a time, each in a process of its own: `bun scripts/run-tests.ts [OPTION…] [WHAT…]`
 *
 * WHAT is a part of a file's path; all files unless told. Options: `--root DIR` (where the files are), `--jobs N`,
 * `--no-postgres` (tests that need a server start one themselves), `--file-timeout SECONDS`, `--times N` (each file so often, which finds
 * tests that fail now and then).
 *
 * The very last line on stdout is `N passed, N failed`. The exit code is 0 only when something ran, all of it passed,
 * nothing was skipped or left as todo, and no test left a process running. A failing file's output is printed whole.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type PostgresServer, SERVER_VARIABLE, startPostgres } from '../test/postgres'
import { buildDashboard, describe } from './build-web'
import { type FileResult, runTestFile } from './test-file'

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: {
    root: { type: 'string', default: resolve(import.meta.dir, '..') },
    jobs: { type: 'string', default: String(Math.min(4, availableParallelism())) },
    times: { type: 'string', default: '1' },
    'no-postgres': { type: 'boolean', default: false },
    'file-timeout': { type: 'string', default: '900' },
  },
})

const root = resolve(values.root)
const folder = mkdtempSync('/tmp/ld-t-')
const interrupted = new AbortController()
let server: PostgresServer | undefined
let areBuilt = true

process.exitCode = await main().catch((error: unknown) => {
  console.log(error instanceof Error ? error.message : String(error))
  console.log('0 passed, 1 failed')
  return 1
})

async function main(): Promise<number> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!interrupted.signal.aborted) console.log(`\n${signal}: ending the test run …`)
      interrupted.abort()
    })
  }
  try {
    const files = testFiles()
    if (files.length > 0) await buildPages()
    if (files.length > 0 && !values['no-postgres']) server = await startPostgres({ fsync: false })
    const results = await runAll(files)
    return report(files, results)
  } finally {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Tests in a browser see the dashboard as it is now. One that can't be built counts as a failed test; the others run. */
async function buildPages(): Promise<void> {
  try {
    await buildDashboard(root)
  } catch (error) {
    areBuilt = false
    console.log(`\nFAIL  the dashboard could not be built\n${describe(error)}\n`)
  }
}

/** Files that cross folders first: they take longest, and a long one started last would keep one core idle. */
function testFiles(): string[] {
  // The folders by name, so that neither node_modules nor another checkout below the root is walked.
  const places = readdirSync(root).filter((name) => ['test', 'src', 'web', 'scripts', 'bench'].includes(name))
  const rank = (file: string) => (file.startsWith('test/') ? 0 : 1)
  return places
    .flatMap((place) => [...new Bun.Glob(`${place}/**/*.test.{ts,tsx}`).scanSync({ cwd: root })])
    .filter((file) => !/^test\/(fixtures|lab)\//.test(file))
    .filter((file) => positionals.length === 0 || positionals.some((part) => file.includes(part)))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .flatMap((file) => Array<string>(Math.max(1, Number(values.times) || 1)).fill(file))
}

async function runAll(files: string[]): Promise<FileResult[]> {
  const env = testEnvironment()
  const results: FileResult[] = []
  const next = inTurn(files)
  let started = 0
  const lane = async (number: number) => {
    for (let file = next(number); file !== undefined; file = next(number)) {
      if (interrupted.signal.aborted) return
      const index = started++
      const result = await runTestFile(file, {
        root,
        env,
        scratch: `${folder}/${index}`,
        timeoutMs: Number(values['file-timeout']) * 1000,
        signal: interrupted.signal,
      })
      results.push(result)
      printFile(result)
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, Number(values.jobs) || 1) }, (_, number) => lane(number)))
  return results
}

/**
 * Gives each lane its next file. A browser keeps more than one core busy: files with one go one after another, beside others, and not
 * two at a time, where each would wait for what the other draws.
 */
function inTurn(files: readonly string[]): (lane: number) => string | undefined {
  const isBrowser = (file: string) => file.startsWith('test/browser/')
  const browser = files.filter(isBrowser)
  const others = files.filter((file) => !isBrowser(file))
  return (lane) => (lane === 0 ? (browser.shift() ?? others.shift()) : (others.shift() ?? browser.shift()))
}

/** What a test may see of the caller's environment: nothing that points at the caller's own records, agents or keys. */
function testEnvironment(): Record<string, string> {
  const own = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      !/^(LODELINE|CLAUDE|ANTHROPIC|PG|npm_)|^(DATABASE_URL|NODE_OPTIONS|XDG_\w+)$/i.test(entry[0]),
  )
  const env: Record<string, string> = { ...Object.fromEntries(own), HOME: folder, CI: '1' }
  if (server) env[SERVER_VARIABLE] = server.url
  return env
}

function printFile(result: FileResult): void {
  const seconds = `${(result.durationMs / 1000).toFixed(1)} s`
  if (result.failed === 0) {
    console.log(`ok    ${result.file}  ${result.passed} passed  ${seconds}`)
    return
  }
  console.log(`\nFAIL  ${result.file}  ${result.passed} passed, ${result.failed} failed  ${seconds}`)
  console.log(result.output.trimEnd())
  for (const problem of result.problems) console.log(`  ! ${problem}`)
  console.log('')
}

function report(files: string[], results: FileResult[]): number {
  const sum = (pick: (result: FileResult) => number) => results.reduce((total, result) => total + pick(result), 0)
  const passed = sum((result) => result.passed)
  let failed = sum((result) => result.failed)
  const bad = results.filter((result) => result.failed > 0)
  if (bad.length > 0) console.log(`Failed: ${bad.map((result) => result.file).join(' ')}`)
  const missing = files.length - results.length
  if (missing > 0) {
    console.log(`Not run: ${missing} of ${files.length} files`)
    failed += missing
  }
  if (!areBuilt) failed += 1
  if (passed + failed === 0) {
    console.log('No test ran.')
    failed = 1
  }
  console.log(`${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}
