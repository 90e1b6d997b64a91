/**
 * Tells what other releases of Claude Code do differently: installs each beside the repository's own, runs with it the tests that depend on
 * what a release writes and sends, and reports in words. For people; the test run has its own pinned releases.
 *
 *     npm run drift                    the newest ten
 *     npm run drift -- 2.1.325 2.1.330 these
 *
 * Exit code 1 when any of them differs. What is installed stays in `node_modules/.cache` until it is deleted.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const NEWEST = 10
const PACKAGE = '@anthropic-ai/claude-code'
/** Parts of paths of test files: what is recorded of a release, how it is run, what its hooks are told. */
const TESTS = [
  'test/e2e/record/scenarios',
  'test/e2e/record/line-content',
  'test/e2e/record/status',
  'test/e2e/record/offline',
  'test/harness/run',
  'test/recall/session-hooks',
  'test/recall/compaction',
  'test/recall/left-todos',
  'test/setup/plugin',
]

const root = resolve(import.meta.dir, '..')
const cache = join(root, 'node_modules/.cache/lodeline-drift')
const given = process.argv.slice(2)
const wrong = given.find((version) => !/^\d+\.\d+\.\d+$/.test(version))
if (wrong !== undefined) {
  console.error(`${wrong} is not a release. Name releases such as 2.1.330, or none for the newest ${NEWEST}.`)
  process.exit(2)
}

interface Outcome {
  passed: number
  failed: string[]
  /** What else kept it from passing. */
  problem: string | null
}

const report: string[] = []
let hasDrift = false
for (const version of given.length > 0 ? given : newest()) {
  console.error(`Claude Code ${version} …`)
  const { passed, failed, problem } = tryRelease(version)
  hasDrift ||= failed.length > 0 || problem !== null
  report.push(`Claude Code ${version}: ${problem ?? inWords(passed, failed)}`)
  report.push(...failed.map((name) => `  - ${name}`))
}
console.log(report.join('\n'))
process.exitCode = hasDrift ? 1 : 0

function inWords(passed: number, failed: readonly string[]): string {
  if (failed.length === 0) return `behaves as the pinned releases do (${passed} tests).`
  return `differs in ${failed.length} of ${passed + failed.length} tests:`
}

/** Newest first, as the registry lists them. */
function newest(): string[] {
  const listed = npm(root, 'view', PACKAGE, 'versions', '--json')
  if (listed.problem !== null) throw new Error(`The registry does not list the releases: ${listed.problem}`)
  return (JSON.parse(listed.out) as string[]).slice(-NEWEST).reverse()
}

function tryRelease(version: string): Outcome {
  const folder = join(cache, version)
  const problem = install(folder, version)
  if (problem !== null) return { passed: 0, failed: [], problem: `can't be installed: ${problem}` }
  const run = Bun.spawnSync(
    [
      process.execPath,
      join(root, 'scripts/tests/run-tests.ts'),
      '--every-cli',
      '--cli',
      `${version}=${folder}`,
      ...TESTS,
    ],
    { cwd: root, stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' },
  )
  const text = run.stdout.toString()
  const failed = [...text.matchAll(/^\(fail\) (.+?) \[[\d.]+m?s\]$/gm)].map(([, name = '']) => name)
  const [, passed = '0', counted = '0'] = /(\d+) passed, (\d+) failed\s*$/.exec(text) ?? []
  // A file that ended before its tests did has failures without a name.
  const isWhole = run.exitCode === 0 ? Number(passed) > 0 : failed.length > 0 && failed.length >= Number(counted)
  return {
    passed: Number(passed),
    failed,
    problem: isWhole ? null : `the test run did not come to its end:\n${text.trimEnd()}`,
  }
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
