/** A guard that is started before there is a run: it is as good as one that is started for it, and leaves nothing behind. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { attemptId, taskOf } from '../../src/domain/ids'
import { createLogger } from '../../src/util/log'
import { listProcesses } from '../../src/util/process/process-tree'
import { AttemptFolder } from '../../src/worker/run/attempt-folder'
import { Guards } from '../../src/worker/run/guards'
import { endProcesses } from '../../src/worker/run/leftovers'
import { killAll } from '../lab/processes'
import { until } from '../lab/until'
import { LODE } from '../lode-command'
import { failureOf } from '../store-contract/databases'
import { guarded, limitsIn, newAttempt, processesOf, sizesOf, tools } from './guarded'

let folder: string
let attempt: string
let guards: Guards
beforeEach(() => {
  folder = mkdtempSync('/tmp/ld-')
  attempt = newAttempt()
  guards = make({ goesOn: true })
  guards.prepare()
})
afterEach(async () => {
  await guards.close()
  expect(waitingBelow(process.pid)).toEqual([])
  killAll(processesOf(attempt))
  await until('the processes of the test to be gone', () => processesOf(attempt).length === 0)
  rmSync(folder, { recursive: true, force: true })
})

const make = ({ goesOn }: { goesOn: boolean }) =>
  new Guards({
    lode: LODE,
    env: { ...process.env, SECRET: 'of the worker' },
    log: createLogger({ terminalLevel: 'off' }),
    goesOn,
  })

/** Guards below a process that were started without a program, whether they have one by now or not. */
function waitingBelow(parent: number): number[] {
  return listProcesses()
    .filter((row) => row.parent === parent && wordsOf(row.pid).slice(-2).join(' ') === 'guard --wait')
    .map(({ pid }) => pid)
}

function wordsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1)
  } catch {
    return []
  }
}

async function oneWaits(parent = process.pid): Promise<number> {
  await until('a guard to wait', () => waitingBelow(parent).length === 1)
  return waitingBelow(parent)[0] ?? 0
}

const textOf = (stream: ReadableStream<Uint8Array>) => new Response(stream).text()

describe('a guard that waits', () => {
  test('knows nothing of the worker, and runs a program as one that is started for it', async () => {
    const guard = await oneWaits()
    expect(readFileSync(`/proc/${guard}/environ`, 'utf8')).not.toContain('SECRET')
    const large = 'ü'.repeat(40_000)
    const env = { PATH: process.env.PATH ?? '', ODD: 'a=b\nc "$HOME" ü', LARGE: large, LODELINE_ATTEMPT_ID: attempt }
    const words = ['', 'two words', `q'u"o$te`, '--', '--help']
    const script =
      'echo $PPID; pwd; for word; do echo "<$word>"; done; tr "\\0" "\\n" < /proc/self/environ; read -r line'
    const run = await guards.spawn(guarded(attempt, '', { args: ['-c', script, 'sh', ...words], cwd: folder, env }))
    await run.stdin.write('go\n')
    const given = Object.entries(env).map(([name, value]) => `${name}=${value}\n`)
    const told = [guard, folder, ...words.map((word) => `<${word}>`)]
    const text = await textOf(run.stdout)
    expect(text.startsWith(`${told.join('\n')}\n`)).toBe(true)
    for (const line of given) expect(text).toContain(line)
    expect(await run.exited).toEqual({ exitCode: 0, signal: null, by: 'itself' })
  })

  test('is followed by another one, unless no run follows', async () => {
    const used = await oneWaits()
    const run = await guards.spawn(guarded(attempt, 'read -r line'))
    guards.prepareNext()
    await until('the next guard to wait', () => waitingBelow(process.pid).some((pid) => pid !== used))
    await run.killTree()
    const once = make({ goesOn: false })
    const last = await once.spawn(guarded(attempt, 'read -r line'))
    once.prepareNext()
    await last.killTree()
    await once.close()
    // That of the others alone.
    expect(waitingBelow(process.pid)).toHaveLength(1)
  })

  test('that died is no obstacle, and has a successor', async () => {
    const dead = await oneWaits()
    process.kill(dead, 'SIGKILL')
    await until('it to be gone', () => waitingBelow(process.pid).length === 0)
    const run = await guards.spawn(guarded(attempt, 'echo ran'))
    expect(await textOf(run.stdout)).toBe('ran\n')
    expect(await run.exited).toMatchObject({ exitCode: 0, by: 'itself' })
    guards.prepareNext()
    expect(await oneWaits()).not.toBe(dead)
  })

  test('that dies with its order has not run the program twice', async () => {
    const file = join(folder, 'runs')
    const guard = await oneWaits()
    process.kill(guard, 'SIGSTOP')
    const starting = guards.spawn(guarded(attempt, `echo x >> '${file}'`))
    process.kill(guard, 'SIGKILL')
    const run = await starting
    expect(await run.exited).toMatchObject({ exitCode: 0, by: 'itself' })
    expect(readFileSync(file, 'utf8')).toBe('x\n')
  })

  test('begins nothing when the time is over, and ends what it began when it is', async () => {
    const file = join(folder, 'ran')
    await oneWaits()
    const late = guards.spawn(guarded(attempt, `echo > '${file}'`, { limits: limitsIn(-1) }))
    expect(await failureOf(late)).toMatchObject({ code: 'lease_lost' })
    expect(existsSync(file)).toBe(false)
    guards.prepareNext()
    await oneWaits()
    const { script, files } = tools(folder)
    const run = await guards.spawn(guarded(attempt, `${script}\nwait`, { limits: limitsIn(2_000) }))
    expect(await run.exited).toEqual({ exitCode: null, signal: 'SIGKILL', by: 'deadline' })
    expect(processesOf(attempt)).toEqual([])
    expect(sizesOf(files).every((size) => size > 0)).toBe(true)
  })

  test('says what can not be started, and ends', async () => {
    const none = join(folder, 'none')
    for (const [more, code] of [
      [{ command: none }, 'not_found'],
      [{ cwd: none }, 'invalid'],
    ] as const) {
      const guard = await oneWaits()
      expect(await failureOf(guards.spawn(guarded(attempt, '', more)))).toMatchObject({ code })
      await until('it to be gone', () => !waitingBelow(process.pid).includes(guard))
      guards.prepareNext()
    }
  })

  test('ends with a signal, as it has nothing to end in order', async () => {
    process.kill(await oneWaits(), 'SIGTERM')
    await until('it to be gone', () => waitingBelow(process.pid).length === 0)
  })
})

