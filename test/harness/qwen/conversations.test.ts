/** What conversations that Qwen Code 0.24 wrote say. */
import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gemini } from '../../../src/harness/gemini'
import { qwen } from '../../../src/harness/qwen'
import { qwenHarness } from '../../../src/harness/qwen/agent-harness'
import { readLineContent } from '../../../src/harness/qwen/content/line-content'
import { qwenFiles } from '../../../src/harness/qwen/files'
import { qwenTranslation } from '../../../src/harness/qwen/translate'
import { filesOf, observe, observeAll } from '../agent-fixtures'
import { pick } from '../scenario'

const ID = '22222222-0024-4024-8024-000000000024'
const DOCUMENT = '22222222-1108-4025-8025-000000000025'

test('the folder is that of the environment, or the one in the home', () => {
  expect(qwenHarness.root({ HOME: '/home/user' })).toBe('/home/user/.qwen')
  expect(qwenHarness.root({ HOME: '/home/user', QWEN_HOME: '/q' })).toBe('/q')
  expect(qwenHarness.root({ QWEN_HOME: '/q', QWEN_RUNTIME_DIR: '/r' })).toBe('/r')
})

test('a line is one event: words, calls and answers', () => {
  const events = pick(observeAll(qwen, 'plan'), 'event')
  expect(events.map(({ type, toolName }) => [type, toolName])).toEqual([
    ['prompt', null],
    ['tool_call', 'todo_write'],
    ['tool_result', 'todo_write'],
    ['tool_call', 'run_shell_command'],
    ['tool_result', 'run_shell_command'],
    ['tool_call', 'todo_write'],
    ['tool_result', 'todo_write'],
    ['text', null],
  ])
  expect(events[1]?.text).toStartWith('I will plan first.')
  expect(events.at(-1)).toMatchObject({ isFinal: true, text: 'Stopped with one step done.' })
})

test('to-dos are those of a call that was done: where the tool is off, there are none', () => {
  const last = pick(observeAll(qwen, 'plan'), 'todo').at(-1)
  expect(last?.change).toEqual({
    op: 'snapshot',
    items: [
      { content: 'Read the code', status: 'completed' },
      { content: 'Fix the bug', status: 'in_progress' },
      { content: 'Run the tests', status: 'pending' },
    ],
  })
  expect(pick(observeAll(qwen, 'plan-off'), 'todo')).toEqual([])
})

test('each request counts once with its model, those of sub-agents and of the CLI itself included', () => {
  const hello = pick(observeAll(qwen, 'hello'), 'usage')
  const request = { inputTokens: 1_000, cacheReadTokens: 200, outputTokens: 34, model: 'scripted-model' }
  // The second one is of the CLI's memory, which no reply shows.
  expect(hello).toMatchObject([request, request])
  expect(pick(observeAll(qwen, 'hello'), 'event').map(({ type }) => type)).toEqual(['prompt', 'text'])
  const all = pick(observeAll(qwen, 'subagent'), 'usage')
  expect(new Set(all.map(({ messageId }) => messageId)).size).toBe(all.length)
  expect(all.map(({ subagentId }) => subagentId).filter((id) => id !== null)).toEqual(['general-purpose-call_0009_0'])
  expect(new Set(all.map(({ model }) => model))).toEqual(new Set(['scripted-model']))
})

test('where a file tells of no request by itself, the tokens of its replies count', () => {
  const [file] = filesOf(qwen, 'hello')
  const lines = file?.bytes.toString('utf8').split('\n') ?? []
  const bytes = Buffer.from(lines.filter((line) => !line.includes('"ui_telemetry"')).join('\n'))
  const { observations } = qwen.parseLines(bytes, { ref: file?.ref ?? ({} as never), offset: 0 })
  expect(pick(observations, 'usage')).toMatchObject([
    { inputTokens: 1_000, cacheReadTokens: 200, outputTokens: 34, model: 'scripted-model' },
  ])
})

test('a line about a request that tells no tokens leaves them to the replies', () => {
  const reply = (n: number, promptTokenCount: number) =>
    line(n, 'assistant', {
      ...{ model: 'm', message: { parts: [{ text: 'Yes.' }] } },
      usageMetadata: { promptTokenCount, candidatesTokenCount: 1, totalTokenCount: promptTokenCount + 1 },
    })
  const uiEvent = { 'event.name': 'qwen-code.api_response' }
  const told = line(2, 'system', { subtype: 'ui_telemetry', systemPayload: { uiEvent } })
  const usage = pick(said([reply(1, 10), told, reply(3, 20)]), 'usage')
  expect(usage.map(({ inputTokens }) => inputTokens)).toEqual([10, 20])
})

