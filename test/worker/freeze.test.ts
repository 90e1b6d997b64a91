/** A tree that stands still: all of it, whatever process stopped it, and whole again or wholly gone afterwards. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type GuardedOptions, spawnGuarded } from '../../src/worker/run/guarded-process'
import { cliPath } from '../lab/claude'
import { openLab } from '../lab/lab'
import { isStill, killAll } from '../lab/processes'
import { until } from '../lab/until'
import { LODE } from '../lode-command'
import { failureOf } from '../store-contract/databases'
import type { GuardedProgram } from './guard-worker'
import { guarded, limitsIn, newAttempt, processesOf, sizesOf, tools } from './guarded'

let folder: string
let attempt: string
let started: Bun.Subprocess[]
beforeEach(() => {
  folder = mkdtempSync('/tmp/ld-')
  attempt = newAttempt()
  started = []
})
afterEach(async () => {
  for (const child of started) {
    child.kill('SIGKILL')
    await child.exited
  }
  killAll(processesOf(attempt))
  await until('the processes of the test to be gone', () => processesOf(attempt).length === 0)
  rmSync(folder, { recursive: true, force: true })
})

const stateOf = (pid: number): string => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  return stat[stat.lastIndexOf(')') + 2] ?? ''
}

/** Processes of the tree alone: the guard is none of it. */
const inTree = (guard: number) => processesOf(attempt).filter((pid) => pid !== guard)

/** Starts it, and gives what the guard says. */
async function start(script: string, more: Partial<GuardedOptions> = {}) {
  const said: string[] = []
  const run = await spawnGuarded(
    guarded(attempt, `echo $PPID\n${script}`, {
      onFrozen: (count) => said.push(`frozen ${count > 0}`),
      onThawed: (count) => said.push(`thawed ${count > 0}`),
      ...more,
    }),
  )
  const guard = Number(new TextDecoder().decode((await run.stdout.getReader().read()).value).split('\n')[0])
  return { run, said, guard }
}

const atWork = (files: string[]) => until('the tools to write', () => sizesOf(files).every((size) => size > 0))
/**
 * Waits until the tree stands still: a process that has to stop first ends what it is at in the system. A shell whose new child was stopped
 * before it became a program waits for it in `D`; a command that ended before the stop stays a `Z` until its parent goes on.
 */
const allStill = (pids: () => number[]) => until('every process to stand still', () => pids().every(isStill))

test('a tree that is not renewed stands still in all its sessions, goes on at a renewal, and is ended whole', async () => {
  const { script, files } = tools(folder)
  const { run, said, guard } = await start(`${script}\nwait`, { limits: limitsIn(2_000, 60_000) })
  await atWork(files)
  await until('the tree to stand still', () => said.length > 0)
  expect(inTree(guard).length).toBeGreaterThan(files.length)
  await allStill(() => inTree(guard))
  const sizes = sizesOf(files)
  // Standing still has no event: it is seen by a second look.
  await Bun.sleep(300)
  expect(sizesOf(files)).toEqual(sizes)
  // A lease that stands still sets nothing going.
  run.held(limitsIn(60_000))
  await Bun.sleep(300)
  expect(sizesOf(files)).toEqual(sizes)
  run.renewed(limitsIn(60_000))
  await until('the tools to go on', () => sizesOf(files).every((size, i) => size > (sizes[i] ?? 0)))
  await until('the guard to say so', () => said.length > 1)
  expect(said).toEqual(['frozen true', 'thawed true'])
  run.renewed(limitsIn(0, 400))
  expect(await run.exited).toEqual({ exitCode: null, signal: 'SIGKILL', by: 'deadline' })
  expect(said).toEqual(['frozen true', 'thawed true', 'frozen true'])
  expect(processesOf(attempt)).toEqual([])
})

test('a tree that starts processes as fast as it can stands still', async () => {
  const file = join(folder, 'storm')
  const storm = `f() { echo x >> '${file}'; setsid sh -c "sleep 0.2; echo y >> '${file}'" & }; while :; do f; done`
  const { run, said, guard } = await start(`for i in 1 2; do (${storm}) & done; wait`, {
    limits: limitsIn(2_500, 60_000),
  })
  await until('the storm to stand still', () => said.length > 0)
  await allStill(() => inTree(guard))
  const size = sizesOf([file])
  // Standing still has no event: it is seen by a second look.
  await Bun.sleep(500)
  expect(sizesOf([file])).toEqual(size)
  expect(await run.killTree()).toMatchObject({ by: 'worker' })
  expect(processesOf(attempt)).toEqual([])
})

