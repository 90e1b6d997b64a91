import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openStore } from '../../src/store/open'
import { make, onEachDatabase } from '../store-contract/databases'
import { callTool, freshConversation, post, rpc, type Served, serve, startTask, TOKEN } from './served'

onEachDatabase((database) => {
  let served: Served
  beforeAll(() => {
    served = serve(database.store)
  })
  afterAll(() => served.stop())

  const idIn = (text: string) => /\bt-[0-9a-z]+/.exec(text)?.[0] ?? ''

  test('a person takes a task through its life by tools alone', async () => {
    const sent = await callTool(served, 'send-task', {
      task: 'Sweep the yard\nall of it',
      priority: 70,
      tags: ['yard'],
    })
    expect(sent.text).toMatch(/^Created: t-[0-9a-z]+ unassigned "Sweep the yard"/)
    const id = idIn(sent.text)

    const joined = await callTool(served, 'join', { name: `me on ${database.kind}`, capabilities: ['broom'] })
    const agentId = /agentId (a-[0-9a-z]+)/.exec(joined.text)?.[1]
    expect(joined.isError).toBe(false)
    expect((await callTool(served, 'list-agents', {})).text).toContain('"broom"')

    const claimed = await callTool(served, 'claim-task', { agentId })
    expect(claimed.text).toContain(id)
    expect(claimed.text).toContain('task:\n```\nSweep the yard\nall of it\n```')
    expect((await callTool(served, 'claim-task', { agentId })).text).toBe('There is no task that you may take now.')

    expect(await callTool(served, 'store-progress', { id, progress: 'half the yard' })).toEqual({
      isError: false,
      text: `Stored for ${id}.`,
    })
    expect((await callTool(served, 'list-tasks', { tag: 'yard', status: ['in_progress'] })).text).toContain(id)
    expect((await callTool(served, 'finish-task', { id, output: 'It is ```clean```' })).text).toContain('completed')

    const shown = (await callTool(served, 'get-task', { id })).text
    expect(shown).toContain('progress:\n```\nhalf the yard\n```')
    expect(shown).toContain('output:\n````\nIt is ```clean```\n````')

    const again = await callTool(served, 'finish-task', { id, status: 'failed', failureReason: 'no' })
    expect(again).toMatchObject({ isError: true, text: expect.stringContaining('(conflict)') })
  })

  test('an offered task is rejected by one agent and accepted by another', async () => {
    const join = async (name: string) =>
      /agentId (a-[0-9a-z]+)/.exec((await callTool(served, 'join', { name })).text)?.[1] ?? ''
    const [first, second] = [await join('first'), await join('second')]
    const id = idIn((await callTool(served, 'send-task', { task: 'offered', offeredTo: first })).text)
    expect((await callTool(served, 'get-task', { id })).text).toContain('offered')
    const rejected = await callTool(served, 'reject-task', { id, agentId: first, reason: 'busy' })
    expect([rejected.isError, rejected.text]).toEqual([false, expect.stringContaining('Rejected')])
    await served.connect().tasks.offer(id, { agentId: second })
    expect(await callTool(served, 'accept-task', { id, agentId: second })).toMatchObject({ isError: false })
    expect((await callTool(served, 'claim-task', { id, agentId: second })).isError).toBe(false)
    expect((await callTool(served, 'cancel-task', { id, reason: 'enough' })).text).toContain('Cancelled')
  })

  test('says where a child goes and why, and what it waits for', async () => {
    const parent = await startTask(served, { task: 'the parent' })
    const child = await callTool(served, 'send-task', { task: 'more of it', parentTaskId: parent.task.id })
    expect(child.text).toContain(`Continues the conversation of ${parent.task.id}.`)
    const gone = await callTool(served, 'send-task', { task: 'more of it', parentTaskId: 't-notthere' })
    expect(gone.isError).toBe(false)
  })

  describe('a run', () => {
    test('works on its own task without naming it, and what it sends hangs under it', async () => {
      const { task, token } = await startTask(served, { task: 'a run' })
      expect((await callTool(served, 'store-progress', { progress: 'begun' }, token)).text).toBe(
        `Stored for ${task.id}.`,
      )
      const sent = await callTool(served, 'send-task', { task: 'a part of it' }, token)
      expect(sent.text).toContain(`Under ${task.id}, with a conversation of its own.`)
      expect((await callTool(served, 'get-task', {}, token)).text).toContain(`child: ${idIn(sent.text)}`)
      expect((await callTool(served, 'finish-task', { output: 'done' }, token)).text).toContain(`${task.id} completed`)
    })

    test('touches no other task, and none any more once its attempt is over', async () => {
      const { task, token } = await startTask(served, { task: 'a run' })
      const other = await startTask(served, { task: 'another' })
      for (const [name, args] of [
        ['finish-task', { id: other.task.id, output: 'mine!' }],
        ['store-progress', { id: other.task.id, progress: 'mine!' }],
        ['cancel-task', { id: other.task.id }],
      ] as const)
        expect(await callTool(served, name, args, token)).toMatchObject({
          isError: true,
          text: expect.stringContaining('(forbidden)'),
        })
      await served.connect().tasks.cancel(task.id)
      // The token ended with the attempt: the request itself is refused.
      await expect(callTool(served, 'store-progress', { progress: 'late' }, token)).rejects.toThrow('lease_lost')
      expect((await served.connect().tasks.get(other.task.id)).task.progress).toBeNull()
    })

    test('makes one task of a call that comes twice', async () => {
      const { task, token, attemptId } = await startTask(served, { task: 'a run' })
      const session = crypto.randomUUID()
      await served.connect().attempts.report(attemptId, {
        conversation: freshConversation(session),
      })
      const call = { name: 'send-task', arguments: { task: 'once' }, _meta: { 'claudecode/toolUseId': 'toolu_01abc' } }
      const answers = await Promise.all([1, 2, 3].map(() => rpc(served, 'tools/call', call, token)))
      expect(new Set(answers.map((answer) => idIn(JSON.stringify(answer.result)))).size).toBe(1)
      const { children } = await served.connect().tasks.get(task.id)
      expect(children.map(({ spawnedBy }) => spawnedBy)).toEqual([
        { sessionId: session as never, toolUseId: 'toolu_01abc' as never },
      ])
    })
  })
})

