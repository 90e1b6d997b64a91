/** What conversations that Gemini CLI 0.61 wrote say, and those of 2025. */
import { expect, test } from 'bun:test'
import { isDocument } from '../../../src/domain/harness/harness'
import { gemini } from '../../../src/harness/gemini'
import { geminiHarness } from '../../../src/harness/gemini/agent-harness'
import { filesOf, observe, observeAll } from '../agent-fixtures'
import { pick } from '../scenario'

const ID = '71f4f790-4754-4a5b-b777-4a84670c356a'

test('the folder is the one in the home, or in what stands for it', () => {
  expect(geminiHarness.root({ HOME: '/home/user' })).toBe('/home/user/.gemini')
  expect(geminiHarness.root({ HOME: '/home/user', GEMINI_CLI_HOME: '/g' })).toBe('/g/.gemini')
  expect(geminiHarness.rootEnvironment('/g/.gemini')).toEqual({ GEMINI_CLI_HOME: '/g' })
})

test('a reply that is written twice is one event of its words, one of each call and one of each answer', () => {
  const events = pick(observeAll(gemini, 'errors'), 'event')
  const unique = new Map(events.map((event) => [event.uuid, event]))
  expect([...unique.values()].map(({ type, text }) => [type, text?.split('\n', 1)[0]])).toEqual([
    ['attachment', '<session_context>'],
    ['prompt', 'x @@bad'],
    ['tool_call', 'no_such_tool'],
    [
      'tool_result',
      'Tool "no_such_tool" not found. Did you mean one of: "write_todos", "update_topic", "list_directory"?',
    ],
    ['tool_call', 'read_file'],
    ['tool_result', 'File not found: /home/user/project/missing.txt'],
    ['text', 'Done.'],
  ])
  const results = pick(observeAll(gemini, 'errors'), 'tool_result')
  expect(new Set(results.map(({ isError }) => isError))).toEqual(new Set([true]))
})

test('thinking and words of a line are events of their own, each with its place', () => {
  const [file] = filesOf(gemini, 'hello')
  const events = pick(observe(gemini, file ?? ({} as never)), 'event').slice(-2)
  expect(events.map(({ type, text }) => [type, text])).toEqual([
    ['thinking', 'Greeting\nThinking about it.'],
    ['text', 'Hello from the scripted model.'],
  ])
  expect(events.map(({ offset, length }) => file?.bytes.subarray(offset, offset + length).toString())).toEqual([
    expect.stringMatching(/^\[\{"subject":"Greeting".*\}\]$/),
    '"Hello from the scripted model."',
  ])
})

test('tokens count once for each reply: the cache is a part of the input, thinking is none of the output', () => {
  const usage = pick(observeAll(gemini, 'hello'), 'usage')
  expect(usage).toMatchObject([{ inputTokens: 1_000, cacheReadTokens: 200, outputTokens: 42, model: 'gemini-2.5-pro' }])
  const all = pick(observeAll(gemini, 'plan'), 'usage')
  expect(new Set(all.map(({ messageId }) => messageId)).size).toBeLessThan(all.length)
  expect(new Set(all.map(({ messageId }) => messageId)).size).toBe(6)
})

test('the folder comes from the words of the CLI, as no file has a field for it', () => {
  expect(pick(observeAll(gemini, 'hello'), 'session')).toContainEqual(
    expect.objectContaining({ cwd: '/home/user/project' }),
  )
})

test('to-dos are those of a call that was done; a blocked one is open, a cancelled one is none', () => {
  const todos = pick(observeAll(gemini, 'plan'), 'todo')
  expect(todos.find(({ toolUseId }) => toolUseId === 'write_todos__call_0031_0')?.change).toEqual({
    op: 'snapshot',
    items: [
      { content: 'Read the code', status: 'completed' },
      { content: 'Fix the bug', status: 'in_progress' },
      { content: 'Run the tests', status: 'pending' },
    ],
  })
  const call = (status: string, todo: string) =>
    reply({
      toolCalls: [
        {
          ...{ id: 't', name: 'write_todos', status, timestamp: TIME, result: [] },
          args: { todos: [{ description: 'One', status: todo }] },
        },
      ],
    })
  expect(pick(said([call('success', 'cancelled')]), 'todo')).toMatchObject([{ change: { items: [] } }])
  expect(pick(said([call('error', 'pending')]), 'todo')).toEqual([])
})

