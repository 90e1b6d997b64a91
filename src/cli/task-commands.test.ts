import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { logEntry, task } from '../../test/samples/task-views'
import { NONCE_HEADER, PROOF_HEADER } from '../api/contract/protocol'
import type { Task } from '../domain/task/task'
import { proveToken } from '../util/token-proof'
import { dispatch } from './dispatch'
import { type FakeIoOptions, fakeIo, NOW } from './kit/fake-io'

const TOKEN = 'ab'.repeat(32)
const root = mkdtempSync('/tmp/ld-')
let home: string
let made = 0
const servers: { stop(force: boolean): Promise<void> }[] = []
beforeEach(() => {
  home = join(root, String(made++))
  mkdirSync(home)
})
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop(true)
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

interface Seen {
  method: string
  path: string
  body: unknown
  key: string | null
}

/** A server that answers by path, knows the task `t-parent`, and remembers what else it was asked. */
function serve(answers: (seen: Seen) => unknown): Seen[] {
  const all: Seen[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      if (pathname === '/api/health') {
        const nonce = request.headers.get(NONCE_HEADER) ?? ''
        const proof = await proveToken(TOKEN, nonce, request.headers.get('host') ?? '')
        return Response.json({ status: 'ok', version: '0', uptimeMs: 1 }, { headers: { [PROOF_HEADER]: proof } })
      }
      const text = await request.text()
      const body: unknown = text === '' ? undefined : JSON.parse(text)
      const seen = {
        method: request.method,
        path: pathname + search,
        body,
        key: request.headers.get('idempotency-key'),
      }
      if (seen.path === '/api/tasks/t-parent') return Response.json({ task: task({ id: 't-parent' as Task['id'] }) })
      all.push(seen)
      return Response.json(answers(seen))
    },
  })
  servers.push(server)
  const file = { url: `http://127.0.0.1:${server.port}`, pid: process.pid, version: '0', startedAt: '' }
  writeFileSync(join(home, 'server.json'), JSON.stringify(file))
  writeFileSync(join(home, 'token'), `${TOKEN}\n`, { mode: 0o600 })
  return all
}

const never = new AbortController().signal
async function lode(words: string[], options: FakeIoOptions = {}) {
  const io = fakeIo({ cwd: '/work/shop', ...options, env: { LODELINE_HOME: home, HOME: home, ...options.env } })
  const code = await dispatch([...words, '-q'], io, never)
  return { code, out: io.stdout, err: io.stderr }
}

const created = (changes: Partial<Task> = {}) => ({ task: task(changes), routed: null, isRepeat: false })

