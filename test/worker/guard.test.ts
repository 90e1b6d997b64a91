/** `lode guard` and the worker's side of it, with real process trees. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startOf } from '../../src/util/process/process-tree'
import { type GuardedOptions, type GuardedProcess, spawnGuarded } from '../../src/worker/run/guarded-process'
import { killAll } from '../lab/processes'
import { until } from '../lab/until'
import { LODE } from '../lode-command'
import { failureOf } from '../store-contract/databases'
import type { GuardedProgram } from './guard-worker'
import { guarded, newAttempt, processesOf, sizesOf, tools } from './guarded'

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

/** A process that guards programs, and can be killed. */
function startWorker(
  programs: GuardedOptions[],
  lastsMs: GuardedProgram['lastsMs'] = [15_000, 15_000],
  renewEveryMs = 50,
) {
  const argument = JSON.stringify(programs.map((program) => ({ ...program, lastsMs, renewEveryMs })))
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'guard-worker.ts'), argument], {
    env: { PATH: process.env.PATH ?? '' },
    stdout: 'pipe',
  })
  started.push(child)
  return child
}

async function linesOf(stream: ReadableStream<Uint8Array>, count: number): Promise<Record<string, unknown>[]> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (text.split('\n').length <= count) {
    const { value, done } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  reader.releaseLock()
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

const isGone = () => processesOf(attempt).length === 0

/** Waits until every writer writes. */
const atWork = (files: string[]) => until('the tools to write', () => sizesOf(files).every((size) => size > 0))

describe('a guarded program', () => {
  test('gets its arguments, folder and environment exactly as given, and no open file more', async () => {
    const file = join(folder, 'program.mjs')
    writeFileSync(
      file,
      `import { readdirSync, readlinkSync } from 'node:fs'
       const open = readdirSync('/proc/self/fd').filter((fd) => { try { return readlinkSync('/proc/self/fd/' + fd).startsWith('socket:') } catch { return false } })
       console.log(JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd(), env: process.env, open }))`,
    )
    const args = ['--json', '', 'two words', 'line\nbreak', `q'u"o$te`, '--', '--help', 'guard', 'ü\u{1f600}', '-x']
    const env = { PATH: process.env.PATH ?? '', EMPTY: '', ODD: 'a=b\nc "$HOME" ü', LODELINE_ATTEMPT_ID: attempt }
    const run = await spawnGuarded({
      ...guarded(attempt, ''),
      command: Bun.which('node') ?? 'node',
      args: [file, ...args],
      cwd: folder,
      env,
    })
    const seen = JSON.parse(await run.stdout.text()) as Record<string, unknown>
    expect(seen).toEqual({ args, cwd: folder, env, open: ['0', '1', '2'] })
    expect(await run.exited).toEqual({ exitCode: 0, signal: null, by: 'itself' })
  })

  test('reads and writes its own bytes, however many', async () => {
    const run = await spawnGuarded({ ...guarded(attempt, ''), command: '/bin/cat', args: [] })
    const bytes = new Uint8Array(3_000_000).map((_, i) => (i * 7 + (i >> 8)) & 0xff)
    const back = run.stdout.bytes()
    await run.stdin.write(bytes)
    await run.stdin.end()
    expect(Buffer.from(await back).equals(bytes)).toBe(true)
    expect(await run.exited).toMatchObject({ exitCode: 0 })
  })

  test('is told by its pid and start, and its exit code or signal comes back', async () => {
    const run = await spawnGuarded(guarded(attempt, 'echo $$; read -r line; echo "$line" >&2; exit 7'))
    expect(run.startedAt).toBe(startOf(run.pid))
    await run.stdin.write('said\n')
    expect(await run.stdout.text()).toBe(`${run.pid}\n`)
    expect(await run.stderr.text()).toBe('said\n')
    expect(await run.exited).toEqual({ exitCode: 7, signal: null, by: 'itself' })
    const killed = await spawnGuarded(guarded(attempt, 'kill -s USR1 $$'))
    expect(await killed.exited).toEqual({ exitCode: null, signal: 'SIGUSR1', by: 'itself' })
  })

  test('gets a signal alone; its tools do not', async () => {
    const run = await spawnGuarded(
      guarded(attempt, `trap 'echo term; exit 3' TERM; sh -c 'trap "echo tool >&2" TERM; echo up; sleep 60 & wait'`),
    )
    const reader = run.stdout.getReader()
    await reader.read()
    reader.releaseLock()
    run.terminate('SIGTERM')
    // The shell waits for its tool before it runs its trap: only the end of the tree makes it.
    expect(await run.killTree()).toMatchObject({ by: 'worker' })
    expect(await run.stderr.text()).toBe('')
  })

  test('passes on what is sent to its guard, and a second signal does not end the guard', async () => {
    const run = await spawnGuarded(
      guarded(
        attempt,
        `trap 'echo int' INT; echo $PPID; n=0; while [ $n -lt 2 ]; do read -r x; n=$((n+1)); done; exit 4`,
      ),
    )
    const reader = run.stdout.getReader()
    const guard = Number(new TextDecoder().decode((await reader.read()).value))
    for (const _ of [1, 2]) {
      process.kill(guard, 'SIGINT')
      expect(new TextDecoder().decode((await reader.read()).value)).toBe('int\n')
    }
    await run.stdin.write('a\nb\n')
    expect(await run.exited).toMatchObject({ exitCode: 4, by: 'itself' })
  })

  test('takes what it left running with it when it ends by itself', async () => {
    const { script, files } = tools(folder)
    const ready = files.map((file) => `[ -s '${file}' ]`).join(' && ')
    const run = await spawnGuarded(guarded(attempt, `${script}\nuntil ${ready}; do sleep 0.02; done; exit 0`))
    expect(await run.exited).toEqual({ exitCode: 0, signal: null, by: 'itself' })
    expect(processesOf(attempt)).toEqual([])
  })

  test('leaves no ended orphan in the process table for as long as it runs', async () => {
    const run = await spawnGuarded(guarded(attempt, "(sh -c 'echo $$' &); read -r line"))
    const orphan = Number(new TextDecoder().decode((await run.stdout.getReader().read()).value))
    await until('the orphan to be waited for', () => !existsSync(`/proc/${orphan}`))
    await run.killTree()
  })
})

describe('the whole tree is ended, and writes nothing more,', () => {
  /** After the tree is gone nothing is left that could write; a while later still nothing was written. */
  async function expectSilence(files: string[]): Promise<void> {
    await until('the tree to be gone', isGone)
    const sizes = sizesOf(files)
    // Silence has no event: it is seen by a second look.
    await Bun.sleep(150)
    expect(sizesOf(files)).toEqual(sizes)
  }

  test('when its worker is killed', async () => {
    const { script, files } = tools(folder)
    const worker = startWorker([guarded(attempt, `${script}\nwait`)])
    await atWork(files)
    worker.kill('SIGKILL')
    await expectSilence(files)
  })

  test('when its worker stands still past the deadline, and the worker is told so once it goes on', async () => {
    const { script, files } = tools(folder)
    const worker = startWorker([guarded(attempt, `${script}\nwait`)], [1_000, 1_000])
    await atWork(files)
    worker.kill('SIGSTOP')
    await expectSilence(files)
    worker.kill('SIGCONT')
    const [, frozen, end] = await linesOf(worker.stdout, 3)
    expect(frozen).toEqual({ frozen: expect.any(Number) })
    expect(end).toEqual({ exitCode: null, signal: 'SIGKILL', by: 'deadline' })
  })

  test('when its guard is killed', async () => {
    const { script, files } = tools(folder)
    const run = await spawnGuarded(guarded(attempt, `echo $PPID; ${script}\nwait`))
    await atWork(files)
    process.kill(Number(new TextDecoder().decode((await run.stdout.getReader().read()).value)), 'SIGKILL')
    expect(await run.exited).toEqual({ exitCode: null, signal: 'SIGKILL', by: 'guard' })
    await expectSilence(files)
  })

  test('when the worker says so, also by a guard that hangs', async () => {
    for (const isHanging of [false, true]) {
      const { script, files } = tools(mkdtempSync(join(folder, 'kill-')))
      const run = await spawnGuarded(guarded(attempt, `echo $PPID; ${script}\nwait`))
      await atWork(files)
      const guard = Number(new TextDecoder().decode((await run.stdout.getReader().read()).value))
      if (isHanging) process.kill(guard, 'SIGSTOP')
      expect(await run.killTree()).toEqual({
        exitCode: null,
        signal: 'SIGKILL',
        by: isHanging ? 'guard' : 'worker',
      })
      await expectSilence(files)
    }
  })

  test('while it starts processes as fast as it can', async () => {
    const file = join(folder, 'storm')
    const storm = `f() { echo x >> '${file}'; setsid sh -c "sleep 5" & }; while :; do f; done`
    const worker = startWorker([guarded(attempt, `for i in 1 2 3; do (${storm}) & done; wait`)])
    await until('the storm', () => processesOf(attempt).length > 60)
    worker.kill('SIGKILL')
    await expectSilence([file])
  })

  test('each with its own worker: guards side by side hold nothing of one another', async () => {
    const other = newAttempt()
    const worker = startWorker([guarded(attempt, 'sleep 60'), guarded(attempt, 'sleep 61')])
    await linesOf(worker.stdout, 2)
    const stays: GuardedProcess = await spawnGuarded(guarded(other, 'sleep 62'))
    worker.kill('SIGKILL')
    await until('both trees to be gone', isGone)
    expect(processesOf(other).length).toBeGreaterThan(0)
    expect(await stays.killTree()).toMatchObject({ by: 'worker' })
    expect(processesOf(other)).toEqual([])
  })
})

describe('what can not be started is told in words', () => {
  test('a program that is missing or may not be run, a folder that is none', async () => {
    const file = join(folder, 'plain')
    writeFileSync(file, 'text')
    chmodSync(file, 0o600)
    const start = (more: Partial<GuardedOptions>) => failureOf(spawnGuarded(guarded(attempt, '', more)))
    expect(await start({ command: join(folder, 'none') })).toMatchObject({ code: 'not_found' })
    expect(await start({ command: file })).toMatchObject({ code: 'invalid' })
    expect(await start({ cwd: join(folder, 'none') })).toMatchObject({ code: 'invalid', hint: expect.any(String) })
    expect(await start({ cwd: file })).toMatchObject({ code: 'invalid' })
    expect(await start({ lode: [join(folder, 'none')] })).toMatchObject({ code: 'invalid' })
    expect(await start({ lode: ['/bin/sh', '-c', 'echo broken >&2; exit 9'] })).toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('broken'),
      details: { exitCode: 9 },
    })
    // Whoever kills it says nothing of the program.
    expect(await start({ lode: ['/bin/sh', '-c', 'kill -9 $$'] })).toMatchObject({ code: 'unavailable' })
    expect(processesOf(attempt)).toEqual([])
  })

  test('a guard without a worker refuses to start anything', () => {
    const file = join(folder, 'ran')
    for (const words of [['guard', '--', '/bin/sh', '-c', `echo > ${file}`], ['guard'], ['guard', '--nonsense']]) {
      const { exitCode, stderr } = Bun.spawnSync([...LODE, ...words], { env: { PATH: process.env.PATH ?? '' } })
      expect(exitCode).toBe(2)
      expect(stderr.toString()).toContain('run by workers')
    }
    expect(() => readFileSync(file)).toThrow()
  })
})