test('a sub-agent stands below its call, from its meta file and from the notice of its end', () => {
  const seen = pick(observeAll(qwen, 'subagent'), 'subagent')
  expect(seen.find(({ evidence }) => evidence === 'meta')).toMatchObject({
    ...{ toolUseId: 'call_0009_0', type: 'general-purpose', depth: 1, isBackground: true, model: 'scripted-model' },
    end: { status: 'completed' },
  })
  expect(seen.find(({ evidence }) => evidence === 'notification')).toMatchObject({
    ...{ toolUseId: 'call_0009_0', end: { status: 'completed', result: 'Child says: short.', isShown: true } },
  })
  const notices = pick(observeAll(qwen, 'subagent'), 'event').filter(({ type }) => type === 'notice')
  expect(notices).toHaveLength(1)
})

test("a person's words give the title, and not what the CLI puts before them", () => {
  const titles = pick(observeAll(qwen, 'subagent'), 'session').flatMap(({ title }) => title?.text ?? [])
  expect(titles).toEqual(['x @@sub', 'x @@again'])
})

test('a failed request is an error, after which the session rests', () => {
  const seen = observeAll(qwen, 'error')
  expect(pick(seen, 'event').at(-1)).toMatchObject({ type: 'error', text: '400 bad request' })
  expect(pick(seen, 'activity').at(-1)).toMatchObject({ state: 'idle', evidence: 'transcript:api_error' })
})

const line = (n: number, type: string, more: object): object => ({
  ...{ uuid: `00000000-0000-4000-8000-00000000000${n}`, parentUuid: null, sessionId: ID },
  ...{ timestamp: '2026-06-01T00:00:00.000Z', type, cwd: '/home/user/project', version: '0.24.4', ...more },
})

function said(lines: readonly object[]) {
  const bytes = Buffer.from(lines.map((one) => `${JSON.stringify(one)}\n`).join(''))
  const ref = qwen.classify(`/q/projects/p/chats/${ID}.jsonl`)
  return observe(qwen, { ref: ref ?? ({} as never), bytes })
}

test('a compaction, a name that a person gave and a step back are told', () => {
  const history = [{ role: 'user', parts: [{ text: 'All of it, short.' }] }]
  const seen = said([
    line(1, 'system', { subtype: 'chat_compression', systemPayload: { compressedHistory: history } }),
    line(2, 'system', { subtype: 'custom_title', systemPayload: { customTitle: 'Mine', titleSource: 'manual' } }),
    line(3, 'system', { subtype: 'rewind', systemPayload: {} }),
  ])
  expect(pick(seen, 'event')).toMatchObject([{ type: 'compaction', text: 'All of it, short.' }, { type: 'system' }])
  expect(pick(seen, 'session')).toContainEqual(expect.objectContaining({ title: { text: 'Mine', source: 'person' } }))
})

test('lines that a fork copied name their origin, and their tokens are not its own', () => {
  const copied = { forkedFrom: { sessionId: ID.replaceAll('2', '9'), messageUuid: 'x' } }
  const event = { 'event.name': 'qwen-code.api_response', response_id: 'r', input_token_count: 5, model: 'm' }
  const seen = said([
    line(1, 'user', { ...copied, message: { parts: [{ text: 'Go' }] } }),
    line(2, 'system', { ...copied, subtype: 'ui_telemetry', systemPayload: { uiEvent: event } }),
  ])
  expect(pick(seen, 'event')).toMatchObject([{ isCopied: true }])
  expect(pick(seen, 'usage')).toEqual([])
  expect(pick(seen, 'session')).toContainEqual(expect.objectContaining({ forkedFrom: ID.replaceAll('2', '9') }))
})

test('files are told by their place; others are none', () => {
  const project = '/home/user/.qwen/projects/-home-user-project'
  expect(qwen.classify(`${project}/chats/${ID}.jsonl`)).toMatchObject({ kind: 'transcript', sessionId: ID })
  expect(qwen.classify(`${project}/chats/archive/${ID}.jsonl`)).toMatchObject({ sessionId: ID })
  expect(qwen.classify(`${project}/subagents/${ID}/agent-x-call_1.jsonl`)).toMatchObject({
    ...{ kind: 'subagent', subagentId: 'x-call_1' },
  })
  expect(qwen.classify(`${project}/subagents/${ID}/agent-x-call_1.meta.json`)).toMatchObject({ kind: 'subagent_meta' })
  expect(qwen.classify(`${project}/meta.json`)).toBeNull()
  expect(qwen.classify(`${project}/${ID}.jsonl`)).toBeNull()
})

