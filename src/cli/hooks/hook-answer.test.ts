import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { LODE } from '../../../test/lode-command'
import { hookAnswer } from './hook-answer'

const SESSION = '11111111-1111-4111-8111-111111111111'

let home: string
let run: string
let asked: string[]
let answer: (request: Request) => Response | Promise<Response>
let server: Bun.Server<undefined>

beforeEach(() => {
  home = mkdtempSync('/tmp/ld-')
  run = join(home, 'runs', 't-1.1')
  mkdirSync(run, { recursive: true })
  asked = []
  answer = (request) => new Response(`told of ${new URL(request.url).searchParams.get('moment')}`)
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      const { pathname, search } = new URL(request.url)
      asked.push(`${request.headers.get('authorization')} ${pathname}${search}`)
      return answer(request)
    },
  })
})
afterEach(async () => {
  await server.stop(true)
  rmSync(home, { recursive: true, force: true })
})

const environment = (more: Record<string, string> = {}): Record<string, string> => ({
  LODELINE_URL: `http://127.0.0.1:${server.port}`,
  LODELINE_TOKEN: 'lat_x',
  LODELINE_TASK_ID: 't-1',
  LODELINE_RUN_DIR: run,
  ...more,
})

const start = (source: string, more: object = {}) => ({
  hook_event_name: 'SessionStart',
  session_id: SESSION,
  source,
  ...more,
})
const compacts = (promptId: string, more: object = {}) => ({
  hook_event_name: 'PreCompact',
  session_id: SESSION,
  trigger: 'auto',
  prompt_id: promptId,
  ...more,
})

function told(payload: object, env = environment()): Promise<string> {
  return hookAnswer({ payload: Buffer.from(JSON.stringify(payload)), env, home, elapsedMs: 0 })
}

