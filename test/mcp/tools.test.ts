import { describe, expect, test } from 'bun:test'
import type { Client } from '../../src/api/client'
import { CALLER_KINDS, type CallerKind } from '../../src/api/contract/callers'
import { AppError } from '../../src/domain/errors'
import { sessionId, taskId } from '../../src/domain/ids'
import { OWN_TOOLS } from '../../src/domain/policy/own-tools'
import type { ToolHost } from '../../src/mcp/host'
import { callTool, listedTools, toolsFor } from '../../src/mcp/server'
import { SESSION, someTask } from '../recall/sample'

/** Tokens that the whole list may cost, with the tools of later issues. */
const TOKEN_BUDGET = 6_000
/** Models count fewer: JSON of this kind has about four characters a token. */
const CHARACTERS_PER_TOKEN = 3.5
/** Where Claude Code cuts a description. */
const DESCRIPTION_LIMIT = 2_048

describe('the list of tools', () => {
  test('costs well below what it may, whoever asks', () => {
    for (const caller of CALLER_KINDS) {
      const tokens = JSON.stringify({ tools: listedTools(caller) }).length / CHARACTERS_PER_TOKEN
      expect(tokens).toBeLessThan(TOKEN_BUDGET * 0.75)
    }
  })

  test('has what tasks and issues need, and for each caller only what it may do', () => {
    const names = (caller: CallerKind) => toolsFor(caller).map(({ name }) => name)
    const tasks = ['send-task', 'await-tasks', 'get-task', 'list-tasks', 'cancel-task', 'store-progress', 'finish-task']
    const work = [...tasks, 'send-message', 'read-messages']
    const agents = ['claim-task', 'accept-task', 'reject-task']
    const issues = ['ready-issues', 'get-issue', 'claim-issue', 'update-issue', 'close-issue', 'update-todos']
    expect(names('operator')).toEqual([...work, ...agents, 'list-agents', 'join', ...issues])
    expect(names('lead')).toEqual([
      ...work,
      ...agents,
      'list-agents',
      ...issues,
      'get-inbox',
      'inbox-delegate',
      'inbox-reply',
    ])
    expect(names('worker')).toEqual([...work, ...agents, 'list-agents', ...issues])
    expect(names('attempt')).toEqual([...work, 'list-agents', ...issues])
  })

  test('has the names by which runs may call its tools unasked, and no others', () => {
    const all = (['operator', 'lead'] as const).flatMap((caller) => toolsFor(caller).map(({ name }) => name))
    expect([...new Set(all)].sort()).toEqual([...OWN_TOOLS].sort())
  })

  test('says of a child whose conversation it continues and where it goes', () => {
    const [send] = listedTools('attempt')
    expect(send?.description).toContain(
      "the child continues the parent's conversation; it goes to the same worker unless `agentId` is given",
    )
  })

  test('holds closed schemas with a word on each argument, and no description that is cut', () => {
    for (const tool of listedTools('operator')) {
      const schema: {
        additionalProperties?: unknown
        properties?: Record<string, { description?: string }>
      } = JSON.parse(JSON.stringify(tool.inputSchema))
      expect([tool.name, schema.additionalProperties]).toEqual([tool.name, false])
      expect(tool.description.length).toBeLessThan(DESCRIPTION_LIMIT)
      for (const [name, argument] of Object.entries(schema.properties ?? {}))
        expect([tool.name, name, argument.description ?? '']).not.toEqual([tool.name, name, ''])
    }
  })

  test('shows at once what every run needs', () => {
    const shown = listedTools('attempt').filter((tool) => tool._meta?.['anthropic/alwaysLoad'] === true)
    expect(shown.map(({ name }) => name)).toEqual(['send-task', 'await-tasks', 'store-progress', 'finish-task'])
  })
})

/** A host whose client keeps what it is asked; what a server does with that is tested on servers. */
function hostOf(given: Partial<ToolHost> = {}) {
  const asked: { method: string; args: unknown[] }[] = []
  const answer = { task: someTask(), routed: null, isRepeat: false, tasks: [], nextCursor: null }
  const methods = new Proxy(
    {},
    {
      get:
        (_, method: string) =>
        (...args: unknown[]) => {
          asked.push({ method, args })
          return Promise.resolve(answer)
        },
    },
  )
  const client = { tasks: methods, agents: methods } as unknown as Client
  const host: ToolHost = {
    caller: 'operator',
    taskId: null,
    sessionId: null,
    place: { hostname: 'h', hostName: 'n', bootId: 'b', version: 'v' },
    joined: null,
    agentId: null,
    withClient: (use) => use(client, null),
    ...given,
  }
  return { host, asked }
}

