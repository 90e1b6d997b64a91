import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, httpTransport } from '../api/client'
import { ensureToken } from '../api/client/token-file'
import { type RunningServer, startServer } from '../app/server/server'
import { loadConfig } from '../config/load'
import { sessionId, toolUseId } from '../domain/ids'
import type { Question, Task } from '../domain/task/task'
import type { Assignment } from '../domain/task/worker-protocol'
import { createLogger } from '../util/log'
import { dispatch } from './dispatch'
import { fakeIo } from './kit/fake-io'
import { differences } from './kit/json-shapes'

/** A real server, and an agent that plays its part by hand: what the commands answer is held against the document. */
const root = realpathSync(mkdtempSync('/tmp/ld-'))
const home = join(root, 'lode')
const CONVERSATION = '3f2a9c1e-5b1d-4c7e-9a55-0d6f3a1b2c3d'
let server: RunningServer

const never = new AbortController().signal
async function lode(...words: string[]) {
  const io = fakeIo({ env: { HOME: root, LODELINE_HOME: home, PATH: root }, cwd: root })
  const code = await dispatch([...words, '--json'], io, never)
  return { code, out: io.stdout, err: io.stderr }
}
async function answer<T>(...words: string[]): Promise<T> {
  const { code, out, err } = await lode(...words)
  if (code !== 0) throw new Error(`lode ${words.join(' ')} ended with ${code}: ${err}`)
  return JSON.parse(out) as T
}
const create = async (...words: string[]): Promise<Task> =>
  (await answer<{ task: Task }>('task', 'create', ...words)).task

let worked: Task
let asked: Question
let endAttempt: () => Promise<unknown>
beforeAll(async () => {
  const config = loadConfig({
    env: { HOME: root, LODELINE_HOME: home },
    cwd: root,
    flags: { settings: { 'listen.port': 0, 'agents.claude-code.homes': [join(root, '.claude')] } },
  })
  const log = createLogger({ level: 'error', terminalLevel: 'off' })
  server = await startServer({ config, log, isCollecting: false })
  const client = (token: string) => createClient(httpTransport({ token, origin: server.url }), { baseUrl: server.url })
  const operator = client(await ensureToken(home))
  const epic = await operator.epics.create({ title: 'An epic' })
  worked = await create('first', '--epic', epic.epic.id, '--worktree', '--tag', 'x', '--max-cost', '2.5')
  await create('child', '--parent', worked.id, '--after', worked.id)
  const bootId = crypto.randomUUID()
  const joined = await operator.agents.join({
    name: 'hand',
    kind: 'worker',
    capabilities: ['gpu'],
    concurrency: 1,
    hostname: 'desk',
    hostName: 'h1',
    bootId,
    isFormerGone: false,
    version: '0',
  })
  const poll = { bootId, capacity: 1, attempts: [], waitMs: 0 }
  const { assignments } = await client(joined.token).agents.poll(joined.agent.id, poll)
  const { attemptId } = assignments[0] as Assignment
  const run = client(joined.token)
  await run.attempts.report(attemptId, {
    conversation: {
      rung: 'preamble',
      sessionId: sessionId(CONVERSATION),
      resumedSessionId: null,
      forked: false,
      forkPoint: null,
      whyNot: [{ rung: 'native', reason: 'transcript_missing', detail: null }],
    },
    process: { pid: 4_711, startedAt: null, cwd: root, branch: 'b', base: 'a', cliVersion: '2.1.328' },
    log: [{ at: new Date().toISOString(), kind: 'tool', text: 'Bash: npm test' }],
  })
  const question = await run.attempts.ask(attemptId, {
    toolUseId: toolUseId('toolu_1'),
    toolName: 'Bash',
    input: { command: 'npm test' },
    description: null,
    default: 'deny',
    deadlineMs: 60_000,
  })
  asked = question.question
  endAttempt = () =>
    run.attempts.report(attemptId, {
      ended: {
        outcome: 'completed',
        failureClass: null,
        reason: 'done',
        resetAt: null,
        output: 'ok',
        exitCode: 0,
        signal: null,
        numTurns: 1,
        costUsd: 0.01,
        usage: null,
      },
    })
})
afterAll(async () => {
  await server?.stop()
  rmSync(root, { recursive: true, force: true })
})

