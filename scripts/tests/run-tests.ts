/**
 * Runs the test files, several at a time, each in a process of its own: `bun scripts/tests/run-tests.ts [OPTION…] [WHAT…]`
 *
 * WHAT is a part of a file's path; all files by default. Options: `--root DIR` (where the files are), `--jobs N`,
 * `--no-postgres` (tests that need a server start one themselves), `--file-timeout SECONDS`, `--times N` (each file this often, which finds
 * tests that fail now and then), `--every-cli` (each test of the real CLI with every release of it, see `test/lab/in-turn.ts`),
 * `--cli VERSION=FOLDER` (tests of the real CLI with this release alone, from `node_modules` there, see `scripts/drift.ts`),
 * `--note-seconds` (keeps what a whole run took, by which the next one begins with the longest), `--seed N|random` (what properties
 * draw; the same in each run by default).
 *
 * At most six files that fail beside others run once more, alone, at the end. Those that pass then are named, with their first output
 * whole: the machine was too slow for them, or they fail now and then.
 *
 * The very last line on stdout is `N passed, N failed`. The exit code is 0 only when something ran, all of it passed,
 * nothing was skipped or left as todo, and no test left a process running. A failing file's output is printed whole.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { SQL } from 'bun'
import { openStore } from '../../src/store/open'
import { THREADS_VARIABLE } from '../../test/bundled-threads'
import { DRAW_SEED_VARIABLE, EVERY_CLI_VARIABLE, ONE_CLI_VARIABLE } from '../../test/lab/cli-variables'
import { EXECUTABLE_VARIABLE } from '../../test/lode-command'
import {
  type PostgresServer,
  SERVER_VARIABLE,
  SQLITE_TEMPLATE_VARIABLE,
  startPostgres,
  TEMPLATE_VARIABLE,
} from '../../test/postgres'
import { buildDashboard, describe } from '../build-web'
import { buildTestExecutable, bundleThreads } from './test-executable'
import { type FileResult, runTestFile } from './test-file'
import { runInLanes } from './test-lanes'

/** What a person asks of tests: longer forms, a seed, pictures. */
const ASKED = /^LODELINE_(LONG|KILLS|SEED|SHOTS|POSTGRES)$/

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: {
    root: { type: 'string', default: resolve(import.meta.dir, '../..') },
    jobs: { type: 'string', default: String(Math.min(4, availableParallelism())) },
    times: { type: 'string', default: '1' },
    'no-postgres': { type: 'boolean', default: false },
    'every-cli': { type: 'boolean', default: false },
    cli: { type: 'string' },
    'file-timeout': { type: 'string', default: '900' },
    'note-seconds': { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
  },
})

/** How many files a whole run names as its slowest. */
const SLOWEST = 20
/** More failed files than these are no accident, and are not tried again. */
const MOST_AGAIN = 6
const TEMPLATE = 'ld_template'
/** Whole seconds by file, below the root. */
const SECONDS_FILE = 'scripts/tests/test-seconds.json'

const root = resolve(values.root)
const folder = mkdtempSync('/tmp/ld-t-')
/** What tests and agent CLIs leave here goes with the run. Not below `folder`, which is their home. */
const temporary = mkdtempSync('/tmp/lt-')
/** How long files took when somebody noted it; short ones are not there. */
const EXPECTED_SECONDS: Readonly<Record<string, number>> = existsSync(join(root, SECONDS_FILE))
  ? JSON.parse(readFileSync(join(root, SECONDS_FILE), 'utf8'))
  : {}