test('a document of 2025 says what its messages say, each with its place', () => {
  const [document] = filesOf(qwen, 'document')
  const { ref, bytes } = document ?? { ref: {} as never, bytes: Buffer.alloc(0) }
  expect(ref).toMatchObject({ kind: 'transcript', sessionId: DOCUMENT })
  // Gemini CLI's documents have the same form: each reader takes its own alone.
  const elsewhere = '/x/chats/session-2025-11-08T10-00-22222222.json'
  expect(gemini.classify(elsewhere, bytes)).toBeNull()
  expect(qwen.classify(elsewhere, Buffer.from(bytes.toString().replaceAll('"qwen"', '"gemini"')))).toBeNull()
  const seen = observeAll(qwen, 'document')
  const events = pick(seen, 'event')
  expect(events.map(({ type, text, toolUseId }) => [type, text?.split('\n', 1)[0], toolUseId])).toEqual([
    ['prompt', 'Plan the bug', null],
    ['tool_call', 'I plan first.', 'call_1'],
    ['tool_result', 'ok', 'call_1'],
    ['tool_result', 'no rule', 'call_2'],
    ['text', 'There is no rule.', null],
  ])
  const shown = events.map(({ offset, length }) => readLineContent(bytes.subarray(offset, offset + length)).blocks)
  expect(shown.map((blocks) => blocks.map(({ kind }) => kind))).toEqual([
    ['text'],
    ['thinking', 'text', 'call', 'call'],
    ['answer'],
    ['answer'],
    ['text'],
  ])
  expect(pick(seen, 'usage')).toMatchObject([
    { inputTokens: 800, cacheReadTokens: 200, outputTokens: 34 },
    { inputTokens: 100, cacheReadTokens: 1_000, outputTokens: 6 },
  ])
  expect(pick(seen, 'tool_result').map(({ isError }) => isError)).toEqual([false, true])
  expect(pick(seen, 'todo')).toMatchObject([{ change: { items: [{ content: 'Find the bug' }] } }])
  expect(qwen.parseDocument(bytes.subarray(0, -3), { ref, offset: 0 })).toBeNull()
  const told = qwenTranslation.read([bytes]).parts.map(({ kind }) => kind)
  expect(told).toEqual(['person', 'agent', 'call', 'call', 'agent'])
})

test('sessions are found in both folders', () => {
  const home = mkdtempSync('/tmp/ld-')
  const project = join(home, 'tmp/0123/chats')
  mkdirSync(project, { recursive: true })
  const document = join(project, 'session-2025-11-08T10-00-22222222.json')
  writeFileSync(document, filesOf(qwen, 'document')[0]?.bytes ?? '')
  writeFileSync(join(project, `${ID}.jsonl`), '')
  writeFileSync(join(project, '../logs.json'), '[]')
  expect(qwenFiles.ofSession(home, DOCUMENT)).toEqual([document])
  const paths = [join(project, `${ID}.jsonl`), document]
  expect(
    qwenFiles
      .changedSince(home, 0)
      .map(({ path }) => path)
      .sort(),
  ).toEqual(paths)
  rmSync(home, { recursive: true })
})

test('what the CLI says under a person\u2019s name is no prompt and gives no title', () => {
  const words = (text: string) => ({ message: { role: 'user', parts: [{ text }] } })
  const author = { agentId: 'reviewer-1', name: 'Reviewer' }
  const seen = said([
    line(1, 'user', { subtype: 'cron', ...words('Look at the build'), systemPayload: { displayText: 'Cron: build' } }),
    line(2, 'user', { subtype: 'agent_message', ...words('All is well'), systemPayload: { author } }),
    line(3, 'user', { subtype: 'goal_runtime', ...words('Go on until the goal is reached') }),
    line(4, 'user', {
      subtype: 'agent_mention',
      ...words('[told] @Reviewer look'),
      systemPayload: { displayText: 'Please look' },
    }),
  ])
  expect(pick(seen, 'event').map(({ type }) => type)).toEqual(['notice', 'notice', 'attachment', 'prompt'])
  expect(pick(seen, 'session').flatMap(({ title }) => title?.text ?? [])).toEqual(['Please look'])
  expect(pick(seen, 'kind').filter(({ isKnown }) => !isKnown)).toEqual([])
})

test('a line of a sub-agent between those of its launcher is the sub-agent\u2019s', () => {
  const own = { isSidechain: true, agentId: 'explore-1' }
  const seen = said([
    line(1, 'user', { message: { role: 'user', parts: [{ text: 'Begin' }] } }),
    line(2, 'user', { ...own, message: { role: 'user', parts: [{ text: 'Explore' }] } }),
    line(3, 'assistant', { ...own, model: 'small', message: { role: 'model', parts: [{ text: 'Explored.' }] } }),
  ])
  expect(pick(seen, 'event').map(({ subagentId }) => subagentId)).toEqual([null, 'explore-1', 'explore-1'])
  expect(pick(seen, 'session').flatMap(({ title }) => title?.text ?? [])).toEqual(['Begin'])
  expect(pick(seen, 'session').flatMap(({ model }) => model ?? [])).toEqual([])
  expect(pick(seen, 'activity').map(({ state }) => state)).toEqual(['working'])
})