const RUN = { caller: 'attempt', taskId: taskId('t-7f3k9q2m'), sessionId: sessionId(SESSION) } as const
const said = (result: Awaited<ReturnType<typeof callTool>>) => (result.content[0] as { text: string }).text

describe('a call', () => {
  test('from a run hangs the new task under its own, fresh, unless it names the conversation to continue', async () => {
    const { host, asked } = hostOf(RUN)
    const meta = { 'claudecode/toolUseId': 'toolu_01' }
    await callTool(host, 'send-task', { task: 'x' }, meta)
    await callTool(host, 'send-task', { task: 'x', parentTaskId: 't-other001' }, meta)
    await callTool(host, 'send-task', { task: 'x', continuity: 'continue' }, meta)
    expect(asked.map(({ args }) => args[0])).toMatchObject([
      { parentTaskId: 't-7f3k9q2m', continuity: 'fresh', source: 'mcp' },
      { parentTaskId: 't-other001', continuity: 'continue' },
      { parentTaskId: 't-7f3k9q2m', continuity: 'continue' },
    ])
    expect(asked[0]?.args).toMatchObject([
      { spawnedBy: { sessionId: SESSION, toolUseId: 'toolu_01' } },
      { idempotencyKey: `mcp ${SESSION} toolu_01` },
    ])
  })

  test("from a person's session continues a parent, and has none otherwise", async () => {
    const { host, asked } = hostOf()
    await callTool(host, 'send-task', { task: 'x' }, undefined)
    await callTool(host, 'send-task', { task: 'x', parentTaskId: 't-other001' }, undefined)
    expect(asked.map(({ args }) => args[0])).toMatchObject([
      { parentTaskId: undefined, continuity: undefined },
      { parentTaskId: 't-other001', continuity: 'continue' },
    ])
    expect(asked[0]?.args[0]).not.toHaveProperty('spawnedBy')
  })

  test('needs no id within a run, and says so elsewhere', async () => {
    const { host, asked } = hostOf(RUN)
    for (const [name, args] of [
      ['store-progress', { progress: 'half' }],
      ['finish-task', { output: 'all' }],
    ] as const)
      expect((await callTool(host, name, args, undefined)).isError).toBeUndefined()
    expect(asked).toEqual([
      { method: 'progress', args: ['t-7f3k9q2m', { progress: 'half' }] },
      { method: 'finish', args: ['t-7f3k9q2m', { status: 'completed', output: 'all' }] },
    ])
    const elsewhere = await callTool(hostOf().host, 'finish-task', { output: 'all' }, undefined)
    expect(elsewhere.isError).toBe(true)
    expect(said(elsewhere)).toContain('Pass the `id` of a task.')
  })

  test('remembers in one process which agent it joined as, and never shows the token', async () => {
    const { host } = hostOf()
    const client = {
      agents: {
        join: () =>
          Promise.resolve({
            agent: {
              id: 'a-12345678',
              name: 'me',
              kind: 'worker',
              status: 'online',
              running: 0,
              concurrency: 1,
              capabilities: [],
              host: null,
              description: null,
              model: null,
              isSpecialist: false,
            },
            token: 'lwk_secret',
          }),
      },
      tasks: {
        claimNext: (input: unknown) => Promise.reject(new AppError('conflict', JSON.stringify(input))),
      },
    } as unknown as Client
    host.withClient = (use) => use(client, null)
    const joined = said(await callTool(host, 'join', { name: 'me' }, undefined))
    expect(joined).toContain('agentId a-12345678')
    expect(joined).not.toContain('secret')
    expect(said(await callTool(host, 'claim-task', {}, undefined))).toContain('"agentId":"a-12345678"')
  })

  test.each([
    ['send-task', {}, 'Pass either `task` or `tasks`. (invalid)\nHint: `task` is one task'],
    ['send-task', { task: 'x', tasks: [{ key: 'a', task: 'y' }] }, 'Pass either `task` or `tasks`, not both.'],
    ['send-task', { tasks: [] }, 'argument "tasks"'],
    ['send-task', { tasks: [{ key: 'a' }] }, 'is missing'],
    ['send-task', { tasks: 'a' }, 'must be a list'],
    ['await-tasks', { ids: 't-1' }, 'must be a list'],
    ['send-message', { to: 'parent' }, 'The argument "text" is missing.'],
    ['a2a_reportCompletion', { status: 'half' }, 'must be one of completed, failed'],
    ['send-task', { task: 5 }, 'The argument "task" must be text.'],
    ['send-task', { task: 'x', parent: 't-1' }, 'unknown fields: "parent"'],
    ['send-task', ['x'], 'argument must be an object'],
    ['finish-task', { status: 'done' }, 'must be one of completed, failed'],
    ['list-tasks', { status: ['open'] }, 'open is not a status. (invalid)\nHint: Use backlog'],
    ['claim-task', {}, 'There is no tool "claim-task". (not_found)\nHint: There are: send-task'],
    ['no "such', {}, 'There is no tool "no \\"such".'],
  ])('%s with %j is refused in words that help, as an answer of the tool', async (name, args, words) => {
    const { host, asked } = hostOf(RUN)
    const result = await callTool(host, name, args, undefined)
    expect(result.isError).toBe(true)
    expect(said(result)).toContain(words)
    expect(asked).toEqual([])
  })

  test("tells the server's error with its hint, and nothing of what is internal", async () => {
    const { host } = hostOf(RUN)
    const fails = (error: Error) => {
      host.withClient = () => Promise.reject(error)
      return callTool(host, 'get-task', {}, undefined).then(said)
    }
    expect(await fails(new AppError('lease_lost', 'attempt 1 is over', { hint: 'Stop.' }))).toBe(
      'attempt 1 is over (lease_lost)\nHint: Stop.',
    )
    expect(await fails(new Error('/secret/path exploded'))).not.toContain('secret')
  })

  test("takes no word of the model's for the id of its call", async () => {
    const { host, asked } = hostOf(RUN)
    await callTool(host, 'send-task', { task: 'x' }, { 'claudecode/toolUseId': 'a b\n' })
    expect(asked[0]?.args[0]).toMatchObject({ spawnedBy: { sessionId: SESSION } })
    expect(asked[0]?.args[1]).toEqual({})
  })
})