test('a guard that stands still when its worker is gone is ended by the next start of the worker, with its run', async () => {
  const guard = await oneWaits()
  const id = attemptId(attempt)
  const run = await guards.spawn(guarded(attempt, 'read -r line'))
  expect(run.guard?.pid).toBe(guard)
  process.kill(guard, 'SIGSTOP')
  const { pid, startedAt } = run
  const note = {
    attemptId: id,
    taskId: taskOf(id),
    worker: 'w',
    process: { pid, startedAt },
    guard: run.guard,
    epoch: null,
  }
  AttemptFolder.make(folder, id, null).writeNote(note)
  const leftovers = AttemptFolder.list(folder).flatMap((each) => {
    const kept = each.readNote()
    return kept === null ? [] : [{ folder: each, note: kept }]
  })
  expect(leftovers).toHaveLength(1)
  expect(await endProcesses(leftovers)).toBe(true)
  expect(processesOf(attempt)).toEqual([])
  expect(waitingBelow(process.pid)).not.toContain(guard)
  await run.exited
})

test('a killed worker leaves no CLI, no tool, and neither the guard of its run nor the one that waits', async () => {
  const { script, files } = tools(folder)
  const program = { ...guarded(attempt, `${script}\nwait`), lastsMs: [15_000, 15_000], renewEveryMs: 50 }
  const worker = Bun.spawn(
    [process.execPath, join(import.meta.dir, 'guard-worker.ts'), JSON.stringify([program]), 'in advance'],
    { env: { PATH: process.env.PATH ?? '' }, stdout: 'pipe' },
  )
  try {
    await until('the tools to write', () => sizesOf(files).every((size) => size > 0))
    // That of the run was started in advance, too.
    await until('both guards', () => waitingBelow(worker.pid).length === 2)
    const both = waitingBelow(worker.pid)
    worker.kill('SIGKILL')
    await worker.exited
    await until('the tree to be gone', () => processesOf(attempt).length === 0)
    await until('both guards to be gone', () => both.every((pid) => wordsOf(pid).length === 0))
  } finally {
    worker.kill('SIGKILL')
    await worker.exited
  }
})
