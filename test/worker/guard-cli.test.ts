/** A killed worker takes the real CLI with it, in the middle of its tools, and so does one that stands still. */
import { afterEach, expect } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { proveGone, startOf } from '../../src/util/process/process-tree'
import { type CliVersion, cliPath, EACH_CLI } from '../lab/claude'
import { inTurn } from '../lab/in-turn'
import { type LabWith, openLab } from '../lab/lab'
import { killAll } from '../lab/processes'
import { until } from '../lab/until'
import { LODE } from '../lode-command'
import { newAttempt, processesOf, sizesOf } from './guarded'

let lab: LabWith<'claude'> | undefined
let worker: Bun.Subprocess | undefined
let folder = ''
const attempt = newAttempt()

afterEach(async () => {
  worker?.kill('SIGKILL')
  await worker?.exited
  killAll(processesOf(attempt))
  await lab?.stop()
  rmSync(folder, { recursive: true, force: true })
  lab = undefined
  worker = undefined
})

/** One tool in the background and one in the foreground, each adding to a file every 100 ms. */
function writeScript(): { path: string; files: string[] } {
  const files = ['background', 'foreground'].map((name) => join(folder, name))
  const [background, foreground] = files.map((file) => ({
    command: `while :; do echo x >> ${file}; sleep 0.1; done`,
    description: 'Write a file',
  }))
  const path = join(folder, 'writes.json')
  const steps = [
    { tools: [{ name: 'Bash', input: { ...background, run_in_background: true } }] },
    { tools: [{ name: 'Bash', input: foreground }] },
    { text: 'Written.' },
  ]
  writeFileSync(path, JSON.stringify([{ name: 'writes', match: { who: 'main', prompt: 'write' }, steps }]))
  return { path, files }
}

async function startRun(version: CliVersion, deadlineMs: number) {
  folder = mkdtempSync('/tmp/ld-')
  const { path, files } = writeScript()
  lab = await openLab({ claude: { version, script: path } })
  const program = {
    lode: LODE,
    command: cliPath(version),
    args: [
      '-p',
      '--input-format',
      'stream-json',
      '--output-format',
      'stream-json',
      '--verbose',
      '--allowedTools',
      'Bash',
    ],
    cwd: lab.claude.project,
    env: lab.claude.environment({ LODELINE_ATTEMPT_ID: attempt }),
    lastsMs: [deadlineMs, deadlineMs],
    renewEveryMs: 100,
    input: `${JSON.stringify({ type: 'user', message: { role: 'user', content: 'write' } })}\n`,
  }
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'guard-worker.ts'), JSON.stringify([program])], {
    env: { PATH: process.env.PATH ?? '' },
    stdout: 'pipe',
  })
  worker = child
  const reader = child.stdout.getReader()
  const { pid } = JSON.parse(new TextDecoder().decode((await reader.read()).value)) as { pid: number }
  reader.releaseLock()
  await until('both tools to write', () => sizesOf(files).every((size) => size > 0))
  return { child, pid, files }
}

/** Nothing is left that could write, and nothing is written. */
async function expectSilence(files: string[]): Promise<void> {
  await until('the CLI and its tools to be gone', () => processesOf(attempt).length === 0)
  const before = files.map((file) => readFileSync(file, 'utf8'))
  // Silence has no event: it is seen by a second look.
  await Bun.sleep(400)
  expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(before)
}

inTurn(EACH_CLI, 'Claude Code %s', (test, version) => {
  test('a killed worker takes the CLI and its tools along', async () => {
    const { child, files } = await startRun(version, 15_000)
    child.kill('SIGKILL')
    await expectSilence(files)
  })

  test('a worker that stands still past its deadline loses the CLI and its tools', async () => {
    const { child, files } = await startRun(version, 1_500)
    child.kill('SIGSTOP')
    await expectSilence(files)
  })

  test('the next attempt proves a tree gone whose worker and guard are both dead', async () => {
    const { child, pid, files } = await startRun(version, 15_000)
    const startedAt = startOf(pid)
    const guard = Bun.spawnSync(['ps', '-o', 'ppid=', '-p', String(pid)]).stdout.toString()
    killAll([Number(guard), child.pid])
    await child.exited
    expect(await proveGone({ pid, startedAt }, { mark: `LODELINE_ATTEMPT_ID=${attempt}` })).toBe(true)
    expect(processesOf(attempt)).toEqual([])
    await expectSilence(files)
  })
})
