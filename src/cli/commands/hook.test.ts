import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../../config/load'
import { parseHookLine } from '../../util/hook-journal'
import { dispatch } from '../dispatch'
import { fakeIo } from '../kit/fake-io'
import { runHook } from './hook'

let home: string
beforeEach(() => {
  home = mkdtempSync('/tmp/ld-')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const journal = (name = 'hooks.jsonl') => join(home, 'hooks', name)
const lines = (name?: string) => readFileSync(journal(name), 'utf8').split('\n').filter(Boolean)

/** A stream that gives `parts`; `end: false` = its writer never closes it. */
function stream(parts: (string | Uint8Array)[], end = true): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(typeof part === 'string' ? Buffer.from(part) : part)
      if (end) controller.close()
    },
  })
}

function hook(stdin: ReadableStream<Uint8Array>, env: Record<string, string> = {}): Promise<number> {
  return runHook({ home, stdin, env, limitMs: 20 })
}

/** A process of its own that does what `lode hook` does. */
function spawnHook(payload: string | Uint8Array | null, env: Record<string, string> = {}) {
  return Bun.spawn({
    cmd: [
      process.execPath,
      '-e',
      `import { runHook } from ${JSON.stringify(join(import.meta.dir, 'hook.ts'))}
       process.exit(await runHook({ home: undefined, stdin: Bun.stdin.stream(), env: process.env }))`,
    ],
    env: { ...process.env, LODELINE_HOME: home, ...env },
    stdin: payload === null ? 'ignore' : Buffer.from(payload),
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

async function outcome(child: ReturnType<typeof spawnHook>) {
  const [code, out, err] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { code, out, err }
}

function makeHome(): string {
  mkdirSync(home)
  return home
}

const SILENT = { code: 0, out: '', err: '' }

describe('lode hook', () => {
  test('puts the payload into the hook journal with who asked, and prints nothing', async () => {
    const payload = '{"session_id":"s1",\n "hook_event_name":"Stop"}\n'
    expect(await outcome(spawnHook(payload, { CLAUDE_PID: '42', ANTHROPIC_API_KEY: 'sk-secret' }))).toEqual(SILENT)
    const [line] = lines()
    expect(lines()).toHaveLength(1)
    expect(line).not.toContain('sk-secret')
    const read = parseHookLine(Buffer.from(line ?? ''))
    expect(read?.payload).toEqual({ session_id: 's1', hook_event_name: 'Stop' })
    expect(read?.env.CLAUDE_PID).toBe('42')
    expect(read?.ppid).toBe(process.pid)
  })

  test('loses and tears nothing when many run at once', async () => {
    const numbers = Array.from({ length: 16 }, (_, i) => i)
    const payload = (n: number) => JSON.stringify({ n, text: 'y'.repeat(300_000) })
    const outcomes = await Promise.all(numbers.map((n) => outcome(spawnHook(payload(n)))))
    expect(outcomes).toEqual(numbers.map(() => SILENT))
    const seen = lines().map((line) => parseHookLine(Buffer.from(line))?.payload as { n: number } | undefined)
    expect(seen).toHaveLength(numbers.length)
    expect(new Set(seen.map((payload) => payload?.n))).toEqual(new Set(numbers))
  })

  test('keeps a payload of 20 MB on one line', async () => {
    const payload = JSON.stringify({ text: 'é'.repeat(10_000_000) })
    expect(await hook(stream([payload]))).toBe(0)
    expect(lines()).toHaveLength(1)
    expect(JSON.stringify(parseHookLine(Buffer.from(lines()[0] ?? ''))?.payload)).toBe(payload)
  })

  test('keeps what came from a writer that never ends, and does not wait for it', async () => {
    expect(await hook(stream(['{"a":', '1}'], false))).toBe(0)
    expect(await hook(stream(['{"a":'], false))).toBe(0)
    const [whole, half] = lines().map((line) => parseHookLine(Buffer.from(line)))
    expect(whole).toMatchObject({ payload: { a: 1 }, isCut: false })
    expect(half?.isCut).toBe(true)
    expect(Buffer.from(half?.invalidPayload ?? []).toString()).toBe('{"a":')
  })

  test('waits longer for a writer that begins late', async () => {
    const late = new ReadableStream<Uint8Array>({
      async start(controller) {
        await Bun.sleep(300)
        controller.enqueue(Buffer.from('{"a":'))
        await Bun.sleep(50)
        controller.enqueue(Buffer.from('1}'))
        controller.close()
      },
    })
    expect(await runHook({ home, stdin: late, env: {}, limitMs: 200 })).toBe(0)
    expect(lines().map((line) => parseHookLine(Buffer.from(line))?.payload)).toEqual([{ a: 1 }])
  })

  test('a machine that stands still for longer than the limit loses no payload', async () => {
    const code = `import { runHook } from ${JSON.stringify(join(import.meta.dir, 'hook.ts'))}
      const stdin = Bun.stdin.stream()
      process.stdout.write('reads')
      process.exit(await runHook({ home: ${JSON.stringify(home)}, stdin, env: {}, limitMs: 100 }))`
    const child = Bun.spawn([process.execPath, '-e', code], { stdin: 'pipe', stdout: 'pipe' })
    child.stdin.write('{"text":')
    child.stdin.flush()
    await child.stdout.getReader().read()
    child.kill('SIGSTOP')
    child.stdin.write(`"${'x'.repeat(30_000)}"}`)
    child.stdin.end()
    await Bun.sleep(400)
    child.kill('SIGCONT')
    expect(await child.exited).toBe(0)
    expect(lines().map((line) => parseHookLine(Buffer.from(line))?.payload)).toEqual([{ text: 'x'.repeat(30_000) }])
  })

  test('writes nothing when nothing came', async () => {
    expect(await outcome(spawnHook(null))).toEqual(SILENT)
    expect(await hook(stream([]))).toBe(0)
    expect(() => lines()).toThrow()
  })

  test('answers 0 when stdin breaks', async () => {
    const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('gone')) })
    expect(await hook(broken)).toBe(0)
  })

  test.each([
    ['is a file', () => writeFileSync(home, '')],
    ['has a file where the folder of hooks should be', () => writeFileSync(join(makeHome(), 'hooks'), '')],
    ['has a folder where the journal should be', () => mkdirSync(journal(), { recursive: true })],
  ])('answers 0 when its home %s', async (_name, prepare) => {
    rmSync(home, { recursive: true })
    prepare()
    expect(await outcome(spawnHook('{}'))).toEqual(SILENT)
  })

  test('answers 0 when the journal may not be written', async () => {
    mkdirSync(join(home, 'hooks'))
    writeFileSync(journal(), '')
    chmodSync(journal(), 0o400)
    chmodSync(join(home, 'hooks'), 0o500)
    expect(await hook(stream(['{}']))).toBe(0)
    chmodSync(join(home, 'hooks'), 0o700)
  })

  test('appends to the newest file of the journal', async () => {
    await hook(stream(['1']))
    writeFileSync(journal('hooks-2.jsonl'), '')
    await hook(stream(['2']))
    renameSync(journal('hooks-2.jsonl'), journal('hooks-7.jsonl'))
    await hook(stream(['3']))
    expect(lines()).toHaveLength(1)
    expect(lines('hooks-7.jsonl').map((line) => parseHookLine(Buffer.from(line))?.payload)).toEqual([2, 3])
  })

  test('finds the same home as every other command', async () => {
    const cwd = process.cwd()
    for (const env of [
      { HOME: home },
      { HOME: '/nowhere', LODELINE_HOME: join(home, 'a') },
      { HOME: home, LODELINE_HOME: '' },
    ]) {
      await runHook({ home: undefined, stdin: stream(['{}']), env })
      const { home: configured } = loadConfig({ cwd, env })
      expect(readFileSync(join(configured, 'hooks', 'hooks.jsonl'), 'utf8')).toContain('"payload":{}')
    }
  })

  test('loads nothing but itself, the hook journal and node:fs', async () => {
    // Splitting keeps what is loaded only for an answer out of the first file.
    const entrypoints = [join(import.meta.dir, 'hook.ts')]
    const built = await Bun.build({ entrypoints, target: 'bun', minify: false, splitting: true })
    const text = await built.outputs.find((output) => output.kind === 'entry-point')?.text()
    const files = new Set([...(text ?? '').matchAll(/^\/\/ (\S+\.[tj]s)$/gm)].map((match) => match[1]))
    expect([...files].sort()).toEqual([
      'src/cli/commands/hook.ts',
      'src/cli/kit/command.ts',
      'src/util/append-line.ts',
      'src/util/hook-journal.ts',
    ])
  })
})

test('typed at a terminal it says what it is for, waits for nothing and records nothing', async () => {
  const io = { ...fakeIo({ env: { LODELINE_HOME: home, HOME: home } }), isInTerminal: true }
  expect(await dispatch(['hook'], io, new AbortController().signal)).toBe(0)
  expect(io.stderr).toContain('lode setup claude')
  expect(existsSync(join(home, 'hooks'))).toBe(false)
})
