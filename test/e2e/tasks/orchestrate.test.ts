/** A lead with workers, and the way of a request from outside and back: the real CLI, real processes, a scripted model. */
import { afterAll, beforeAll, expect } from 'bun:test'
import { createHmac } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { InboxMessage } from '../../../src/domain/inbox'
import type { Task, TaskNode } from '../../../src/domain/task/task'
import { EACH_CLI } from '../../lab/claude'
import { inTurn } from '../../lab/in-turn'
import { type LabWith, openLab } from '../../lab/lab'
import { isAlive, processTree } from '../../lab/processes'
import { until } from '../../lab/until'

const idIn = (text: string): string => /t-[0-9a-z]{8}/.exec(text)?.[0] ?? ''
const count = (text: string, part: string): number => text.split(part).length - 1

inTurn(EACH_CLI, 'lode orchestrate with Claude Code %s', (test, version) => {
  let lab: LabWith<'claude' | 'lode'>
  beforeAll(async () => {
    lab = await openLab({
      claude: { version, script: 'orchestrate' },
      lode: { settings: { 'worker.allow': ['Bash'] } },
    })
  })
  afterAll(() => lab?.stop(), 30_000)

  const tree = async (id: string) => (await lab.lode.json<{ tree: TaskNode }>('task', 'tree', id)).tree

  test('ends when the lead has what its workers came to, each once, and leaves nothing running', async () => {
    const { exitCode, stdout, stderr } = await lab.lode.lode('orchestrate', 'lead two writers')
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('lead two writers')])
    expect(stdout).toContain('I have read it.')
    const { task, children } = await tree(idIn(stderr))
    expect(task).toMatchObject({ status: 'completed', taskType: 'lead' })
    expect(children.map((child) => [child.task.status, child.task.output]).sort()).toEqual([
      ['completed', 'part one is written.'],
      ['completed', 'part two is written.'],
    ])
    // Each result stands once in what the lead's model was sent last.
    const last = lab.claude
      .requests()
      .filter(({ rule }) => rule === 'rest')
      .at(-1)
    const said = JSON.stringify(last?.body.messages)
    expect([count(said, 'part one is written.'), count(said, 'part two is written.')]).toEqual([1, 1])
    expect(existsSync(join(lab.lode.home, 'server.json'))).toBe(false)
  })

  test('is paused by Ctrl-C with all below it, and goes on with --resume', async () => {
    const run = lab.lode.spawn(['orchestrate', 'lead a slow one'])
    await until('the slow command', () => existsSync(join(lab.claude.project, 'slow.txt')))
    const processes = processTree(run.pid)
    run.signal('SIGINT')
    const { exitCode, stderr } = await run.exited
    expect([exitCode, stderr]).toEqual([23, expect.stringContaining('--resume')])
    await until('its processes to be gone', () => !processes.some(isAlive))
    const id = idIn(stderr)
    const paused = await tree(id)
    expect(paused.task).toMatchObject({ status: 'paused', pausedBy: 'person' })
    expect(paused.children).toMatchObject([{ task: { status: 'paused', pausedBy: 'person' } }])

    const again = await lab.lode.lode('orchestrate', '--resume', id)
    expect([again.exitCode, again.stderr]).toEqual([0, expect.anything()])
    const done = await tree(id)
    expect(done.task.status).toBe('completed')
    expect(done.children).toMatchObject([{ task: { status: 'completed', output: 'Done slowly.' } }])
    expect(readFileSync(join(lab.claude.project, 'slow.txt'), 'utf8')).toBe('begun\n')
  })

  test('killed in the middle, with its server and worker, it is taken up by --resume', async () => {
    const slow = join(lab.claude.project, 'slow.txt')
    rmSync(slow, { force: true })
    const run = lab.lode.spawn(['orchestrate', 'lead a slow one, again'])
    await until('the slow command', () => existsSync(slow))
    const processes = processTree(run.pid)
    const id = idIn(run.stderr())
    run.signal('SIGKILL')
    await run.exited
    await until('its processes to be gone', () => !processes.some(isAlive))

    const again = await lab.lode.lode('orchestrate', '--resume', id)
    expect([again.exitCode, again.stderr]).toEqual([0, expect.anything()])
    const done = await tree(id)
    expect(done.task.status).toBe('completed')
    expect(done.children).toMatchObject([{ task: { status: 'completed', output: 'Done slowly.' } }])
    expect(readFileSync(slow, 'utf8')).toBe('begun\n')
  })

  test('draws its tree in place at a terminal', async () => {
    const seen = lab.lode.terminal(['orchestrate', 'lead two writers, shown'])
    expect(await seen.exited).toBe(0)
    const text = seen.text()
    expect(text).toContain('leadtwowriters,shown')
    expect(text).toMatch(/\|-t-[0-9a-z]{8}completed"?writepart/)
    expect(text).toContain('Ihavereadit.')
  })
})