describe('the protocol', () => {
  let served: Served
  let end: () => Promise<void>
  beforeAll(async () => {
    const { place, remove } = await make('sqlite')
    const store = await openStore({ ...place, mode: 'read-write', migrate: true })
    served = serve(store)
    end = async () => {
      await served.stop()
      await store.close()
      await remove()
    }
  })
  afterAll(() => end())
  const auth = { authorization: `Bearer ${TOKEN}` }

  test('of 2025 is answered from its handshake on, without a session', async () => {
    const clientInfo = { name: 'old', version: '1' }
    const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    const opened = await post(served, { jsonrpc: '2.0', id: 0, method: 'initialize', params: initialize }, auth)
    expect(opened.status).toBe(200)
    expect(opened.headers.get('mcp-session-id')).toBeNull()
    expect(await opened.text()).toContain('"serverInfo":{"name":"lodeline"')
    const version = { ...auth, 'mcp-protocol-version': '2025-11-25' }
    expect((await post(served, { jsonrpc: '2.0', method: 'notifications/initialized' }, version)).status).toBe(202)
    const listed = await post(served, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, version)
    expect(await listed.text()).toContain('"name":"finish-task"')
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'list-agents', arguments: {} } }
    expect(await (await post(served, call, version)).text()).toContain('No agent has joined yet.')
  })

  test('of 2026 is answered request by request, with the instructions for who asks', async () => {
    const found = await rpc(served, 'server/discover', {})
    expect(JSON.stringify(found.result)).toContain('"name":"lodeline"')
    expect(JSON.stringify(found.result)).toContain('claim-task')
    const { token } = await startTask(served, { task: 'a run' })
    expect(JSON.stringify((await rpc(served, 'server/discover', {}, token)).result)).not.toContain('claim-task')
    const listed = await rpc(served, 'tools/list', {}, token)
    expect(JSON.stringify(listed.result)).toContain('"name":"finish-task"')
    expect(JSON.stringify(listed.result)).not.toContain('"name":"join"')
  })

  test('has no stream to listen to and no session to end', async () => {
    for (const method of ['GET', 'DELETE'])
      expect(
        (await fetch(`${served.origin}/mcp`, { method, headers: { ...auth, accept: 'text/event-stream' } })).status,
      ).toBe(405)
  })

  test.each([
    ['no token', {}, 401],
    ['a wrong token', { authorization: `Bearer ${'6'.repeat(64)}` }, 401],
    ['a foreign page', { ...auth, origin: 'http://evil.example' }, 403],
    ['a form', { ...auth, 'content-type': 'text/plain' }, 400],
  ])('is refused for %s', async (_, headers, status) => {
    const answer = await post(
      served,
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      headers as Record<string, string>,
    )
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ error: { code: expect.any(String), message: expect.any(String) } })
  })

  test.each([
    ['no JSON', '{"jsonrpc":'],
    ['nothing', ''],
    ['no message', '42'],
    ['an empty list', '[]'],
    ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'resources/read', params: {} }],
    ['a name that is no text', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 7 } }],
    [
      'arguments that are no object',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'join', arguments: 'x' } },
    ],
  ])('answers %s with an error, and goes on', async (_, message) => {
    const answer = await post(served, message, { ...auth, 'mcp-protocol-version': '2025-11-25' })
    expect(answer.status).toBeLessThan(500)
    expect(await answer.text()).toContain('"error"')
    expect(served.log.lines.filter((line) => line.startsWith('error'))).toEqual([])
  })

  test('says what is wrong with an argument in the same words before and after its library was loaded', async () => {
    const refused = () =>
      fetch(`${served.origin}/api/tasks`, {
        method: 'POST',
        headers: { ...auth, 'content-type': 'application/json' },
        body: '{"task":5}',
      }).then((answer) => answer.json())
    expect(await refused()).toMatchObject({ error: { message: 'The field "task" must be text.' } })
  })
})
