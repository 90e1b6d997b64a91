/** What a person reads who starts Lodeline, and the way from there to the dashboard: real processes, real HTTP. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Client, createClient } from '../../src/api/client'
import { ISSUES } from '../../src/demo/last-act'
import { freePort } from '../lab/free-port'
import { isRunning, killAll, processTree } from '../lab/processes'
import { until } from '../lab/until'
import { LODE } from '../lode-command'

let folder: string
let started: Bun.Subprocess<'ignore', 'pipe', 'pipe'>[]
beforeEach(() => {
  // Short: the agent's CLI makes sockets below it.
  folder = mkdtempSync('/tmp/ld-')
  for (const name of ['home', 'tmp']) mkdirSync(join(folder, name))
  started = []
})
afterEach(async () => {
  for (const child of started) if (child.exitCode === null) killAll(processTree(child.pid))
  await Promise.all(started.map((child) => child.exited))
  rmSync(folder, { recursive: true, force: true })
})

/** A `lode` that stays up, and all that it has printed. */
const start = (...args: string[]) => startIn('home', ...args)

/** As `start`, of the person whose home folder has this name. */
function startIn(home: string, ...args: string[]) {
  const child = Bun.spawn([...LODE, ...args], {
    cwd: folder,
    env: {
      PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH ?? ''}`,
      HOME: join(folder, home),
      TMPDIR: join(folder, 'tmp'),
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  started.push(child)
  const said = { out: '', err: '' }
  const read = async (stream: ReadableStream<Uint8Array>, to: keyof typeof said) => {
    const decoder = new TextDecoder()
    for await (const bytes of stream) said[to] += decoder.decode(bytes, { stream: true })
  }
  const reading = Promise.all([read(child.stdout, 'out'), read(child.stderr, 'err')])
  return {
    pid: child.pid,
    /** Waits until it ends by itself; gives its exit code and what it complained of. */
    async ended(): Promise<{ code: number; err: string }> {
      const code = await child.exited
      await reading
      return { code, err: said.err }
    },
    /** Waits until it has printed this, and gives what the first group holds. */
    printed: (pattern: RegExp, timeoutMs?: number) =>
      until(
        `${pattern}`,
        () => {
          const found = pattern.exec(said.out)?.[1]
          if (found === undefined && child.exitCode !== null) throw new Error(`it ended: ${said.out}${said.err}`)
          return found
        },
        timeoutMs,
      ),
    /** Ends it as Ctrl-C does; gives its exit code, and whether anything of it runs on. */
    async end(): Promise<{ code: number; left: number[] }> {
      const tree = processTree(child.pid)
      child.kill('SIGINT')
      const code = await child.exited
      await reading
      return { code, left: tree.filter(isRunning) }
    },
  }
}

/** A browser's client after the page has exchanged the code behind `#`. */
async function logIn(link: string): Promise<Client> {
  const { origin, pathname, hash } = new URL(link)
  const page = await fetch(origin + pathname)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  const code = new URLSearchParams(hash.slice(1)).get('code')
  const answer = await fetch(`${origin}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ code }),
  })
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? ''
  expect([answer.status, cookie]).toEqual([200, expect.stringMatching(/^\w+=./)])
  return createClient(
    (request) => {
      const headers = new Headers(request.headers)
      headers.set('cookie', cookie)
      headers.set('origin', origin)
      return fetch(new Request(request, { headers }))
    },
    { baseUrl: origin },
  )
}

test.each(['up', 'serve'])('lode %s tells where the dashboard is, and what opens it', async (command) => {
  const lode = start(command, '--port', '0')
  const url = await lode.printed(/^Lodeline runs at (http:\/\/127\.0\.0\.1:\d+)\n/)
  const [address, program = ''] = (await lode.printed(/^ {2}dashboard +(http\S+ +\(.+) open +opens it/m)).split(/ +\(/)
  expect(address).toBe(`${url}/`)
  const open = Bun.spawnSync([program, 'open', '--print'], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: join(folder, 'home') },
  })
  const link = /^http:\S+/.exec(open.stdout.toString())?.[0] ?? ''
  expect((await (await logIn(link)).login.me()).kind).toBe('operator')
  expect(await lode.end()).toEqual({ code: 0, left: [] })
})

test("the demonstration's link logs a browser in, which answers the task that asks; Ctrl-C leaves nothing", async () => {
  const lode = start('up', '--demo', '--port', '0')
  const link = await lode.printed(/\n {2}(http:\S+#code=\S+)\n/, 240_000)
  const browser = await logIn(link)
  const { needs, finished } = await browser.overview()
  expect(needs.map(({ kind, title }) => [kind, title])).toEqual([['question', ISSUES.publish]])
  expect(finished.length).toBeGreaterThan(2)
  const { question, taskId } = needs[0] ?? {}
  await browser.questions.answer(question?.id ?? '', { behavior: 'allow' })
  await until('the task to end', async () => (await browser.tasks.get(taskId ?? '')).task.status === 'completed')
  expect((await browser.overview()).needs).toEqual([])
  expect(await lode.end()).toEqual({ code: 0, left: [] })
  expect(readdirSync(join(folder, 'tmp')).filter((name) => name.startsWith('lode-demo-'))).toEqual([])
})

test('Ctrl-C while its worker begins ends it at once', async () => {
  mkdirSync(join(folder, 'bin'))
  const asked = join(folder, 'asked')
  writeFileSync(join(folder, 'bin', 'claude'), `#!/bin/sh\n: > '${asked}'\nsleep 1\necho '2.1.328 (Claude Code)'\n`, {
    mode: 0o755,
  })
  const lode = start('up', '--port', '0')
  await until('the worker to ask the version', () => existsSync(asked))
  expect(await lode.end()).toEqual({ code: 0, left: [] })
  const log = readFileSync(join(folder, 'home', '.lodeline', 'log', 'lode.log'), 'utf8')
  expect(log).toContain('the worker stopped')
  // Nothing was given up as it took too long.
  expect(log).not.toContain('"level":"error"')
})

test.each([
  ['up', '127.0.0.1'],
  ['serve', '127.0.0.1'],
  ['serve', 'localhost'],
  ['serve', '::1'],
])('a port has one server: a second lode %s on %s is refused, and told whose it is', async (command, host) => {
  mkdirSync(join(folder, 'other'))
  const port = freePort()
  const first = start(command, '--port', String(port), '--host', host)
  await first.printed(/^Lodeline runs at (\S+)\n/)
  const { code, err } = await startIn('other', command, '--port', String(port), '--host', host).ended()
  expect(code).not.toBe(0)
  expect(err).toContain(`Port ${port} of ${host} is in use by a Lodeline server for ${join(folder, 'home')}/.lodeline`)
  expect(err).toContain(`(process ${first.pid})`)
  expect(err).toContain('--port N')
  // It left nothing behind that a command of its own folder would take for a server.
  expect(readdirSync(join(folder, 'other', '.lodeline'))).not.toContain('server.json')
  expect(await first.end()).toEqual({ code: 0, left: [] })
})

test('the default port has one server, whoever started it', async () => {
  mkdirSync(join(folder, 'other'))
  const first = start('serve')
  // Another program of this machine may have it: then both are refused.
  const isUp = await Promise.race([
    first.printed(/^Lodeline runs (at) /).catch(() => null),
    first.ended().then(() => null),
  ])
  const { code, err } = await startIn('other', 'serve').ended()
  expect(code).not.toBe(0)
  expect(err).toContain('Port 4655 of 127.0.0.1 is in use')
  if (isUp) expect(err).toContain(`by a Lodeline server for ${join(folder, 'home')}/.lodeline (process ${first.pid})`)
  if (isUp) expect(await first.end()).toEqual({ code: 0, left: [] })
})

test('a port of another program is refused, and the program named', async () => {
  using other = Bun.serve({ hostname: '127.0.0.1', port: 0, reusePort: false, fetch: () => new Response('hello') })
  const { code, err } = await start('serve', '--port', String(other.port)).ended()
  expect(code).not.toBe(0)
  // The name of the file that runs: npm's package has it as bun.exe on every system.
  expect(err).toMatch(
    new RegExp(`Port ${other.port} of 127\\.0\\.0\\.1 is in use by bun(\\.exe)? \\(process ${process.pid}\\)`),
  )
})

test('a server that was stopped while clients were connected is started again on its port at once', async () => {
  const port = freePort()
  for (let turn = 0; turn < 3; turn++) {
    const lode = start('serve', '--port', String(port))
    const url = await lode.printed(/^Lodeline runs at (\S+)\n/)
    // Connections that stay open: the server closes them, and its side of them waits in the kernel.
    await Promise.all(Array.from({ length: 5 }, () => fetch(`${url}/api/health`).then((answer) => answer.json())))
    expect(await lode.end()).toEqual({ code: 0, left: [] })
  }
})