inTurn(EACH_CLI, 'the inbox with Claude Code %s', (test, version) => {
  let lab: LabWith<'claude' | 'lode'>
  beforeAll(async () => {
    lab = await openLab({ claude: { version, script: 'orchestrate' }, lode: {} })
  })
  afterAll(() => lab?.stop(), 30_000)

  test('a request comes in signed, is handed over by a lead, and its answer goes back signed', async () => {
    const replies: { body: string; headers: Headers }[] = []
    using callback = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      async fetch(request) {
        replies.push({ body: await request.text(), headers: request.headers })
        // The first try fails: it comes again.
        return new Response(null, { status: replies.length === 1 ? 503 : 204 })
      },
    })
    await lab.lode.up()
    const url = `http://127.0.0.1:${callback.port}/hook`
    const { secret } = await lab.lode.json<{ secret: string }>(
      'inbox',
      'source',
      'add',
      'helpdesk',
      '--auto-delegate',
      '--callback',
      url,
    )
    const { url: server } = JSON.parse(readFileSync(join(lab.lode.home, 'server.json'), 'utf8')) as { url: string }
    const sign = (timestamp: string, path: string, body: string) =>
      `v1=${createHmac('sha256', secret).update(`${timestamp}.helpdesk.${path}.${body}`).digest('hex')}`
    const body = JSON.stringify({ sender: 'Ann', text: 'I can not log in', externalId: 'case-1', threadKey: 'case-1' })
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const headers = {
      'content-type': 'application/json',
      'lodeline-source': 'helpdesk',
      'lodeline-timestamp': timestamp,
      'lodeline-signature': sign(timestamp, '/api/inbox', body),
    }
    const send = () => fetch(`${server}/api/inbox`, { method: 'POST', headers, body })
    const first = (await (await send()).json()) as { id: string; isRepeat: boolean }
    expect(await (await send()).json()).toEqual({ id: first.id, isRepeat: true })

    const lead = await lab.lode.json<{ task: Task }>('task', 'create', 'serve the inbox', '--type', 'lead')
    await until('the answer', () => replies.length >= 2)
    const got = replies[1]
    if (got === undefined) throw new Error('no second reply')
    expect(JSON.parse(got.body)).toMatchObject({
      type: 'inbox.reply',
      source: 'helpdesk',
      reply: { inboxId: first.id, externalId: 'case-1', threadKey: 'case-1', text: 'It is repaired.' },
    })
    expect(got.headers.get('lodeline-signature')).toBe(
      sign(got.headers.get('lodeline-timestamp') ?? '', '/hook', got.body),
    )
    expect(replies.map((one) => one.headers.get('idempotency-key'))).toEqual([
      got.headers.get('idempotency-key'),
      got.headers.get('idempotency-key'),
    ])
    const { message } = await lab.lode.json<{ message: InboxMessage }>('inbox', 'show', first.id)
    expect(message).toMatchObject({ status: 'closed', tasks: [{ status: 'completed' }] })
    // Only who leads is offered the inbox, whether in the open or behind a search for tools.
    const shown = (rule: string) => JSON.stringify(lab.claude.requests().find((request) => request.rule === rule)?.body)
    expect(shown('inbox')).toContain('mcp__lodeline__get-inbox')
    expect(shown('login')).toContain('lodeline')
    expect(shown('login')).not.toContain('get-inbox')
    expect(lead.task.taskType).toBe('lead')
  })
})