describe('lode task create', () => {
  test('says every field in the words of the API', async () => {
    const seen = serve(() => created())
    const words = [
      'task create Do.it --title T -p 90 --tag a --tag b --type fix --dir sub --assign w1 --agent codex,claude-code --capability gpu',
      '--parent t-parent --continue --continue-now --after t-a --after t-b --on-dependency-failure wait --epic ld-1 --issue ld-2',
      '--model opus --permission-mode plan --max-turns 9 --max-cost 2.50 --timeout 1h30m --attempts 5 --worktree --base main',
      '--not-before 2h --backlog --offer w2 --key once --json',
    ]
    expect((await lode(words.join(' ').split(' '))).code).toBe(0)
    expect(seen).toEqual([
      {
        method: 'POST',
        path: '/api/tasks',
        key: 'once',
        body: {
          task: 'Do.it',
          title: 'T',
          priority: 90,
          tags: ['a', 'b'],
          source: 'cli',
          taskType: 'fix',
          dir: '/work/shop/sub',
          agentId: 'w1',
          agentClis: ['codex', 'claude-code'],
          requiredCapabilities: ['gpu'],
          parentTaskId: 't-parent',
          continuity: 'continue',
          continueNow: true,
          dependsOn: ['t-a', 't-b'],
          onDependencyFailure: 'wait',
          epicId: 'ld-1',
          issueId: 'ld-2',
          model: 'opus',
          permissionMode: 'plan',
          maxTurns: 9,
          maxCostUsd: 2.5,
          timeoutMs: 5_400_000,
          retryPolicy: { maximumAttempts: 5 },
          worktree: { base: 'main' },
          notBefore: new Date(NOW + 7_200_000).toISOString(),
          status: 'backlog',
          offeredTo: 'w2',
        },
      },
    ])
  })
  test('works in the folder that it is typed in, unless the task follows up another', async () => {
    const seen = serve(() => created())
    await lode(['task', 'create', 'x'])
    await lode(['task', 'create', 'x', '--parent', 't-parent', '--fresh'])
    expect(seen.map(({ body }) => body)).toEqual([
      { task: 'x', source: 'cli', dir: '/work/shop' },
      { task: 'x', source: 'cli', parentTaskId: 't-parent', continuity: 'fresh' },
    ])
  })
  test('takes the text from stdin, and refuses an empty one', async () => {
    const seen = serve(() => created())
    expect((await lode(['task', 'create', '-'], { input: 'two\nlines\n' })).code).toBe(0)
    expect(seen[0]?.body).toMatchObject({ task: 'two\nlines' })
    expect((await lode(['task', 'create', '-'], { input: ' \n' })).code).toBe(2)
    expect(seen.length).toBe(1)
  })
  test('refuses what contradicts itself before anything is asked', async () => {
    const seen = serve(() => created())
    const lines = [
      'x --fresh',
      'x --continue',
      'x --continue-now',
      'x --parent t-a --fresh --continue',
      'x --base main',
      'x --max-cost free',
      'x --max-cost 0',
      'x --timeout 30',
      'x --not-before soon',
      'x --priority 101',
      'x y',
      '',
    ]
    for (const line of lines) {
      const { code, out, err } = await lode(['task', 'create', ...line.split(' ').filter((word) => word !== '')])
      expect([line, code, out]).toEqual([line, 2, ''])
      expect(err).toStartWith('lode: ')
    }
    expect(seen).toEqual([])
  })
})

describe('lode task edit', () => {
  test('changes what was said, clears what is to be cleared, and nothing else', async () => {
    const seen = serve(() => ({ task: task() }))
    const words =
      'task edit t-7f3k --priority 1 --start --clear assign --clear tag --clear agent --clear not-before --text -'
    expect((await lode(words.split(' '), { input: 'new' })).code).toBe(0)
    expect(seen).toEqual([
      {
        method: 'PATCH',
        path: '/api/tasks/t-7f3k',
        key: null,
        body: {
          priority: 1,
          task: 'new',
          status: 'unassigned',
          agentId: null,
          agentClis: [],
          tags: [],
          notBefore: null,
        },
      },
    ])
  })
  test('is refused when it says nothing, or both ways', async () => {
    const seen = serve(() => ({ task: task() }))
    for (const line of ['task edit t-7f3k', 'task edit t-7f3k --start --backlog'])
      expect((await lode(line.split(' '))).code).toBe(2)
    expect(seen).toEqual([])
  })
})

describe('the moves of a task', () => {
  test('are one request each, and answer with where it is now', async () => {
    const seen = serve(() => ({ task: task({ status: 'paused', pausedBy: 'person', reason: 'by hand' }) }))
    for (const line of [
      'cancel t-7f3k --reason r',
      'pause t-7f3k --reason r',
      'resume t-7f3k',
      'retry t-7f3k --reason r',
      'release t-7f3k --reason r',
      'offer t-7f3k w1 --expires 5m',
      'accept t-7f3k --agent w1',
      'reject t-7f3k --agent w1 --reason r',
    ]) {
      expect(await lode(['task', ...line.split(' ')])).toEqual({
        code: 0,
        out: 't-7f3k9q2m paused (person): Fix the login redirect (by hand)\n',
        err: '',
      })
    }
    expect(seen.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/api/tasks/t-7f3k/cancel', { reason: 'r' }],
      ['POST', '/api/tasks/t-7f3k/pause', { reason: 'r' }],
      ['POST', '/api/tasks/t-7f3k/resume', {}],
      ['POST', '/api/tasks/t-7f3k/retry', { reason: 'r' }],
      ['POST', '/api/tasks/t-7f3k/release', { reason: 'r' }],
      ['POST', '/api/tasks/t-7f3k/offer', { agentId: 'w1', expiresInMs: 300_000 }],
      ['POST', '/api/tasks/t-7f3k/accept', { agentId: 'w1' }],
      ['POST', '/api/tasks/t-7f3k/reject', { agentId: 'w1', reason: 'r' }],
    ])
  })
})