test('a sub-agent stands below the call that names it, with its prompt, its model and its end', () => {
  const seen = pick(observeAll(gemini, 'subagent'), 'subagent')
  const link = seen.find(({ evidence }) => evidence === 'tool_result')
  expect(link).toMatchObject({
    ...{ toolUseId: 'invoke_agent__call_0001_0', type: 'generalist', prompt: 'Look. @@child' },
    end: { status: 'completed', result: expect.stringContaining('Child says: short.') },
  })
  const own = seen.filter(({ subagentId, evidence }) => subagentId === link?.subagentId && evidence === undefined)
  expect(own.map(({ prompt, model }) => prompt ?? model).filter(Boolean)).toEqual(['Look. @@child', 'gemini-2.5-pro'])
  expect(own.at(-1)?.end).toMatchObject({ status: 'completed' })
})

test('a topic that the model names is the title', () => {
  expect(pick(observeAll(gemini, 'topic'), 'session')).toContainEqual(
    expect.objectContaining({ title: { text: 'Reading the code', source: 'agent' } }),
  )
})

test('a conversation that was restated tells nothing new, whatever times it gives its messages', () => {
  const [, main] = filesOf(gemini, 'same-minute')
  const events = pick(observe(gemini, main ?? ({} as never)), 'event')
  const prompts = events.filter(({ type, text }) => type === 'prompt' && text === 'x @@sub')
  expect(prompts.length).toBe(2)
  expect(new Set(prompts.map(({ uuid }) => uuid)).size).toBe(1)
  // The same call stands in a list of calls first, and in the words later.
  const calls = events.filter(({ type }) => type === 'tool_call')
  expect([calls.length, new Set(calls.map(({ uuid }) => uuid)).size]).toEqual([2, 1])
})

test('a session that was loaded from a copy begins with a time of its own: what is older is the copy', () => {
  const [copy] = filesOf(gemini, 'loaded')
  const { head, observations } = gemini.parseLines(copy?.bytes ?? Buffer.alloc(0), {
    ...{ ref: copy?.ref ?? ({} as never), offset: 0 },
  })
  const older = pick(observations, 'event').filter(({ at }) => (at ?? 0) < (head?.at ?? 0))
  expect(head?.isOwn).toBe(true)
  expect(new Set(older.map(({ text }) => text?.split('\n', 1)[0]))).toEqual(
    new Set(['<session_context>', 'x @@big', 'Much was read.']),
  )
  // Tokens go with an event of their line, so that those of the copy do not count.
  const uuids = new Set(older.map(({ uuid }) => uuid))
  expect(pick(observations, 'usage').filter(({ uuid }) => !uuids.has(uuid))).toMatchObject([{ outputTokens: 10 }])
})

const TIME = '2026-06-01T00:00:00.000Z'
const HEADER = { sessionId: ID, projectHash: 'p', startTime: TIME, lastUpdated: TIME, kind: 'main' }
const user = (text: string) => ({ id: 'u', timestamp: TIME, type: 'user', content: [{ text }] })
const reply = (more: object) => ({ id: 'g', timestamp: TIME, type: 'gemini', content: '', ...more })

function said(records: readonly object[]) {
  const bytes = Buffer.from([HEADER, ...records].map((one) => `${JSON.stringify(one)}\n`).join(''))
  const ref = gemini.classify(`/g/tmp/p/chats/session-2026-06-01T00-00-71f4f790.jsonl`, bytes)
  return observe(gemini, { ref: ref ?? ({} as never), bytes })
}

test('a summary that takes the place of the conversation is a compaction', () => {
  const seen = said([
    { $set: { messages: [] } },
    { $set: { messages: [user('<state_snapshot>All of it.</state_snapshot>')] } },
  ])
  expect(pick(seen, 'event')).toMatchObject([{ type: 'compaction' }])
})

test('a step back, an error and a cancelled call are told', () => {
  const cancelled = { id: 'c', name: 'run_shell_command', args: {}, status: 'cancelled', timestamp: TIME, result: [] }
  const seen = said([
    user('Go'),
    reply({ toolCalls: [cancelled] }),
    { id: 'e', timestamp: TIME, type: 'error', content: 'quota' },
    { $rewindTo: 'u' },
  ])
  expect(pick(seen, 'event').map(({ type }) => type)).toEqual(['prompt', 'tool_call', 'tool_result', 'error', 'system'])
  expect(pick(seen, 'tool_result')).toMatchObject([{ isError: true, isInterrupted: true }])
  expect(pick(seen, 'activity').at(-1)).toMatchObject({ state: 'idle', evidence: 'transcript:error' })
})

const DOCUMENT = {
  ...{
    sessionId: ID,
    projectHash: 'p',
    startTime: '2025-09-18T02:45:00.000Z',
    lastUpdated: '2025-09-18T02:46:00.000Z',
  },
  messages: [
    {
      id: '11111111-0000-4000-8000-000000000001',
      timestamp: '2025-09-18T02:45:01.000Z',
      type: 'user',
      content: 'Hello',
    },
    {
      ...{ id: '11111111-0000-4000-8000-000000000002', timestamp: '2025-09-18T02:45:02.000Z', type: 'gemini' },
      ...{ content: 'Hi "there"', thoughts: [{ subject: 'S', description: 'D' }], model: 'gemini-2.5-pro' },
      tokens: { input: 10, output: 2, cached: 4, thoughts: 1, tool: 0, total: 13 },
    },
  ],
}

