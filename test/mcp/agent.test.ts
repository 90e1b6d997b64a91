/** The real CLI calls our tools, over HTTP and over stdio: what the model is offered, and what a call does. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../../src/store/open'
import { OUTER_CLIS } from '../lab/claude'
import { type LabWith, openLab } from '../lab/lab'
import { LODE } from '../lode-command'
import { make } from '../store-contract/databases'
import { freshConversation, type Served, serve, startTask } from './served'

const RULES = [
  {
    name: 'work',
    match: { who: 'main' },
    steps: [
      {
        text: 'At work.',
        tools: [
          { name: 'mcp__lodeline__store-progress', input: { progress: 'half of it' } },
          { name: 'mcp__lodeline__send-task', input: { task: 'a part for somebody else' } },
        ],
      },
      { tools: [{ name: 'mcp__lodeline__finish-task', input: { output: 'all of it' } }] },
      { text: 'Done.' },
    ],
  },
]

describe.each(OUTER_CLIS)('Claude Code %s', (version) => {
  let served: Served
  let lab: LabWith<'claude'>
  let folder: string
  let end: () => Promise<void>
  beforeAll(async () => {
    const { place, remove } = await make('sqlite')
    const store = await openStore({ ...place, mode: 'read-write', migrate: true })
    served = serve(store)
    folder = mkdtempSync('/tmp/ld-')
    writeFileSync(join(folder, 'script.json'), JSON.stringify(RULES))
    lab = await openLab({ claude: { version, script: join(folder, 'script.json') } })
    end = async () => {
      await lab.stop()
      await served.stop()
      await store.close()
      await remove()
      rmSync(folder, { recursive: true, force: true })
    }
  })
  afterAll(() => end(), 30_000)

  test.each(['http', 'stdio'])('finishes its task by the tools of %s', async (transport) => {
    const { task, token, attemptId } = await startTask(served, { task: 'do it' })
    const session = crypto.randomUUID()
    // As a worker does before it sends the first prompt.
    await served.connect().attempts.report(attemptId, { conversation: freshConversation(session) })
    const run = {
      LODELINE_URL: served.origin,
      LODELINE_TOKEN: token,
      LODELINE_TASK_ID: task.id,
      LODELINE_HOME: folder,
      // As a run has it: it waits for its tools before it asks the model.
      MCP_CONNECTION_NONBLOCKING: '0',
      MCP_CONNECT_TIMEOUT_MS: '30000',
    }
    const lodeline =
      transport === 'http'
        ? { type: 'http', url: `${served.origin}/mcp`, headers: { Authorization: `Bearer ${token}` } }
        : { command: LODE[0], args: [...LODE.slice(1), 'mcp'], env: run }
    const ended = await lab.claude.run({
      prompt: `over ${transport}`,
      sessionId: session,
      env: run,
      args: ['--mcp-config', JSON.stringify({ mcpServers: { lodeline } }), '--permission-mode', 'bypassPermissions'],
    })
    expect(ended.exitCode).toBe(0)

    const { task: after, children } = await served.connect().tasks.get(task.id)
    expect(after).toMatchObject({
      status: 'completed',
      finishedBy: 'agent',
      progress: 'half of it',
      output: 'all of it',
    })
    expect(children).toMatchObject([
      {
        task: 'a part for somebody else',
        continuity: 'fresh',
        spawnedBy: { toolUseId: expect.stringMatching(/^toolu_/) },
      },
    ])

    // Offered from the first request on, not behind a search for tools, and the answers reached the model.
    const requests = lab.claude
      .requests()
      .filter(({ rule, body }) => rule === 'work' && said(body).includes(`over ${transport}`))
    const offered = requests[0]?.body.tools?.map(({ name }) => name) ?? []
    for (const tool of ['send-task', 'store-progress', 'finish-task'])
      expect(offered).toContain(`mcp__lodeline__${tool}`)
    const last = said(requests.at(-1)?.body)
    expect(last).toContain(`Stored for ${task.id}.`)
    expect(last).toContain(`Under ${task.id}, with a conversation of its own.`)
    expect(last).toContain(`${task.id} completed`)
  })
})

const said = (body: unknown) => JSON.stringify(body)
