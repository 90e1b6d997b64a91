/** What a person reads who starts Lodeline, and the way from there to the dashboard: real processes, real HTTP. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Client, createClient } from '../../src/api/client'
import { ISSUES } from '../../src/app/demo/last-act'
import { isAlive, killAll, processTree, until } from './process-tree'

const main = resolve(import.meta.dir, '../../src/cli/main.ts')

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
function start(...args: string[]) {
  const child = Bun.spawn([process.execPath, main, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: join(folder, 'home'), TMPDIR: join(folder, 'tmp') },
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
      return { code, left: tree.filter(isAlive) }
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

test.each(['up', 'serve'])(
  'lode %s tells where the dashboard is, and what opens it',
  async (command) => {
    const lode = start(command, '--port', '0')
    const url = await lode.printed(/^Lodeline runs at (http:\/\/127\.0\.0\.1:\d+)\n/)
    const [address, program = ''] = (await lode.printed(/^ {2}dashboard +(http\S+ +\(.+) open +opens it/m)).split(
      / +\(/,
    )
    expect(address).toBe(`${url}/`)
    const open = Bun.spawnSync([program, 'open', '--print'], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: join(folder, 'home') },
    })
    const link = /^http:\S+/.exec(open.stdout.toString())?.[0] ?? ''
    expect((await (await logIn(link)).login.me()).kind).toBe('operator')
    expect(await lode.end()).toEqual({ code: 0, left: [] })
  },
  60_000,
)

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
}, 300_000)
