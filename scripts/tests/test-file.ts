import { closeSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { BUSY_VARIABLE } from '../../test/browser/page/chromium-busy'
import { QUICK_START } from '../../test/lab/quick-start'

/** What came of one test file. */
export interface FileResult {
  file: string
  passed: number
  /** Failing tests, skipped and todo ones, and what went wrong outside tests: 0 only when all is well. */
  failed: number
  /** What went wrong besides failing tests, in sentences. */
  problems: string[]
  /** stdout and stderr of the file's process, in the order written. */
  output: string
  durationMs: number
  /** How long a core was busy with it, with the processes that it waited for, and with the pages of its browser. */
  busyMs: number
}

/** How one test file is run. */
export interface FileRun {
  /** The project's folder; `file` is relative to it. */
  root: string
  env: Record<string, string>
  /** A folder for the run's own files; is made. */
  scratch: string
  /** The file's whole process group is killed after this many milliseconds. */
  timeoutMs: number
  /** It may compute for long, which wants the runtime's best code. */
  isLong: boolean
  /** Kills the process group at once when it is aborted. */
  signal: AbortSignal
}

const BUNDLED_THREADS = resolve(import.meta.dir, '../../test/bundled-threads.ts')
const DRAWN_VALUES = resolve(import.meta.dir, '../../test/drawn-values.ts')

/**
 * One test's limit in milliseconds: a guard against hanging, not a measurement. A first one may have to install a browser or the agent
 * CLIs, and waits for nothing else longer than `PATIENCE_MS`.
 */
const TEST_TIMEOUT_MS = 700_000

/**
 * Runs one file under `bun test` in a process group of its own, which is empty afterwards: what a test left running is
 * named as a problem and killed. Never throws.
 */
export async function runTestFile(file: string, run: FileRun): Promise<FileResult> {
  mkdirSync(run.scratch, { recursive: true })
  const junit = `${run.scratch}/junit.xml`
  const log = `${run.scratch}/output.txt`
  const browserBusy = `${run.scratch}/browser-busy`
  const startedAt = performance.now()
  const drawsValues = await hasProperties(resolve(run.root, file))
  // One descriptor for both streams keeps their order.
  const out = openSync(log, 'a')
  const child = Bun.spawn(
    [
      process.execPath,
      'test',
      `--timeout=${TEST_TIMEOUT_MS}`,
      '--reporter=junit',
      `--reporter-outfile=${junit}`,
      `--preload=${BUNDLED_THREADS}`,
      ...(drawsValues ? [`--preload=${DRAWN_VALUES}`] : []),
      `./${file}`,
    ],
    {
      cwd: run.root,
      env: { ...(drawsValues || run.isLong ? {} : QUICK_START), ...run.env, [BUSY_VARIABLE]: browserBusy },
      stdin: 'ignore',
      stdout: out,
      stderr: out,
      detached: true,
    },
  )
  closeSync(out)

  const problems: string[] = []
  const kill = () => signalGroup(child.pid, 'SIGKILL')
  const timer = setTimeout(() => {
    problems.push(`ran for more than ${run.timeoutMs / 1000} s and was killed`)
    kill()
  }, run.timeoutMs)
  run.signal.addEventListener('abort', kill)
  const code = await child.exited
  clearTimeout(timer)
  run.signal.removeEventListener('abort', kill)

  const leaked = await leftRunning(child.pid)
  if (leaked.length > 0) {
    problems.push(`left running: ${leaked.join('; ')}`)
    kill()
  }
  const counts = parseJunit(await readFile(junit, 'utf8').catch(() => ''))
  if (!counts) problems.push(`no test ran to its end (exit code ${code})`)
  else if (counts.tests === 0) problems.push('has no test')
  else if (counts.skipped > 0)
    problems.push(`${counts.skipped} skipped or todo: write down what is not supported as a test`)
  else if (code !== 0 && counts.failures === 0) problems.push(`ended with exit code ${code} although no test failed`)

  const failures = counts?.failures ?? 0
  const skipped = counts?.skipped ?? 0
  const otherProblems = problems.length - (skipped > 0 ? 1 : 0)
  return {
    file,
    passed: (counts?.tests ?? 0) - failures - skipped,
    failed: failures + skipped + otherProblems,
    problems,
    output: await readFile(log, 'utf8').catch(() => ''),
    durationMs: performance.now() - startedAt,
    busyMs:
      Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1_000 +
      Number(await readFile(browserBusy, 'utf8').catch(() => '0')),
  }
}

/** Whether a file needs what is loaded for properties alone: it costs every other file a twentieth of a second. */
const hasProperties = async (path: string): Promise<boolean> =>
  (await readFile(path, 'utf8').catch(() => '')).includes("'fast-check'")

/** The totals that bun writes on the report's outermost element. */
function parseJunit(xml: string): { tests: number; failures: number; skipped: number } | undefined {
  const element = /<testsuites\b[^>]*>/.exec(xml)?.[0]
  if (!element) return undefined
  const attribute = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(element)?.[1] ?? Number.NaN)
  const totals = { tests: attribute('tests'), failures: attribute('failures'), skipped: attribute('skipped') }
  return Object.values(totals).some(Number.isNaN) ? undefined : totals
}

function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal)
  } catch {
    // The group is empty: what was asked for.
  }
}

/** The commands still alive in a group whose leader has ended, after a second's grace for those about to end. */
async function leftRunning(leader: number): Promise<string[]> {
  const deadline = performance.now() + 1000
  for (;;) {
    const alive = groupMembers(leader)
    if (alive.length === 0 || performance.now() > deadline) return alive
    await Bun.sleep(20)
  }
}

function groupMembers(leader: number): string[] {
  try {
    process.kill(-leader, 0)
  } catch {
    return []
  }
  if (process.platform !== 'linux') {
    const list = Bun.spawnSync(['ps', '-A', '-o', 'pgid=,stat=,command=']).stdout.toString()
    const lines = list.split('\n').map((line) => line.trim().split(/\s+/))
    return lines
      .filter(([group, state]) => Number(group) === leader && !state?.startsWith('Z'))
      .map((fields) => fields.slice(2).join(' '))
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
        const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        // An ended process whose parent has not looked yet is not running.
        if (Number(group) !== leader || state === 'Z' || state === 'X') return []
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || `process ${pid}`]
      } catch {
        return []
      }
    })
}