test('a process that stood still before goes on only when whoever stopped it says so', async () => {
  const { run, said } = await start(`sleep 60 & kill -STOP $!; echo $! > ${folder}/pid; wait`, {
    limits: limitsIn(2_000, 60_000),
  })
  await until('the tree to stand still', () => said.length > 0)
  run.renewed(limitsIn(60_000))
  await until('it to go on', () => said.length > 1)
  expect(stateOf(Number(readFileSync(join(folder, 'pid'), 'utf8')))).toBe('T')
  await run.killTree()
})

test('a tree that stands still goes with its worker, and with its guard', async () => {
  for (const isGuard of [true, false]) {
    const { script, files } = tools(mkdtempSync(join(folder, 'end-')))
    const { run, said, guard } = await start(`${script}\nwait`, { limits: limitsIn(1_500, 60_000) })
    await until('the tree to stand still', () => said.length > 0)
    const sizes = sizesOf(files)
    if (isGuard) process.kill(guard, 'SIGKILL')
    else await run.killTree()
    expect(await run.exited).toMatchObject({ by: isGuard ? 'guard' : 'worker' })
    expect(processesOf(attempt)).toEqual([])
    expect(sizesOf(files)).toEqual(sizes)
  }
})

test('a guard that stood still itself, as in sleep, stops the tree at once, and ends it only when nobody renews', async () => {
  for (const isRenewed of [true, false]) {
    const { script, files } = tools(mkdtempSync(join(folder, 'sleep-')))
    const { run, said, guard } = await start(`${script}\nwait`, { limits: limitsIn(1_500, 2_500) })
    await atWork(files)
    const tree = inTree(guard)
    // The machine sleeps: nothing of it runs, and the time goes by.
    process.kill(guard, 'SIGSTOP')
    // A command of the tools may have ended meanwhile.
    for (const pid of tree) if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGSTOP')
    const sizes = sizesOf(files)
    await Bun.sleep(4_000)
    process.kill(guard, 'SIGCONT')
    await until('the tree to be stopped', () => said.length > 0)
    await allStill(() => tree)
    expect(sizesOf(files)).toEqual(sizes)
    if (isRenewed) {
      run.renewed(limitsIn(60_000))
      await until('the guard to say so', () => said.length > 1)
      expect(said[1]).toStartWith('thawed')
      expect(await run.killTree()).toMatchObject({ by: 'worker' })
    } else expect(await run.exited).toMatchObject({ by: 'deadline' })
    expect(processesOf(attempt)).toEqual([])
  }
})

test('a program whose lease is over before it could begin is not begun', async () => {
  const file = join(folder, 'ran')
  const late = spawnGuarded(guarded(attempt, `echo > ${file}`, { limits: limitsIn(0, 60_000) }))
  expect(await failureOf(late)).toMatchObject({ code: 'lease_lost' })
  expect(existsSync(file)).toBe(false)
})

describe('the real CLI', () => {
  test('that stands still in the middle of a tool, again and again, comes to its end as if nothing had been', async () => {
    const path = join(folder, 'counts.json')
    const count = {
      command: `for i in 1 2 3 4 5 6 7 8 9 10; do echo $i >> ${folder}/counted; sleep 0.3; done`,
      description: 'Count',
    }
    const steps = [{ tools: [{ name: 'Bash', input: count }] }, { text: 'Counted.' }]
    writeFileSync(path, JSON.stringify([{ name: 'counts', match: { who: 'main', prompt: 'count' }, steps }]))
    const version = '2.1.328'
    const lab = await openLab({ claude: { version, script: path } })
    try {
      const program: GuardedProgram = {
        lode: LODE,
        command: cliPath(version),
        args: ['-p', 'count', '--output-format', 'stream-json', '--verbose', '--allowedTools', 'Bash'],
        cwd: lab.claude.project,
        env: lab.claude.environment({ LODELINE_ATTEMPT_ID: attempt }),
        // Renewed too late each time: it stands still for the rest.
        lastsMs: [900, 60_000],
        renewEveryMs: 1_500,
      }
      const worker = Bun.spawn(
        [process.execPath, join(import.meta.dir, 'guard-worker.ts'), JSON.stringify([program])],
        {
          env: { PATH: process.env.PATH ?? '' },
          stdout: 'pipe',
        },
      )
      started.push(worker)
      const lines = (await worker.stdout.text())
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object)
      expect(lines.at(-1)).toEqual({ exitCode: 0, signal: null, by: 'itself' })
      expect(lines.filter((line) => 'frozen' in line).length).toBeGreaterThan(1)
      expect(readFileSync(join(folder, 'counted'), 'utf8').trim().split('\n')).toHaveLength(10)
    } finally {
      await lab.stop()
    }
  })
})
