/** What a run of Pi says, read line by line, and what is said to it. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { RunEvent, RunLaunch } from '../../../../src/domain/harness/harness-run'
import { READY, TOOL_QUESTION } from '../../../../src/harness/pi/extension/of-run'
import { PiTalk } from '../../../../src/harness/pi/run/talk'
import { assistant, user } from '../sessions'

type Bounds = ConstructorParameters<typeof PiTalk>[0]

const READY_LINE = { type: 'extension_ui_request', id: 'r1', method: 'notify', message: READY }
const BEGUN = { id: 'lodeline-begin', type: 'response', command: 'get_state', success: true, data: { sessionId: 's1' } }

/** A talk that has begun. */
const talk = (more: Partial<RunLaunch> = {}): PiTalk => {
  const to = begin(more)
  read(to, READY_LINE, BEGUN)
  return to
}

const begin = (more: Partial<RunLaunch> = {}): PiTalk => {
  const bounds: Bounds = {
    ...{ denied: [], permissionMode: null, cwd: '/home/user/project', userHome: '/home/user' },
    ...{ maxTurns: null, maxCostUsd: null, ...more },
  }
  return new PiTalk(bounds)
}
const read = (to: PiTalk, ...records: object[]): RunEvent[] =>
  records.flatMap((record) => to.read(Buffer.from(JSON.stringify(record))))
const said = (message: object): object => ({ type: 'message_end', message })
const replies = (events: readonly RunEvent[]): object[] =>
  events.flatMap((event) =>
    event.kind === 'reply'
      ? event.text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as object)
      : [],
  )
const SETTLED = { type: 'agent_settled' }
const asks = (name: string, input: object, id = 'q1'): object => ({
  ...{ type: 'extension_ui_request', id, method: 'input', title: TOOL_QUESTION },
  placeholder: JSON.stringify({ toolCallId: 'call_1', name, input }),
})
const answered = (events: readonly RunEvent[]): unknown =>
  replies(events).map((reply) => ('value' in reply ? JSON.parse(String(reply.value)) : reply))[0]

test('the session names itself in the answer to the first request, and in no other', () => {
  const to = begin()
  const { id } = JSON.parse(to.opening()) as { id: string }
  const state = { type: 'response', command: 'get_state', success: true, data: { sessionId: 's1', model: { id: 'm' } } }
  expect(read(to, READY_LINE, { ...state, id: 'another' })).toEqual([])
  expect(read(to, { ...state, id })).toEqual([{ kind: 'init', sessionId: 's1', cwd: null, model: 'm', version: null }])
})

test('a prompt goes in once the extension is there that asks about tool calls', () => {
  const to = begin()
  expect(to.say('Hello', 'u1')).toBe('')
  expect(replies(read(to, READY_LINE, BEGUN))).toMatchObject([{ type: 'prompt', message: 'Hello' }])
  expect(to.say('More', 'u2')).not.toBe('')
})

test('without that extension no prompt goes in, and the run fails', () => {
  const to = begin()
  to.say('Hello', 'u1')
  const events = read(to, BEGUN)
  expect(replies(events)).toEqual([])
  expect(events.slice(1)).toMatchObject([
    { kind: 'result', result: { isError: true, errors: [expect.stringContaining('extension')] } },
    { kind: 'state', state: 'idle' },
  ])
  expect(to.say('More', 'u2')).toBe('')
})

test('the work is over when it is settled, with the last words, all tokens and the cost of all answers', () => {
  const to = talk()
  const usage = { input: 10, output: 2, cacheRead: 5, cacheWrite: 1, cost: { total: 0.25 } }
  const events = read(
    to,
    { type: 'agent_start' },
    said(assistant('First.', { usage, stopReason: 'toolUse' })),
    { type: 'agent_end', messages: [] },
    said(assistant('Last.', { usage })),
    SETTLED,
  )
  expect(events.at(0)).toEqual({ kind: 'state', state: 'running' })
  expect(events.at(-1)).toEqual({ kind: 'state', state: 'idle' })
  expect(events.at(-2)).toMatchObject({
    kind: 'result',
    result: {
      ...{ isError: false, text: 'Last.', numTurns: 2, costUsd: 0.5 },
      usage: { inputTokens: 20, outputTokens: 4, cacheReadTokens: 10, cacheCreationTokens: 2 },
    },
  })
})