describe('a tool by another name', () => {
  const wide = () => {
    const { host, asked } = hostOf(RUN)
    return { host, asked }
  }

  test.each([
    'spawn-subtask',
    'spawn_subtask',
    'spawnSubtask',
    'a2a_spawnSubtask',
    'a2a_spawn_subtask',
    'a2a-spawn-subtask',
    'SPAWN_SUBTASK',
    'send_task',
  ])('%s sends a task', async (name) => {
    const { host, asked } = wide()
    const field = name === 'send_task' ? 'task' : 'prompt'
    expect((await callTool(host, name, { [field]: 'a part' }, undefined)).isError).toBeUndefined()
    expect(asked).toMatchObject([{ method: 'create', args: [{ task: 'a part', parentTaskId: 't-7f3k9q2m' }, {}] }])
  })

  test('maps how a task ended, and keeps what has our own name', async () => {
    const { host, asked } = wide()
    await callTool(host, 'a2a_reportCompletion', { status: 'success', output: 'all of it', error: 'none' }, undefined)
    await callTool(host, 'report-completion', { status: 'error', error: 'broke', result: 'half' }, undefined)
    expect(asked.map(({ args }) => args)).toEqual([
      ['t-7f3k9q2m', { status: 'completed', output: 'all of it' }],
      ['t-7f3k9q2m', { status: 'failed', output: 'half', failureReason: 'broke' }],
    ])
  })

  test('is listed for nobody', () => {
    for (const caller of CALLER_KINDS)
      for (const { name } of listedTools(caller, true)) expect(name).not.toMatch(/subtask|specialist|completion|a2a|_/)
  })

  test.each(['constructor', '__proto__', 'a2a_', 'a2a_constructor', 'x'.repeat(1_000), 'spawn-subtask\0', ''])(
    'that nobody knows is refused: %j',
    async (name) => {
      const { host, asked } = wide()
      const result = await callTool(host, name, { prompt: 'x' }, undefined)
      expect([result.isError, said(result).includes('no tool')]).toEqual([true, true])
      expect(asked).toEqual([])
    },
  )
})