/** As the CLI calls it: a process of its own. */
async function hookProcess(payload: object, env: Record<string, string> = environment(), args = ['--answer']) {
  const child = Bun.spawn([...LODE, 'hook', ...args, '--home', home], {
    env: { PATH: process.env.PATH ?? '', HOME: home, ...env },
    stdin: Buffer.from(JSON.stringify(payload)),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}

const journal = () => readFileSync(join(home, 'hooks', 'hooks.jsonl'), 'utf8')

describe('lode hook --answer', () => {
  test('keeps the payload and prints what the server tells for the moment', async () => {
    const answered = await hookProcess(start('resume'))
    expect(answered).toEqual({ out: 'told of resume', err: '', code: 0 })
    expect(asked).toEqual(['Bearer lat_x /api/tasks/t-1/recall?moment=resume'])
    expect(journal()).toContain('"source":"resume"')
  })

  test('prints nothing for other events, outside a run, and without being asked to', async () => {
    for (const payload of [
      { hook_event_name: 'Stop', session_id: SESSION },
      start('something new'),
      start('precompact'),
    ])
      expect(await hookProcess(payload)).toEqual({ out: '', err: '', code: 0 })
    expect(await hookProcess(start('startup'), environment({ LODELINE_TOKEN: '' }))).toMatchObject({ out: '' })
    expect(await hookProcess(start('startup'), environment(), [])).toMatchObject({ out: '', code: 0 })
    expect(await told(compacts('p1', { agent_id: 'a1', agent_type: 'Explore' }))).toBe('')
    expect(asked).toEqual([])
    expect(journal().trim().split('\n')).toHaveLength(5)
  })

  test('tells one moment once, however many hooks are installed', async () => {
    for (const payload of [start('startup'), compacts('p1'), start('compact', { prompt_id: 'p1' })]) {
      const answers = await Promise.all(Array.from({ length: 6 }, () => hookProcess(payload)))
      expect(answers.filter(({ out }) => out !== '')).toHaveLength(1)
      expect(answers.every(({ code, err }) => code === 0 && err === '')).toBe(true)
    }
    expect(asked).toHaveLength(3)
    expect(journal().trim().split('\n')).toHaveLength(18)
  })

  test('answers a proxy in the environment by going past it', async () => {
    const proxy = {
      HTTP_PROXY: 'http://127.0.0.1:1',
      http_proxy: 'http://127.0.0.1:1',
      ALL_PROXY: 'http://127.0.0.1:1',
    }
    expect((await hookProcess(start('resume'), environment(proxy))).out).toBe('told of resume')
  })

  test('answers although the payload could not be kept', async () => {
    writeFileSync(join(home, 'hooks'), 'a file where the folder should be')
    expect(await hookProcess(start('resume'))).toEqual({ out: 'told of resume', err: '', code: 0 })
  })
})

describe('moments', () => {
  test('two compactions of one session are two, also with nothing between them', async () => {
    for (let round = 0; round < 3; round++) {
      expect(await told(compacts('p1'))).toBe('told of precompact')
      expect(await told(compacts('p1'))).toBe('')
      expect(await told(start('compact'))).toBe('told of compact')
      expect(await told(start('compact'))).toBe('')
    }
  })

  test('a compaction that failed is told apart from the next by its prompt, or by time', async () => {
    expect(await told(compacts('p1'))).not.toBe('')
    expect(await told(compacts('p2'))).not.toBe('')
    const folder = join(run, 'told')
    const long = new Date(Date.now() - 60_000)
    for (const name of readdirSync(folder)) utimesSync(join(folder, name), long, long)
    expect(await told(compacts('p2'))).not.toBe('')
    expect(await told(compacts('p2'))).toBe('')
    expect(await told(start('compact'))).toBe('told of compact')
    expect(await told(start('compact'))).toBe('')
  })

  test('starts after compactions are told where no hook hears of their beginning', async () => {
    expect(await told(start('compact'))).toBe('told of compact')
    expect(await told(start('compact'))).toBe('')
    expect(await told(compacts('p1'))).toBe('told of precompact')
    expect(await told(start('compact'))).toBe('told of compact')
  })

  test('a run starts once: an agent that it starts itself is not told the task', async () => {
    expect(await told(start('resume'))).toBe('told of resume')
    expect(await told(start('startup', { session_id: crypto.randomUUID() }))).toBe('')
    const next = join(home, 'runs', 't-1.2')
    mkdirSync(next)
    expect(await told(start('resume'), environment({ LODELINE_RUN_DIR: next }))).toBe('told of resume')
  })

  test('each conversation that was cleared is one', async () => {
    for (const session of [crypto.randomUUID(), crypto.randomUUID()]) {
      expect(await told(start('clear', { session_id: session }))).toBe('told of clear')
      expect(await told(start('clear', { session_id: session }))).toBe('')
    }
  })

  test('without a folder of a run they are kept in the home, and old ones go', async () => {
    const env = environment({ LODELINE_RUN_DIR: 'relative' })
    const old = join(home, 'told', 'old')
    mkdirSync(old, { recursive: true })
    const long = new Date(Date.now() - 30 * 24 * 3_600_000)
    utimesSync(old, long, long)
    expect(await told(start('resume'), env)).toBe('told of resume')
    expect(await told(start('resume'), env)).toBe('')
    expect(existsSync(old)).toBe(false)
    expect(readdirSync(join(home, 'told'))).toHaveLength(1)
  })
})

test('the text that the worker wrote down for the start of a run is told without asking the server, other moments are asked', async () => {
  writeFileSync(join(run, 'recall-startup.txt'), 'written for the start')
  expect(await told(start('startup'))).toBe('written for the start')
  expect(asked).toEqual([])
  expect(await told(compacts('p1'))).toBe('told of precompact')
  expect(asked).toHaveLength(1)
})

describe('a server that does not answer', () => {
  const REMINDER = 'GOAL REMINDER: as it was when the run began'
  beforeEach(() => writeFileSync(join(run, 'recall.txt'), REMINDER))

  test('leaves what the worker wrote down: away, broken, silent, or something else', async () => {
    const away = environment({ LODELINE_URL: 'http://127.0.0.1:1' })
    expect(await told(compacts('p1'), away)).toBe(REMINDER)
    for (const [n, wrong] of [
      () => new Response('no', { status: 503 }),
      () => Response.redirect('http://127.0.0.1:1/'),
      () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
    ].entries()) {
      answer = wrong
      expect(await told(compacts(`wrong ${n}`))).toBe(REMINDER)
    }
    const released = Promise.withResolvers<Response>()
    answer = () => released.promise
    const payload = Buffer.from(JSON.stringify(compacts('silent')))
    // A compaction waits 800 ms at most; all but ten of them are over.
    expect(await hookAnswer({ payload, env: environment(), home, elapsedMs: 790 })).toBe(REMINDER)
    released.resolve(new Response('late'))
  })

  test('says nothing when there is nothing written down either, and when the run is known no more', async () => {
    answer = () => new Response('{"error":{"code":"lease_lost"}}', { status: 409 })
    expect(await told(compacts('p1'))).toBe('')
    rmSync(join(run, 'recall.txt'))
    expect(await told(compacts('p2'), environment({ LODELINE_URL: 'http://127.0.0.1:1' }))).toBe('')
    expect(await told(compacts('p3'), environment({ LODELINE_URL: 'no address' }))).toBe('')
  })

  test('is never taken for JSON, nor put into a file by the CLI for its length', async () => {
    answer = () => new Response('{"hookSpecificOutput":{}}')
    expect(await told(compacts('p1'))).toBe('')
    answer = () => new Response('x'.repeat(50_000))
    expect((await told(compacts('p2'))).length).toBeLessThan(10_000)
  })
})