test('a document of 2025 says what its messages say, each with its place', () => {
  const path = '/g/tmp/0123/chats/session-2025-09-18T02-45-71f4f790.json'
  const bytes = Buffer.from(JSON.stringify(DOCUMENT, null, 2))
  const ref = gemini.classify(path, bytes)
  expect(ref).toMatchObject({ kind: 'transcript', sessionId: ID })
  if (ref === null) return
  expect(isDocument(ref)).toBe(true)
  const seen = gemini.parseDocument(bytes, { ref, offset: 0 }) ?? []
  expect(
    pick(seen, 'event').map(({ type, text, offset, length }) => [
      type,
      text,
      JSON.parse(bytes.subarray(offset, offset + length).toString()),
    ]),
  ).toEqual([
    ['prompt', 'Hello', DOCUMENT.messages[0]],
    ['thinking', 'S\nD', [{ subject: 'S', description: 'D' }]],
    ['text', 'Hi "there"', 'Hi "there"'],
  ])
  expect(pick(seen, 'usage')).toMatchObject([{ inputTokens: 6, cacheReadTokens: 4, outputTokens: 3 }])
  expect(gemini.parseDocument(bytes.subarray(0, -3), { ref, offset: 0 })).toBeNull()
})

test('files are told by their place and first words; others are none', () => {
  const head = Buffer.from(`${JSON.stringify(HEADER)}\n`)
  const child = Buffer.from(`${JSON.stringify({ ...HEADER, sessionId: 'child', kind: 'subagent' })}\n`)
  const chats = '/home/user/.gemini/tmp/p/chats'
  expect(gemini.classify(`${chats}/session-2026-06-01T00-00-71f4f790.jsonl`)).toMatchObject({ sessionId: null })
  expect(gemini.classify(`${chats}/session-2026-06-01T00-00-71f4f790.jsonl`, head)).toMatchObject({ sessionId: ID })
  expect(gemini.classify(`${chats}/${ID}/child.jsonl`, child)).toMatchObject({
    ...{ kind: 'subagent', sessionId: ID, subagentId: 'child' },
  })
  expect(gemini.classify(`${chats}/session-2026-06-01T00-00-71f4f790.jsonl`, Buffer.from('{"type":"x"}\n'))).toBeNull()
  expect(gemini.classify(`${chats}/../logs.json`)).toBeNull()
  expect(gemini.classify(`${chats}/session-2026-06-01T00-00-71f4f790.jsonl`, head.subarray(0, 20))).toBeNull()
})

test('a command that ended with another code than 0 failed, though its call has the status of a success', () => {
  const ran = (output: string) => ({
    ...{ id: 'c', name: 'run_shell_command', args: { command: 'make' }, status: 'success', timestamp: TIME },
    result: [{ functionResponse: { id: 'c', name: 'run_shell_command', response: { output } } }],
  })
  const failed = (output: string) =>
    pick(said([reply({ toolCalls: [ran(output)] })]), 'tool_result').map(({ isError }) => isError)
  expect(failed('<untrusted_context>\nOutput: no\nExit Code: 2\nProcess Group PGID: 1\n</untrusted_context>')).toEqual([
    true,
  ])
  expect(failed('Command: make\nStdout: Exit Code: 2 is bad\nError: (none)\nExit Code: 0\nSignal: (none)')).toEqual([
    false,
  ])
})

test('where a message is changed by itself, the answers of its tools and words that came later are read from there', () => {
  const answer = [{ functionResponse: { id: 'c', name: 'glob', response: { output: 'two files' } } }]
  const seen = said([
    user('Go'),
    reply({ toolCalls: [{ id: 'c', name: 'glob', args: {}, status: 'executing', timestamp: TIME }] }),
    { $patch: { id: 'g', content: 'Found.', toolCalls: [{ id: 'c', result: answer }] } },
    { $patch: { id: 'g', toolCalls: [{ id: 'c', result: null }] } },
    { $patch: { updates: [{ id: 'g', content: 'Found them.' }], removeIds: ['u'] } },
  ])
  const events = new Map(pick(seen, 'event').map((event) => [event.uuid, event]))
  expect([...events.values()].map(({ type }) => type)).toEqual(['prompt', 'tool_call', 'text', 'tool_result'])
  // If an event comes twice, the first one stays.
  expect(pick(seen, 'event').find(({ type }) => type === 'tool_result')?.text).toBe('two files')
})