test('a failed answer is the result, unless a later one did not fail', () => {
  const failed = assistant('', { stopReason: 'error', errorMessage: '500: boom' })
  const bad = read(talk(), said(failed), SETTLED)
  expect(bad).toContainEqual({ kind: 'api_error', text: '500: boom' })
  expect(bad.find(({ kind }) => kind === 'result')).toMatchObject({ result: { isError: true, errors: ['500: boom'] } })
  const good = read(
    talk(),
    said(failed),
    { type: 'auto_retry_start', attempt: 1, delayMs: 2_000, errorMessage: '500' },
    said(assistant('Yes.')),
    SETTLED,
  )
  expect(good).toContainEqual({ kind: 'retrying', attempt: 1, delayMs: 2_000, reason: '500' })
  expect(good.find(({ kind }) => kind === 'result')).toMatchObject({ result: { isError: false, text: 'Yes.' } })
})

test('a text counts as delivered once the conversation has it; one that is refused ends the work', () => {
  const to = talk()
  expect(JSON.parse(to.say('Hello\n', 'u1'))).toMatchObject({
    type: 'prompt',
    message: 'Hello\n',
    streamingBehavior: 'steer',
  })
  // The conversation's file tells by it that the message arrived; the prompt is none.
  expect(JSON.parse(to.say('Again', 'u2'))).toMatchObject({ message: 'Again\n\n[lodeline:u2]' })
  expect(JSON.parse(to.say('[lodeline:u3] Once', 'u3'))).toMatchObject({ message: '[lodeline:u3] Once' })
  expect(read(to, said(user('Somebody else')))).toEqual([])
  expect(read(to, said(user('Hello\n')))).toEqual([{ kind: 'delivered', uuid: 'u1' }])
  const refused = { type: 'response', id: 'u2', command: 'prompt', success: false, error: 'No API key found for x.' }
  expect(read(to, refused)).toMatchObject([
    { kind: 'result', result: { isError: true, errors: ['No API key found for x.'] } },
    { kind: 'state', state: 'idle' },
  ])
})

test('a text that looks like a command of the program is none', () => {
  expect(JSON.parse(talk().say('/quit now', 'u1'))).toMatchObject({ message: ' /quit now' })
})

test('an interrupt takes back what waits, and then stops', () => {
  const lines = talk()
    .interrupt('i1')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { type: string }).type)
  expect(lines).toEqual(['clear_queue', 'abort'])
})

test('a tool call is asked about in the words of rules', () => {
  expect(read(talk(), asks('bash', { command: 'make' }))).toEqual([
    {
      ...{ kind: 'permission', requestId: 'q1', toolUseId: 'call_1', toolName: 'Bash', description: null },
      input: { command: 'make' },
    },
  ])
  expect(read(talk(), asks('edit', { path: '@/etc/hosts', edits: [] }))).toMatchObject([
    { kind: 'permission', toolName: 'Edit', input: { file_path: '/etc/hosts', edits: [] } },
  ])
})

test('the answer goes back with its reason', () => {
  const to = talk()
  read(to, asks('bash', { command: 'make' }))
  const line = JSON.parse(to.permit('q1', { behavior: 'deny', message: 'Not now.', input: {} })) as { value: string }
  expect(line).toMatchObject({ type: 'extension_ui_response', id: 'q1' })
  expect(JSON.parse(line.value)).toEqual({ behavior: 'deny', message: 'Not now.' })
})

test('each mode allows what it says, and refuses what it asks nobody about', () => {
  const reads = asks('read', { path: 'notes.txt' })
  const leaves = asks('read', { path: '../other/notes.txt' })
  const writes = asks('write', { path: 'a.txt', content: '' })
  const runs = asks('bash', { command: 'make' })
  const verdicts = (mode: string | null) =>
    [reads, leaves, writes, runs].map((ask) => {
      const events = read(talk({ permissionMode: mode }), ask)
      return events[0]?.kind === 'permission' ? 'ask' : (answered(events) as { behavior: string }).behavior
    })
  expect(verdicts(null)).toEqual(['allow', 'ask', 'ask', 'ask'])
  expect(verdicts('acceptEdits')).toEqual(['allow', 'ask', 'allow', 'ask'])
  expect(verdicts('plan')).toEqual(['allow', 'deny', 'deny', 'deny'])
  expect(verdicts('dontAsk')).toEqual(['allow', 'deny', 'deny', 'deny'])
  expect(verdicts('bypassPermissions')).toEqual(['allow', 'allow', 'allow', 'allow'])
})