const sqliteTemplate = join(folder, 'template.db')
const threads = join(folder, 'threads')
const interrupted = new AbortController()
let server: PostgresServer | undefined
let areBuilt = true
let started = 0
/** How long PostgreSQL kept a core busy for all files: no file's own seconds have it. */
let databaseBusyMs = 0
const busyBefore = busyCoresMs()
const passedAlone: string[] = []
/** The `lode` that tests start; `null` = the source. */
let executable: string | null = null

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
    // The compiler keeps one core busy, the databases another.
    const built = files.length > 0 ? buildAll(files) : undefined
    if (files.length > 0 && !values['no-postgres']) await startDatabases()
    await built
    const results = await runAgain(await runAll(files))
    if (values['note-seconds']) noteSeconds(results)
    databaseBusyMs = (await server?.stop()) ?? 0
    return report(files, results)
  } finally {
    await server?.stop()
    for (const path of [folder, temporary]) rmSync(path, { recursive: true, force: true })
  }
}

/** A server for all files, and on each kind of database one with all tables, of which tests begin with a copy. */
async function startDatabases(): Promise<void> {
  await (await openStore({ path: sqliteTemplate, mode: 'read-write', migrate: true })).close()
  server = await startPostgres({ fsync: false })
  const url = new URL(server.url)
  url.pathname = `/${TEMPLATE}`
  const admin = new SQL(server.url, { max: 1 })
  await admin.unsafe(`CREATE DATABASE ${TEMPLATE}`).finally(() => admin.close())
  await (await openStore({ url: url.href, mode: 'read-write', migrate: true })).close()
}

/** Tests see the dashboard and the program as they are now. What can't be built counts as a failed test; the others run. */
async function buildAll(files: readonly string[]): Promise<void> {
  await build('the dashboard', () => buildDashboard(root))
  // Nothing beside a source starts the program.
  if (!areBuilt || !files.some((file) => file.startsWith('test/'))) return
  await build('the program', async () => {
    executable = await buildTestExecutable(root)
    if (executable !== null) await bundleThreads(root, threads)
  })
}

async function build(what: string, make: () => Promise<unknown>): Promise<void> {
  try {
    await make()
  } catch (error) {
    areBuilt = false
    console.log(`\nFAIL  ${what} could not be built\n${describe(error)}\n`)
  }
}

/** Files that cross folders first: most of them take longer. */
function testFiles(): string[] {
  // The folders by name, so that neither node_modules nor another checkout below the root is walked.
  const places = readdirSync(root).filter((name) => ['test', 'src', 'web', 'scripts', 'bench'].includes(name))
  const rank = (file: string) => (file.startsWith('test/') ? 0 : 1)
  return places
    .flatMap((place) => [...new Bun.Glob(`${place}/**/*.test.{ts,tsx}`).scanSync({ cwd: root })])
    .filter((file) => !/^test\/(fixtures|lab\/scenarios)\//.test(file))
    .filter((file) => positionals.length === 0 || positionals.some((part) => file.includes(part)))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .flatMap((file) => Array<string>(Math.max(1, Number(values.times) || 1)).fill(file))
}

async function runAll(files: string[]): Promise<FileResult[]> {
  const results: FileResult[] = []
  await runInLanes(
    files,
    async (file) => {
      const result = await runOne(file)
      results.push(result)
      printFile(result)
    },
    { jobs: Math.max(1, Number(values.jobs) || 1), seconds: EXPECTED_SECONDS, signal: interrupted.signal },
  )
  return results
}

function runOne(file: string): Promise<FileResult> {
  return runTestFile(file, {
    root,
    env: testEnvironment(),
    scratch: `${folder}/${started++}`,
    timeoutMs: Number(values['file-timeout']) * 1000,
    isLong: Object.hasOwn(EXPECTED_SECONDS, file),
    signal: interrupted.signal,
  })
}

/** Runs the few files that failed once more, each alone, and takes what comes of that. One file by itself is not tried again. */
async function runAgain(results: FileResult[]): Promise<FileResult[]> {
  const bad = results.filter(({ failed }) => failed > 0)
  if (bad.length > MOST_AGAIN || results.length < 2 || interrupted.signal.aborted) return results
  const again = new Map<FileResult, FileResult>()
  for (const first of bad) {
    if (interrupted.signal.aborted) break
    console.log(`\nOnce more, alone: ${first.file}`)
    const second = await runOne(first.file)
    printFile(second)
    again.set(first, second)
    if (second.failed === 0) passedAlone.push(first.file)
  }
  return results.map((result) => again.get(result) ?? result)
}

/** Notes the files that take long, rounded, so that two runs differ little. */
function noteSeconds(results: readonly FileResult[]): void {
  const long = results
    .map(({ file, durationMs }): [string, number] => [file, Math.round(durationMs / 5_000) * 5])
    .filter(([, seconds]) => seconds >= 10)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(join(root, SECONDS_FILE), `${JSON.stringify(Object.fromEntries(long), null, 2)}\n`)
}

/** What a test may see of the caller's environment: nothing that points at the caller's own records, agents or keys. */
function testEnvironment(): Record<string, string> {
  const own = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      (ASKED.test(entry[0]) ||
        !/^(LODELINE|CLAUDE|ANTHROPIC|PG|npm_)|^(DATABASE_URL|NODE_OPTIONS|XDG_\w+)$/i.test(entry[0])),
  )
  const env: Record<string, string> = { ...Object.fromEntries(own), HOME: folder, TMPDIR: temporary, CI: '1' }
  if (values.seed !== 'random') env[DRAW_SEED_VARIABLE] = values.seed
  if (server)
    Object.assign(env, {
      [SERVER_VARIABLE]: server.url,
      [TEMPLATE_VARIABLE]: TEMPLATE,
      [SQLITE_TEMPLATE_VARIABLE]: sqliteTemplate,
    })
  if (executable !== null) Object.assign(env, { [EXECUTABLE_VARIABLE]: executable, [THREADS_VARIABLE]: threads })
  if (values['every-cli']) env[EVERY_CLI_VARIABLE] = '1'
  if (values.cli !== undefined) env[ONE_CLI_VARIABLE] = values.cli
  return env
}

