import { expect, test } from 'claude-code/testing'

const VIEW = {
  needs: [{ title: 'deploy: may I?', command: 'lode question answer q-1 allow' }],
  needsCount: 1,
  issue: { id: 'ld-1', title: 'Fix the login' },
  todos: null,
}
const SPAWN = {
  tool_use_id: 'toolu_1',
  parentAgentId: 'a-parent',
  prompt: 'x',
  description: 'Look',
  subagentType: 'general-purpose',
  provider: 'anthropic',
  parentModel: 'm',
  background: true,
  fork: false,
} as never

/** A session with a server that answers, or fails. */
const begin = async ($: any, on: any, server: { fails?: boolean; mail?: string; isInteractive?: boolean; env?: Record<string, string> } = {}) => {
  const bodies: string[] = []
  const calls: string[] = []
  const submitted: string[] = []
  // The server gives each text once.
  const mail = server.mail === undefined ? [] : [server.mail]
  on('session.start', () => ({ cwd: '/' }))
  on('session.id', () => ({ value: '3f2a9c1e-0000-4000-8000-000000000001' }))
  on('env.get', (_: unknown, e: { name: string }) => ({ value: server.env?.[e.name] }))
  on('clock.every', () => ({ value: undefined }))
  on('command.register', () => ({ value: undefined }))
  on('agent.list', () => ({ value: [] }))
  on('ui.invalidate', () => ({ value: undefined }))
  on('agent.spawn', () => ({ model: 'm', agentId: 'a-child' }))
  on('turn.complete', () => ({}))
  on('turn.start', () => ({}))
  on('prompt.submit', (_: unknown, e: { text: string }) => {
    submitted.push(e.text)
    return { text: e.text }
  })
  on('http.fetch', (_: unknown, e: { url: string; init?: { body?: string } }) => {
    calls.push(e.url)
    if (server.fails) throw new Error('no server')
    if (e.init?.body !== undefined) bodies.push(e.init.body)
    const answer = e.url.includes('/wake') ? { text: mail.shift() ?? '' } : VIEW
    return { value: { status: 200, ok: true, headers: {}, text: JSON.stringify(answer) } }
  })
  await $.session.start({ cwd: '/', surface: 'terminal', isInteractive: server.isInteractive ?? true })
  return { calls, submitted, facts: () => bodies.join('\n').split('\n').filter(Boolean).map((line) => JSON.parse(line)) }
}

/** A report is not waited for: a moment passes until it has left. */
const soon = async (is: () => boolean) => {
  for (let tries = 0; tries < 50 && !is(); tries++) await new Promise((resolve) => setTimeout(resolve, 10))
}

test('a launch is told with its call and its parent', async ($, on) => {
  const told = await begin($, on)
  await $.agent.spawn(SPAWN)
  await soon(() => told.facts().length > 0)
  expect(told.facts()).toEqual([
    {
      kind: 'agent',
      agentId: 'a-child',
      parentAgentId: 'a-parent',
      toolUseId: 'toolu_1',
      type: 'general-purpose',
      description: 'Look',
      isBackground: true,
      sessionId: '3f2a9c1e-0000-4000-8000-000000000001',
    },
  ])
})

test('after one failure nothing is asked or told any more', async ($, on) => {
  const told = await begin($, on, { fails: true })
  await soon(() => told.calls.length > 0)
  for (let i = 0; i < 3; i++) await $.agent.spawn(SPAWN)
  await soon(() => false)
  expect(told.calls.length).toBe(1)
})

test('neither a run of Lodeline nor a session without a terminal tells anything', async ($, on) => {
  const run = await begin($, on, { env: { LODELINE_TASK_ID: 't-1' } })
  await $.agent.spawn(SPAWN)
  await soon(() => false)
  expect(run.calls).toEqual([])
})

test('what wakes an idle session is put in as a prompt', async ($, on) => {
  const told = await begin($, on, { mail: 'The result of t-1 [lodeline:m-1]' })
  await soon(() => told.submitted.length > 0)
  expect(told.submitted).toEqual(['The result of t-1 [lodeline:m-1]'])
  expect(told.calls.slice(0, 2).map((url) => url.split('?')[0])).toEqual(['http://lode/view', 'http://lode/wake'])
})

test('with nothing to say the session is left alone', async ($, on) => {
  const told = await begin($, on)
  await soon(() => told.calls.length > 1)
  expect(told.submitted).toEqual([])
})
