import { afterEach, describe, expect, test } from 'bun:test'
import {
  descendantsOf,
  endNow,
  isSameProcess,
  listByPs,
  listProcesses,
  type ProcessIdentity,
  proveGone,
  startOf,
} from './process-tree'

const children: Bun.Subprocess[] = []
function start(script: string, env: Record<string, string> = {}): Bun.Subprocess<'ignore', 'pipe'> {
  const child = Bun.spawn(['/bin/sh', '-c', script], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdin: 'ignore',
    stdout: 'pipe',
  })
  children.push(child)
  return child
}
afterEach(async () => {
  for (const child of children.splice(0)) {
    const below = stopBelow(child)
    for (const { pid } of below) signal(pid, 'SIGKILL')
    child.kill('SIGKILL')
    await child.exited
    while (below.some(isSameProcess)) await Bun.sleep(1)
  }
})

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended by itself.
  }
}

/** Everything below it, stopped: a shell that is about to start something else would leave that behind. */
function stopBelow(child: Bun.Subprocess): ProcessIdentity[] {
  const stopped = new Map<number, ProcessIdentity>()
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGSTOP')
  for (;;) {
    const more = descendantsOf(child.pid).filter(({ pid }) => !stopped.has(pid))
    if (more.length === 0) return [...stopped.values()]
    for (const { pid } of more) {
      stopped.set(pid, identity(pid))
      signal(pid, 'SIGSTOP')
    }
  }
}

const identity = (pid: number) => ({ pid, startedAt: startOf(pid) ?? '' })
async function firstNumber(stream: ReadableStream<Uint8Array>): Promise<number> {
  const reader = stream.getReader()
  const { value } = await reader.read()
  reader.releaseLock()
  return Number(new TextDecoder().decode(value).split('\n')[0])
}

describe('a process', () => {
  test('is the same for as long as it runs, and no other one is', async () => {
    const child = start('exec sleep 60')
    const known = identity(child.pid)
    expect(isSameProcess(known)).toBe(true)
    expect(isSameProcess({ ...known, startedAt: `1${known.startedAt}` })).toBe(false)
    // The clock of these times ticks a hundred times a second: this very process may have begun in the same tick.
    expect(startOf(1)).not.toBe(known.startedAt)
    child.kill('SIGKILL')
    await child.exited
    expect(isSameProcess(known)).toBe(false)
    for (const pid of [0, -1, 1.5, Number.NaN, 2 ** 40]) expect(startOf(pid)).toBe(null)
  })

  test('has its descendants at any depth, parents first', async () => {
    const child = start('sh -c "sh -c \'echo \\$\\$; sleep 60; :\'; :"; :')
    const deepest = await firstNumber(child.stdout)
    const rows = listProcesses()
    const below = descendantsOf(child.pid, rows).map(({ pid }) => pid)
    expect(below).toContain(deepest)
    for (const { pid, parent } of descendantsOf(child.pid, rows))
      if (parent !== child.pid) expect(below.indexOf(parent)).toBeLessThan(below.indexOf(pid))
    expect(descendantsOf(process.pid, rows).map(({ pid }) => pid)).toContain(deepest)
  })

  test('is seen by ps as it is seen in /proc', () => {
    const child = start('exec sleep 60')
    const row = { pid: child.pid, parent: process.pid }
    expect(listProcesses()).toContainEqual(expect.objectContaining(row))
    expect(listByPs()).toContainEqual(expect.objectContaining(row))
    expect(listByPs(child.pid)).toMatchObject([{ ...row, startedAt: expect.stringMatching(/\d\d:\d\d:\d\d \d{4}$/) }])
    // The look itself is no process of the machine.
    expect(descendantsOf(process.pid, listByPs()).map(({ pid }) => pid)).toEqual([child.pid])
  })
})

describe('a former tree', () => {
  test('is gone after its proof, with what it started in other sessions', async () => {
    const child = start('setsid sh -c "echo $$; exec sleep 60" & setsid sleep 61 & wait')
    await firstNumber(child.stdout)
    const former = identity(child.pid)
    const below = descendantsOf(child.pid).map(({ pid }) => identity(pid))
    expect(below.length).toBeGreaterThan(0)
    expect(await proveGone(former)).toBe(true)
    expect([former, ...below].filter(isSameProcess)).toEqual([])
    expect(await proveGone(former)).toBe(true)
  })

  test('that left nothing but orphans is found by its mark', async () => {
    const mark = `LODELINE_TEST_MARK=${crypto.randomUUID()}`
    const [name = '', value = ''] = mark.split('=')
    const child = start("(setsid sh -c 'echo $$; exec sleep 60' &)", { [name]: value })
    const orphan = identity(await firstNumber(child.stdout))
    await child.exited
    expect(isSameProcess(orphan)).toBe(true)
    expect(await proveGone(null, { mark: mark.slice(0, -1) })).toBe(true)
    expect(isSameProcess(orphan)).toBe(true)
    expect(await proveGone({ pid: child.pid, startedAt: 'long ago' }, { mark })).toBe(true)
    expect(isSameProcess(orphan)).toBe(false)
  })

  test('whose pid was used again is gone, and the new process stays', async () => {
    const child = start('exec sleep 60')
    const { pid, startedAt } = identity(child.pid)
    expect(await proveGone({ pid, startedAt: `0${startedAt}` })).toBe(true)
    expect(isSameProcess({ pid, startedAt })).toBe(true)
  })

  test('of which only the pid is known is gone when no process has it, and is not killed otherwise', async () => {
    const child = start('exec sleep 60')
    expect(await proveGone({ pid: child.pid, startedAt: null }, { withinMs: 20 })).toBe(false)
    expect(startOf(child.pid)).not.toBe(null)
    child.kill('SIGKILL')
    await child.exited
    expect(await proveGone({ pid: child.pid, startedAt: null })).toBe(true)
  })

  test('never is the process that asks, nor one above it', async () => {
    const child = start('exec sleep 60')
    const parent = identity(process.ppid)
    expect(await proveGone(identity(process.pid))).toBe(true)
    await child.exited
    expect(child.signalCode).toBe('SIGKILL')
    expect(isSameProcess(parent)).toBe(true)
  })

  test('can be ended at once', async () => {
    const child = start('sleep 60 & sleep 61 & wait')
    expect(endNow({ roots: [identity(child.pid)] }, 2_000)).toBe(true)
    expect(startOf(child.pid)).toBe(null)
    await child.exited
  })
})