function printFile(result: FileResult): void {
  const seconds = `${(result.durationMs / 1000).toFixed(1)} s (${(result.busyMs / 1000).toFixed(1)} s busy)`
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
  if (results.length > SLOWEST) {
    const slowest = results.toSorted((a, b) => b.durationMs - a.durationMs).slice(0, SLOWEST)
    console.log(`\nThe slowest ${SLOWEST} files, with the seconds in which they kept a core busy:`)
    for (const { file, durationMs, busyMs } of slowest)
      console.log(`${inSeconds(durationMs)} ${inSeconds(busyMs)}  ${file}`)
    console.log('\nBy folder:')
    const folders = Map.groupBy(results, ({ file }) => dirname(file).split('/').slice(0, 2).join('/'))
    const totals = [...folders].map(([name, of]) => ({ name, ...totalOf(of) })).sort((a, b) => b.busyMs - a.busyMs)
    for (const { name, durationMs, busyMs } of [...totals, { name: 'all', ...totalOf(results) }])
      console.log(`${inSeconds(durationMs)} ${inSeconds(busyMs)}  ${name}`)
    console.log(`${' '.repeat(9)} ${inSeconds(databaseBusyMs)}  PostgreSQL`)
    console.log(
      `${' '.repeat(9)} ${inSeconds(busyCoresMs() - busyBefore)}  this machine, with all that ran beside the tests`,
    )
  }
  if (passedAlone.length > 0) console.log(`Failed beside others, passed alone: ${passedAlone.join(' ')}`)
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

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1).padStart(7)} s`
}

/** How long all cores together were busy since the machine started, in milliseconds. */
function busyCoresMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)
}

function totalOf(results: readonly FileResult[]): { durationMs: number; busyMs: number } {
  const sum = (pick: (result: FileResult) => number) => results.reduce((total, result) => total + pick(result), 0)
  return { durationMs: sum(({ durationMs }) => durationMs), busyMs: sum(({ busyMs }) => busyMs) }
}