test('what is denied is refused in every mode, by whichever tool and path', () => {
  const denied = ['Read(/home/user/.ssh/**)', 'Edit(./locked/**)', 'Bash(rm *)']
  for (const permissionMode of [null, 'bypassPermissions'])
    for (const ask of [
      asks('read', { path: '~/.ssh/id' }),
      asks('read', { path: '@~/.ssh/id' }),
      asks('read', { path: 'file:///home/user/.ssh/id' }),
      asks('read', { path: '@file:///home/user/%2essh/id' }),
      asks('read', { path: '~/.ssh/id', file_path: 'harmless.txt' }),
      asks('ls', { path: 'file:///home/user/.ssh' }),
      asks('write', { path: 'locked/a\u00a0b', content: '' }),
      asks('grep', { path: '/home/user/project/../.ssh', pattern: 'KEY' }),
      asks('write', { path: 'locked/a', content: '' }),
      asks('bash', { command: 'rm -rf /' }),
      asks('powershell', { command: 'rm -rf /' }),
    ])
      expect(answered(read(talk({ permissionMode, denied }), ask))).toMatchObject({ behavior: 'deny' })
})

test('a question of another extension is closed at once, and a broken one of ours is no permission', () => {
  for (const more of [{ title: 'Really?' }, { title: TOOL_QUESTION, placeholder: '{' }, { title: TOOL_QUESTION }])
    expect(replies(read(talk(), { type: 'extension_ui_request', id: 'q1', method: 'confirm', ...more }))).toEqual([
      { type: 'extension_ui_response', id: 'q1', cancelled: true },
    ])
  expect(read(talk(), { type: 'extension_ui_request', id: 'q1', method: 'notify', message: 'Hi' })).toEqual([])
})

test('at a bound the turn is ended, and its tools are refused', () => {
  const goesOn = said(assistant('', { stopReason: 'toolUse', usage: { cost: { total: 2 } } }))
  for (const [more, subtype] of [
    [{ maxTurns: 1 }, 'error_max_turns'],
    [{ maxCostUsd: 1.5 }, 'error_max_budget_usd'],
  ] as const) {
    const to = talk({ ...more, permissionMode: 'bypassPermissions' })
    expect(replies(read(to, goesOn)).map((reply) => ('type' in reply ? reply.type : ''))).toEqual([
      'clear_queue',
      'abort',
    ])
    expect(answered(read(to, asks('bash', { command: 'make' })))).toMatchObject({ behavior: 'deny' })
    const stopped = said(assistant('', { stopReason: 'aborted', errorMessage: 'Request was aborted' }))
    expect(read(to, stopped, SETTLED).at(-2)).toMatchObject({ result: { subtype, isError: true } })
  }
  // The last words of a turn cost as well, and are the work's end all the same.
  expect(read(talk({ maxTurns: 1 }), said(assistant('Done.')), SETTLED).at(-2)).toMatchObject({
    result: { isError: false },
  })
})

test('a compaction is told once it has succeeded', () => {
  expect(read(talk(), { type: 'compaction_end', aborted: true })).toEqual([])
  expect(read(talk(), { type: 'compaction_end', result: { summary: 'x' } })).toEqual([{ kind: 'compacted' }])
})

test('no bytes make it throw', () => {
  const type = fc.constantFrom(
    'response',
    'message_end',
    'tool_execution_start',
    'tool_execution_end',
    'extension_ui_request',
    'agent_settled',
    'auto_retry_start',
    'compaction_end',
  )
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom('input', TOOL_QUESTION, 'assistant', 'user', 'prompt', '{"name":"bash"}'),
  )
  const names = fc.constantFrom(
    'id',
    'method',
    'title',
    'placeholder',
    'message',
    'command',
    'success',
    'error',
    'data',
    'result',
    'args',
    'toolName',
  )
  fc.assert(
    fc.property(
      fc.array(fc.tuple(type, fc.dictionary(names, value)), { maxLength: 5 }),
      fc.uint8Array(),
      (records, noise) => {
        const to = talk({ maxTurns: 1, permissionMode: 'dontAsk' })
        to.read(noise)
        for (const [name, fields] of records)
          for (const event of read(to, { ...fields, type: name })) expect(event.kind).toBeString()
      },
    ),
    { numRuns: 1_000 },
  )
})