test('a name of an agent CLI that nobody knows is taken, with a word', async () => {
  const made = await lode('task', 'create', 'Sail', '--agent', 'codx', '--backlog')
  expect([made.code, made.err]).toEqual([0, expect.stringContaining("Did you mean 'codex'?")])
  const known = await lode('task', 'create', 'Sail', '--agent', 'codex', '--backlog')
  expect([known.code, known.err]).toEqual([0, expect.not.stringContaining('knows no agent CLI')])
})

describe('the answer of', () => {
  const pinned = (name: string, run: () => Promise<unknown>, holds: (value: never) => boolean = () => true) =>
    test(`${name} is what the document says`, async () => {
      const value = await run()
      expect(differences(value, name, name)).toEqual([])
      expect(holds(value as never)).toBe(true)
    })

  pinned(
    'lode task show',
    () => answer('task', 'show', worked.id),
    (v: { attempts: unknown[]; questions: unknown[]; children: unknown[] }) =>
      [v.attempts, v.questions, v.children].every((list) => list.length === 1),
  )
  pinned(
    'lode task list',
    () => answer('task', 'list', '--limit', '1'),
    (v: { nextCursor: string | null }) => v.nextCursor !== null,
  )
  pinned(
    'lode task list',
    () => answer('task', 'list', '--queue', '--open', '--agent', 'hand', '--epic', worked.epicId ?? '', '--tag', 'x'),
    (v: { tasks: Task[] }) => v.tasks.every(({ status }) => status !== 'completed'),
  )
  pinned(
    'lode task list',
    () => answer('task', 'list', '--parent', worked.id, '--source', 'cli', '--text', 'CHILD', '--status', 'pending'),
    (v: { tasks: Task[] }) => v.tasks.length === 1,
  )
  pinned(
    'lode task tree',
    () => answer('task', 'tree', worked.id),
    (v: { tree: { children: unknown[] } }) => v.tree.children.length === 1,
  )
  pinned(
    'lode status',
    () => answer('status'),
    (v: { tasks: { openQuestions: number }; agents: { online: number } }) =>
      v.tasks.openQuestions === 1 && v.agents.online === 1,
  )
  pinned(
    'lode question list',
    () => answer('question', 'list'),
    (v: { questions: unknown[] }) => v.questions.length === 1,
  )
  pinned(
    'lode need list',
    () => answer('need', 'list', '--kind', 'question'),
    (v: { needs: { kind: string }[] }) => v.needs.map(({ kind }) => kind).join() === 'question',
  )
  test('lode need dismiss takes off what is named by its beginning, and refuses a question, what is not there and what is not unique', async () => {
    const refused = await lode('need', 'dismiss', worked.id.slice(0, 6))
    expect([refused.code, JSON.parse(refused.err).error]).toEqual([
      2,
      expect.objectContaining({ hint: `Run 'lode question answer ${asked.id} allow'.` }),
    ])
    expect((await lode('need', 'dismiss', 'failure:none')).err).toContain(
      "Nothing that needs you has the ID 'failure:none'.",
    )
    expect((await lode('need', 'dismiss', '')).code).not.toBe(0)
  })
  pinned(
    'lode question answer',
    () => answer('question', 'answer', asked.id, 'deny', '-m', 'no'),
    (v: { question: Question }) => v.question.answer?.message === 'no',
  )
  pinned(
    'lode agent list',
    () => answer('agent', 'list', '--online'),
    (v: { agents: unknown[] }) => v.agents.length === 1,
  )
  pinned(
    'lode agent show',
    () => answer('agent', 'show', 'hand'),
    (v: { tasks: unknown[] }) => v.tasks.length === 1,
  )
  pinned('lode task input', async () => {
    const said = await answer<{ uuid: string }>('task', 'input', worked.id, 'more', '--now')
    // Unread, it would keep the task from its end.
    await answer('message', 'withdraw', said.uuid)
    return said
  })
  pinned('lode task create', () => answer('task', 'create', 'x', '--key', 'k'))
  pinned(
    'lode task create',
    () => answer('task', 'create', 'x', '--key', 'k'),
    (v: { isRepeat: boolean }) => v.isRepeat,
  )
  pinned('lode epic create', () => answer('epic', 'create', 'Another', '-d', 'text', '-p', '0'))
  pinned(
    'lode epic list',
    () => answer('epic', 'list'),
    (v: { epics: unknown[] }) => v.epics.length === 2,
  )
  pinned(
    'lode epic show',
    async () => answer('epic', 'show', worked.epicId ?? (await create('none')).id),
    (v: { tasks: unknown[] }) => v.tasks.length === 1,
  )
  pinned('lode epic add', () => answer('epic', 'add', worked.epicId ?? '', 'more of it'))

  for (const verb of ['pause', 'resume', 'cancel', 'retry', 'release']) {
    pinned(`lode task ${verb}`, async () => {
      const { id } = await create('to be moved', '--not-before', '1h')
      if (verb === 'resume') await answer('task', 'pause', id)
      if (verb === 'retry') await answer('task', 'cancel', id)
      if (verb === 'release') await answer('task', 'edit', id, '--assign', 'hand')
      return answer('task', verb, id)
    })
  }
  pinned(
    'lode task edit',
    async () => answer('task', 'edit', (await create('x', '--backlog')).id, '--priority', '1', '--start'),
    (v: { task: Task }) => v.task.priority === 1 && v.task.status === 'unassigned',
  )
  pinned(
    'lode task offer',
    async () => answer('task', 'offer', (await create('x')).id, 'hand'),
    (v: { task: Task }) => v.task.status === 'offered',
  )
  for (const verb of ['accept', 'reject']) {
    pinned(`lode task ${verb}`, async () => {
      const { id } = await create('x', '--offer', 'hand')
      return answer('task', verb, id, '--agent', 'hand')
    })
  }
  test('lode task log is one document a line, as the document says', async () => {
    const { out } = await lode('task', 'log', worked.id)
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(lines.length).toBeGreaterThan(2)
    expect(lines.flatMap((line) => differences(line, 'lode task log', 'line'))).toEqual([])
    expect((await lode('task', 'log', worked.id, '-n', '1')).out).toBe(`${JSON.stringify(lines.at(-1))}\n`)
  })
  pinned(
    'lode task wait',
    async () => {
      const { id } = await create('x', '--not-before', '1h')
      await answer('task', 'cancel', id)
      const { code, out } = await lode('task', 'wait', id)
      expect(code).toBe(22)
      return JSON.parse(out)
    },
    (v: { tasks: Task[] }) => v.tasks[0]?.status === 'cancelled',
  )
  pinned('lode task open', async () => {
    // Any program is an agent's CLI as long as it is not started.
    writeFileSync(join(root, 'claude'), '#!/bin/sh\n', { mode: 0o700 })
    const folder = join(root, '.claude/projects', root.replace(/[^a-zA-Z0-9]/g, '-'))
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${CONVERSATION}.jsonl`), '{}\n')
    expect((await lode('task', 'open', worked.id)).err).toContain('is running: attempt 1, by hand')
    await endAttempt()
    return answer('task', 'open', worked.id)
  })
})

describe('a wrong id', () => {
  test('of a parent makes no task and no message, and the nearest ids are told', async () => {
    const before = (await answer<{ tasks: Task[] }>('task', 'list', '-n', '200')).tasks.length
    const typo = `${worked.id.slice(0, -2)}zz`
    for (const words of [
      ['task', 'create', 'x', '--parent', typo],
      ['task', 'create', 'x', '--parent', 't-typo1234', '--fresh'],
    ]) {
      const { code, out, err } = await lode(...words)
      expect([code, out]).toEqual([3, ''])
      expect(JSON.parse(err)).toMatchObject({ error: { code: 'not_found', hint: expect.any(String) } })
    }
    expect((await lode('task', 'create', 'x', '--parent', typo)).err).toContain(worked.id)
    expect((await answer<{ tasks: Task[] }>('task', 'list', '-n', '200')).tasks).toHaveLength(before)
  })

  test('is told with what it could have been, and nothing is on stdout', async () => {
    for (const line of ['show t-none', 'cancel t-none', 'tree t-none', 'log t-none', 'wait t-none', 'input t-none x']) {
      const { code, out, err } = await lode('task', ...line.split(' '))
      expect([line, code, out]).toEqual([line, 3, ''])
      expect(differences((JSON.parse(err) as { error: unknown }).error, 'Error', 'error')).toEqual([])
    }
    const { code, err } = await lode('task', 'show', 't-')
    expect([2, 3, 4]).toContain(code)
    expect(err).not.toBe('')
  })
})