describe('lode task wait', () => {
  const ended = (changes: Partial<Task>) =>
    serve(({ path }) =>
      path.includes('/log') ? { lines: [logEntry()], task: task(changes) } : { task: task(changes) },
    )
  test('exits by the outcome', async () => {
    const outcomes: [Partial<Task>, number][] = [
      [{ status: 'completed' }, 0],
      [{ status: 'failed' }, 21],
      [{ status: 'cancelled' }, 22],
      [{ status: 'paused', pausedBy: 'person' }, 23],
    ]
    for (const [changes, exitCode] of outcomes) {
      ended(changes)
      expect([changes, (await lode(['task', 'wait', 't-7f3k'])).code]).toEqual([changes, exitCode])
    }
  })
  test('of several is the smallest code that applies', async () => {
    const states: Record<string, Partial<Task>> = {
      't-aaaa': { status: 'completed' },
      't-bbbb': { status: 'cancelled' },
      't-cccc': { status: 'failed' },
    }
    serve(({ path }) => {
      const changes = states[path.split('/')[3]?.split('?')[0] ?? '']
      return { lines: [], task: task(changes) }
    })
    expect((await lode(['task', 'wait', 't-aaaa', 't-bbbb', 't-cccc'])).code).toBe(21)
    expect((await lode(['task', 'wait', 't-aaaa', 't-bbbb'])).code).toBe(22)
  })
})

describe('lode question answer', () => {
  test('allows or denies, and nothing else', async () => {
    const seen = serve(() => ({ question: { id: 'q-1', status: 'answered', toolName: 'Bash' } }))
    expect((await lode(['question', 'answer', 'q-1', 'deny', '-m', 'no'])).out).toBe('q-1 answered: deny Bash\n')
    expect((await lode(['question', 'answer', 'q-1', 'maybe'])).code).toBe(2)
    expect(seen.map(({ path, body }) => [path, body])).toEqual([
      ['/api/questions/q-1/answer', { behavior: 'deny', message: 'no' }],
    ])
  })
})

describe('lode question answer always', () => {
  test('adds the widest rule that the question offers, and names what it cannot find', async () => {
    const question = { id: 'q-12', toolName: 'Bash', status: 'open', alwaysRules: ['Bash(npm ci)', 'Bash(npm *)'] }
    const seen = serve(({ path }) =>
      path.includes('always') ? { question } : { questions: [question], nextCursor: null },
    )
    expect((await lode(['question', 'answer', 'q-1', 'always'])).out).toBe(
      'q-12 answered: allow Bash, always by the rule Bash(npm *)\n',
    )
    expect(seen.at(-1)).toMatchObject({ path: '/api/questions/q-12/always-allow', body: { rule: 'Bash(npm *)' } })
    expect((await lode(['question', 'answer', 'q-9', 'always'])).code).toBe(3)
    expect((await lode(['question', 'answer', 'q-1', 'always', '-m', 'x'])).code).toBe(2)
  })
})

describe('lode run', () => {
  test('is refused within a run of a task, where it would wait for itself', async () => {
    const env = { LODELINE_URL: 'http://127.0.0.1:1', LODELINE_TOKEN: 'lat_x', LODELINE_TASK_ID: 't-1' }
    const { code, err } = await lode(['run', 'x'], { env })
    expect(code).toBe(4)
    expect(err).toContain("'lode task create TEXT'")
  })
  test('takes a text or a task, not both and not neither', async () => {
    expect((await lode(['run'])).code).toBe(2)
    expect((await lode(['run', 'x', '--task', 't-1'])).code).toBe(2)
  })
})

test('a worker without a server says how to start one', async () => {
  const { code, err } = await lode(['work'])
  expect(code).toBe(8)
  expect(err).toContain("'lode up'")
})
