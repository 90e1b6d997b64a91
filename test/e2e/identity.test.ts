/**
 * Identities with the real CLI: a conversation keeps its address over `/clear`, restarts of its client and of the server, and a worker that
 * was started out of it is never taken for it.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, createClient, httpTransport } from '../../src/api/client'
import { listAll } from '../../src/api/client/list-all'
import { sessionId } from '../../src/domain/ids'
import type { Message } from '../../src/domain/message/message'
import { cliInTurn } from '../lab/in-turn'
import { type LabWith, openLab } from '../lab/lab'
import { isAlive, killAll, processTree } from '../lab/processes'
import type { RunningCommand } from '../lab/running-command'
import { until } from '../lab/until'

const RULES = [
  { name: 'title', match: { who: 'aux' }, steps: [{ text: 'A title' }] },
  {
    name: 'build',
    match: { who: 'main', first: 'build the wall' },
    steps: [
      {
        tools: [
          { name: 'Bash', input: { command: 'env > seen.txt', description: 'Look' } },
          { name: 'mcp__lodeline__send-task', input: { task: 'a part for another', title: 'Part' } },
        ],
      },
      { tools: [{ name: 'Bash', input: { command: 'echo begun >> slow.txt; sleep 30', description: 'Build' } }] },
      { tools: [{ name: 'mcp__lodeline__finish-task', input: { output: 'the wall stands' } }] },
      { text: 'Done.' },
    ],
  },
  { name: 'part', match: { who: 'main', first: 'a part for another' }, steps: [{ text: 'The part is made.' }] },
  { name: 'chat', match: { who: 'main' }, steps: [{ text: 'I see.' }] },
]

const CLIENT = { client: 'vscode', host: 'desk' }

describe.each(cliInTurn('identity'))('Claude Code %s', (version) => {
  let lab: LabWith<'claude' | 'lode'>
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync('/tmp/ld-')
    writeFileSync(join(folder, 'script.json'), JSON.stringify(RULES))
    const settings = { 'worker.allow': ['Bash'], 'worker.concurrency': 2 }
    lab = await openLab({ claude: { version, script: join(folder, 'script.json') }, lode: { settings } })
    const setup = await lab.lode.lode('setup', 'claude', '--user')
    expect([setup.exitCode, setup.stderr]).toEqual([0, expect.anything()])
  })
  afterAll(async () => {
    await lab?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const connect = (): Client => {
    const { url } = JSON.parse(readFileSync(join(lab.lode.home, 'server.json'), 'utf8')) as { url: string }
    const token = readFileSync(join(lab.lode.home, 'token'), 'utf8').trim()
    return createClient(httpTransport({ token, origin: url }), { baseUrl: url })
  }

  /** Starts the server with its worker as a command of that conversation would. */
  async function up(chat: string): Promise<RunningCommand> {
    const running = lab.lode.spawn(['up'], {
      CLAUDECODE: '1',
      CLAUDE_CODE_SESSION_ID: chat,
      LODELINE_SESSION_ID: chat,
      CLAUDE_CODE_TASK_LIST_ID: chat,
      CLAUDE_PROJECT_DIR: lab.claude.project,
    })
    await until('lode up', () => {
      if (!isAlive(running.pid)) throw new Error(`lode up ended: ${running.stderr()}`)
      return running.stdout().includes('Lodeline runs')
    })
    return running
  }

  /** A conversation that was cleared: both ids. */
  async function clearedChat(): Promise<{ first: string; later: string }> {
    const first = crypto.randomUUID()
    const chat = lab.claude.steer({ sessionId: first })
    const asked = () => lab.claude.requests().filter(({ rule }) => rule === 'chat')
    const line = (content: string) => ({ type: 'user', message: { role: 'user', content } })
    const before = asked().length
    chat.send(line('plan the harbour'))
    await until('the first answer', () => asked().length === before + 1)
    chat.send(line('/clear'))
    chat.send(line('what next'))
    await until('the next answer', () => asked().length === before + 2)
    chat.end()
    await chat.exited
    return { first, later: asked().at(-1)?.session ?? '' }
  }

  test('a client restarts: it finds its task at the same address, deploys it, and the result comes there', async () => {
    const { first, later } = await clearedChat()
    expect(later).not.toBe(first)
    let server = await up(first)
    let client = connect()
    await until('the cleared conversation in the record', async () => {
      const place = await client.sessions.place(later).catch(() => null)
      return place?.address === (first as string)
    })
    expect((await client.sessions.get(later)).session).toMatchObject({ clearedFrom: first })

    // The client knows the newest id alone; the address stays the first.
    const attached = await client.sessions.attach(later, CLIENT)
    expect(attached).toMatchObject({ address: first, isReattached: false })
    const { task } = await client.tasks.create({
      task: 'build the wall',
      title: 'Wall',
      sessionId: sessionId(later),
      dir: lab.claude.project,
    })
    const slow = join(lab.claude.project, 'slow.txt')
    await until('the run to be at work', () => existsSync(slow))

    // Everything goes down in the middle: server, worker, the CLI, and the client with them.
    const tree = processTree(server.pid)
    killAll(tree)
    await until('all to be gone', () => !tree.some(isAlive))
    server = await up(first)
    client = connect()

    const again = await client.sessions.attach(later, CLIENT)
    expect(again).toMatchObject({ address: first, isReattached: true })
    const active = await client.sessions.activeTask(later)
    expect(active.task.id).toBe(task.id)
    expect(await client.tasks.deploy(active.task.id)).toMatchObject({ address: task.id })
    const stop = new AbortController()
    const results: Message[] = []
    for await (const { message } of client.messages.follow(
      later,
      { after: again.nextAfter },
      { signal: stop.signal },
    )) {
      if (message.kind !== 'result') continue
      results.push(message)
      stop.abort()
    }
    expect(results).toMatchObject([{ to: first, taskId: task.id, cause: expect.stringContaining(task.id) }])
    expect(results[0]?.text).toContain('the wall stands')
    await client.messages.acknowledge(later, { ids: [results[0]?.id ?? ''] })
    expect((await client.sessions.attach(later, CLIENT)).missed.filter(({ kind }) => kind === 'result')).toEqual([])

    // The worker was started out of the conversation, and nothing of it stands under the conversation's name.
    const shown = await client.tasks.get(task.id)
    const conversations = [...new Set(shown.attempts.map(({ conversation }) => conversation?.sessionId))]
    expect(conversations).toHaveLength(1)
    const own = conversations[0] ?? ''
    expect([first, later]).not.toContain(own)
    const [child] = shown.children
    expect(child).toMatchObject({ title: 'Part', sessionId: null, spawnedBy: { sessionId: own } })
    expect((await client.sessions.tasks(later)).tasks.map(({ id }) => id)).toEqual([task.id])
    // The last call itself reports the result, and its line is recorded a moment later. A killed run's calls have no one order.
    const callsOf = async (session: string) =>
      (await Array.fromAsync(listAll(client.events.list, { sessionId: session, type: 'tool_call' }, 'events'))).map(
        ({ toolName }) => toolName,
      )
    await until('the last call to be recorded', async () => (await callsOf(own)).length === 4)
    expect((await callsOf(own)).toSorted()).toEqual([
      'Bash',
      'Bash',
      'mcp__lodeline__finish-task',
      'mcp__lodeline__send-task',
    ])
    for (const id of [first, later]) expect(await callsOf(id)).toEqual([])
    const seen = readFileSync(join(lab.claude.project, 'seen.txt'), 'utf8')
    expect(seen).not.toContain(first)
    expect(seen).not.toContain(later)
    expect(seen).toContain(`LODELINE_TASK_ID=${task.id}`)
    expect((await client.sessions.place(own)).worker).toMatchObject({ taskId: task.id })
    server.signal('SIGTERM')
    await server.exited
  })
})
