import { afterEach, expect, test } from 'bun:test'
import { type ModelServer, startModelServer } from './model-server'
import { createScenes, PROMPTS, type Step } from './story'
import { createTaskScenes, TASKS, WORD } from './task-story'

const servers: ModelServer[] = []
const steps: Step[] = []
afterEach(async () => {
  steps.length = 0
  await Promise.all(servers.splice(0).map((server) => server.stop()))
})

function start(scenes = createScenes(0)): ModelServer {
  const server = startModelServer({ scenes, pace: 0, onStep: (step) => steps.push(step) })
  servers.push(server)
  return server
}

interface Block {
  type: string
  text?: string
  id?: string
  name?: string
}

async function ask(server: ModelServer, messages: unknown, headers: Record<string, string> = {}): Promise<Block[]> {
  const response = await fetch(`${server.baseUrl}/v1/messages?beta=true`, {
    method: 'POST',
    headers: { 'x-claude-code-session-id': 'one', ...headers },
    body: JSON.stringify({ model: 'some-model', messages }),
  })
  expect(response.status).toBe(200)
  const { content } = (await response.json()) as { content: Block[] }
  return content
}

const user = (content: unknown) => ({ role: 'user', content })
const answered = { role: 'assistant', content: [{ type: 'text', text: 'so far' }] }
const result = user([{ type: 'tool_result', tool_use_id: 'x', content: 'done' }])

test('a turn gets its lines in order, counted from its own prompt', async () => {
  const server = start()
  const first = await ask(server, [user(PROMPTS.fix)])
  expect(first.map((block) => block.name ?? block.text)).toEqual([
    'I will plan this first.',
    'TaskCreate',
    'TaskCreate',
    'TaskCreate',
  ])
  const second = await ask(server, [user(PROMPTS.fix), answered, result])
  expect(second.map((block) => block.name)).toEqual(['TaskUpdate'])
  const later = await ask(server, [user(PROMPTS.fix), answered, result, answered, user(PROMPTS.left)])
  expect(later.map((block) => block.name)).toEqual(['Bash'])
})

test('the same request again gets the same line: a retry does not lose the thread', async () => {
  const server = start()
  const names = async () => (await ask(server, [user(PROMPTS.fix), answered, result])).map((block) => block.name)
  expect(await names()).toEqual(await names())
})

test('reminders of the CLI are no prompt, a notice of finished work is one', async () => {
  const server = start()
  const reminder = '<system-reminder>be brief</system-reminder>'
  const [plain] = await ask(server, [
    user([
      { type: 'text', text: reminder },
      { type: 'text', text: PROMPTS.cents },
    ]),
  ])
  expect(plain?.text).toBe('Another way, then.')
  const notice = '<system-reminder><task-notification>ended</task-notification></system-reminder>'
  const [told] = await ask(server, [user(PROMPTS.fix), answered, user(notice)])
  expect(told?.name).toBe('TaskUpdate')
})

test('a request to summarise is answered with the summary and stands in no ledger', async () => {
  const server = start()
  const [summary] = await ask(server, [
    user(PROMPTS.fix),
    answered,
    user('Your task is to create a detailed summary of'),
  ])
  expect(summary?.text).toStartWith('<summary>')
  expect(server.ledger.answers).toEqual([])
})

test('the background agent reports only when the main turn is over', async () => {
  const server = start()
  let isReported = false
  const report = ask(server, [user('TESTS: go'), answered, result, answered, result], {
    'x-claude-code-agent-id': 'a1',
  }).then((content) => {
    isReported = true
    return content
  })
  await ask(server, [user(PROMPTS.fix)])
  expect(isReported).toBe(false)
  await ask(server, [user(PROMPTS.fix), ...Array.from({ length: 7 }, () => [answered, result]).flat()])
  expect(await report).toEqual([{ type: 'text', text: '24 tests, all passed.' }])
})

test('the ledger holds the usage of each answer by session and agent, and the calls that launch agents', async () => {
  const server = start()
  const turns = Array.from({ length: 2 }, () => [answered, result]).flat()
  const content = await ask(server, [user(PROMPTS.fix), ...turns])
  await ask(server, [user('SEARCH: go')], { 'x-claude-code-agent-id': 'a1' })
  expect(server.ledger.launches.get('Find where prices are rounded')).toBe(
    content.find((b) => b.type === 'tool_use')?.id,
  )
  expect(server.ledger.answers.map(({ sessionId, agentId }) => [sessionId, agentId])).toEqual([
    ['one', null],
    ['one', 'a1'],
  ])
})

test('of the tasks, what only the conversation tells is said only where it is shown', async () => {
  const server = start(createTaskScenes())
  const [ignorant] = await ask(server, [user(TASKS.label)])
  expect(ignorant?.text).toBe('ok')
  const parent = [user(TASKS.pack), { role: 'assistant', content: [{ type: 'text', text: `It is ${WORD}.` }] }]
  const [knowing] = await ask(server, [...parent, user(TASKS.label)])
  expect(knowing?.name).toBe('Bash')
  const [resumed] = await ask(server, [user(TASKS.pack), answered, user('Continue task t-1')])
  expect(resumed?.name).toBe('Bash')
  const shown = server.ledger.requests.map(({ conversation }) => conversation.includes(WORD))
  expect(shown).toEqual([false, true, false])
})

test('a streamed answer is the whole one in pieces', async () => {
  const server = start()
  const response = await fetch(`${server.baseUrl}/v1/messages`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', stream: true, messages: [user(PROMPTS.fix)] }),
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const events = (await response.text())
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)))
  expect(events[0].type).toBe('message_start')
  expect(events.at(-1).type).toBe('message_stop')
  const deltas = events.filter((event) => event.type === 'content_block_delta').map((event) => event.delta)
  expect(deltas.map((delta) => delta.text ?? '').join('')).toBe('I will plan this first.')
  const inputs = deltas.filter((delta) => delta.partial_json !== undefined)
  expect(inputs.map((delta) => JSON.parse(delta.partial_json).subject)).toHaveLength(3)
})

test('what is no request of the Messages API is refused, what is not scripted gets a plain answer', async () => {
  const server = start()
  expect((await fetch(`${server.baseUrl}/v1/models`)).status).toBe(404)
  expect((await fetch(`${server.baseUrl}/v1/messages`, { method: 'POST', body: 'nonsense' })).status).toBe(400)
  expect((await fetch(`${server.baseUrl}/v1/messages`, { method: 'POST', body: '{"messages":7}' })).status).toBe(400)
  expect(await ask(server, [user('unknown words'), 7, null])).toEqual([{ type: 'text', text: 'ok' }])
})
