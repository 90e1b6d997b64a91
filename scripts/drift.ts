/**
 * Tells what other releases of Claude Code do differently: installs each beside the repository's own, runs with it the tests that depend on
 * what a release writes and sends, and reports in words. For people; the test run has its own pinned releases.
 *
 *     npm run drift                    the newest ten
 *     npm run drift -- 2.1.325 2.1.330 these
 *
 * It reports progress on stderr; the report of a release stands on stdout once its tests have ended. A test that fails runs twice more, and
 * after that with the pinned releases: so the report separates what the release does differently, what fails without it too, and what the
 * machine was too slow for.
 *
 * Exit code 1 when any of them differs. The whole output of the tests stays below `node_modules/.cache/lodeline-drift`; the release itself is
 * deleted, unless `--keep` asks for it.
 */
import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { inWords, type Outcome, readTestRun } from './tests/drift-report'

const NEWEST = 10
const PACKAGE = '@anthropic-ai/claude-code'
/** Parts of paths of test files: what is recorded of a release, how it is run, what its hooks get. */
const TESTS = [
  'test/e2e/record/scenarios',
  'test/e2e/record/line-content',
  'test/e2e/record/status',
  'test/e2e/record/offline',
  'test/harness/run/',
  'test/recall/session-hooks',
  'test/recall/compaction',
  'test/recall/left-todos',
  'test/setup/plugin',
]

const root = resolve(import.meta.dir, '..')
const cache = join(root, 'node_modules/.cache/lodeline-drift')
const keeps = process.argv.includes('--keep')
const given = process.argv.slice(2).filter((word) => word !== '--keep')
const wrong = given.find((version) => !/^\d+\.\d+\.\d+$/.test(version))
if (wrong !== undefined) {
  console.error(`${wrong} is not a release. Name releases such as 2.1.330, or none for the newest ${NEWEST}.`)
  process.exit(2)
}

const versions = given.length > 0 ? given : newest()
const differing: string[] = []
for (const [at, version] of versions.entries()) {
  tell(`${at + 1} of ${versions.length}: Claude Code ${version}`)
  const outcome = await tryRelease(version)
  if (outcome.differs.length > 0 || outcome.problem !== null) differing.push(version)
  console.log(inWords(version, outcome))
}
const others = versions.length - differing.length
console.log(`${others} of ${versions.length} releases behave as the pinned ones do.`)
if (differing.length > 0) console.log(`Look at: ${differing.join(', ')}. What their tests printed is in ${cache}.`)
process.exitCode = differing.length > 0 ? 1 : 0

/** Newest first, as the registry lists them. */
function newest(): string[] {
  const listed = npm(root, 'view', PACKAGE, 'versions', '--json')
  if (listed.problem !== null) throw new Error(`The registry does not list the releases: ${listed.problem}`)
  return (JSON.parse(listed.out) as string[]).slice(-NEWEST).reverse()
}

async function tryRelease(version: string): Promise<Outcome> {
  const folder = join(cache, version)
  try {
    tell('  installing it')
    const problem = install(folder, version)
    if (problem !== null) return { ...NOTHING, problem: `can't be installed: ${problem}` }
    const cli = ['--cli', `${version}=${folder}`]
    const own = await runTests(`${version}.log`, [...cli, ...TESTS])
    if (own.failedFiles.length === 0) return { ...own, differs: [], failsAnyway: [] }
    tell('  what failed, a last time')
    const again = await runTests(`${version}-again.log`, [...cli, ...own.failedFiles])
    const passedAlone = [...own.passedAlone, ...own.failedFiles.filter((file) => !again.failedFiles.includes(file))]
    const left = { ...again, passed: own.passed + again.passed, passedAlone }
    if (again.failedFiles.length === 0) return { ...left, differs: [], failsAnyway: [] }
    tell('  the same files with the pinned releases')
    const pinned = await runTests(`${version}-pinned.log`, again.failedFiles)
    const failsAnyway = again.failed.filter((name) => pinned.failed.some((other) => isSameTest(name, other, version)))
    return { ...left, differs: again.failed.filter((name) => !failsAnyway.includes(name)), failsAnyway }
  } finally {
    if (!keeps) rmSync(folder, { recursive: true, force: true })
  }
}

const NOTHING: Outcome = { passed: 0, differs: [], failsAnyway: [], passedAlone: [], problem: null }

/** Names of tests may hold the release. */
const isSameTest = (name: string, other: string, version: string): boolean =>
  name.replaceAll(version, '') === other.replaceAll(/\b\d+\.\d+\.\d{2,}\b/g, '')

/** Runs test files, reports each as it ends, and keeps all that they print. */
async function runTests(log: string, args: readonly string[]) {
  const run = Bun.spawn([process.execPath, join(root, 'scripts/tests/run-tests.ts'), '--every-cli', ...args], {
    cwd: root,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const kept = openSync(join(cache, log), 'w')
  let text = ''
  let told = 0
  for await (const piece of run.stdout.pipeThrough(new TextDecoderStream())) {
    text += piece
    writeSync(kept, piece)
    const end = text.lastIndexOf('\n') + 1
    for (const line of text.slice(told, end).split('\n')) if (/^(ok|FAIL|Once more)\b/.test(line)) tell(`  ${line}`)
    told = Math.max(told, end)
  }
  closeSync(kept)
  return readTestRun(text, await run.exited)
}

/** @returns why it can't be had; `null` = it is there */
function install(folder: string, version: string): string | null {
  const name = `claude-code-${version}`
  if (existsSync(join(folder, 'node_modules', name, 'package.json'))) return null
  mkdirSync(folder, { recursive: true })
  const manifest = { private: true, dependencies: { [name]: `npm:${PACKAGE}@${version}` } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  return npm(folder, 'install', '--ignore-scripts', '--no-audit', '--no-fund').problem
}

function npm(cwd: string, ...args: string[]): { out: string; problem: string | null } {
  const run = Bun.spawnSync(['npm', ...args], { cwd, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const problem = run.exitCode === 0 ? null : run.stderr.toString().trim().split('\n').slice(-3).join(' ')
  return { out: run.stdout.toString(), problem }
}

function tell(words: string): void {
  console.error(`${new Date().toTimeString().slice(0, 8)}  ${words}`)
}
