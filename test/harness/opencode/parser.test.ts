/** What the journals say that are made of rows which opencode 1.18.33 wrote. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { opencode } from '../../../src/harness/opencode'
import { opencodeHarness } from '../../../src/harness/opencode/agent-harness'
import { readLineContent } from '../../../src/harness/opencode/content/line-content'
import { wholeText } from '../../../src/harness/opencode/content/whole-text'
import { opencodeTranslation } from '../../../src/harness/opencode/translate'
import { eventTypes, pick, subagentsOf, todosOf, toolCallCount, totalOf, usageOf } from '../scenario'
import { type Journal, journalsOfStory, observe, STORIES, type Story, sessionOf } from './database'

let home: string
const journals = new Map<Story, Journal[]>()
beforeAll(async () => {
  home = mkdtempSync('/tmp/ld-')
  for (const story of STORIES) journals.set(story, await journalsOfStory(home, story))
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

const of = (story: Story): Journal[] => journals.get(story) ?? []

test('every row is of a kind that is known, and no line is broken', () => {
  for (const story of STORIES) {
    const kinds = pick(observe(of(story)), 'kind')
    expect(kinds.length).toBeGreaterThan(5)
    expect(kinds.filter(({ isKnown }) => !isKnown)).toEqual([])
  }
})

test('a conversation: its place, title and model, what was said, and each tool call with its answer', () => {
  const seen = observe(of('plan'))
  const facts = Object.assign({}, ...pick(seen, 'session').toReversed())
  expect(facts).toMatchObject({
    cwd: '/home/user/project',
    agentVersion: '1.18.33',
    model: 'scripted-model',
    title: { text: 'Scripted title', source: 'agent' },
  })
  expect(pick(seen, 'session').flatMap(({ title }) => title ?? [])).toContainEqual({ text: '@@plan', source: 'prompt' })
  expect(eventTypes(seen)).toMatchObject({ prompt: 1, text: 2, tool_call: 4, tool_result: 4 })
  expect(toolCallCount(seen)).toBe(4)
  // A command that ends with another code than 0 has failed, though the tool has not.
  expect(pick(seen, 'tool_result').map(({ isError }) => isError)).toEqual([false, false, false, true])
  expect(
    pick(seen, 'activity')
      .toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0))
      .at(-1),
  ).toMatchObject({ state: 'idle' })
})

test('thinking is told, and counts once: whether the output has it is told by the total', () => {
  const seen = observe(of('hello'))
  expect(eventTypes(seen)).toMatchObject({ thinking: 1, text: 1 })
  const [usage] = Object.values(usageOf(seen))
  expect(usage).toMatchObject({ inputTokens: 1_000, cacheReadTokens: 200 })
  expect(usage?.statedNanoUsd).toBeGreaterThan(0)
  expect((usage?.inputTokens ?? 0) + (usage?.cacheReadTokens ?? 0) + (usage?.outputTokens ?? 0)).toBe(1_234)
})

test('each answer of the model counts once, by its model', () => {
  const seen = observe(of('plan'))
  expect(totalOf(usageOf(seen))).toEqual({ input: 500, output: 50 })
  expect(new Set(pick(seen, 'usage').map(({ model }) => model))).toEqual(new Set(['scripted-model']))
})

test('the to-dos are those of the last call; one that was cancelled is off the list', () => {
  expect(todosOf(observe(of('plan'))).map(({ content, status }) => [content, status])).toEqual([
    ['Read the code', 'completed'],
    ['Fix the bug', 'in_progress'],
    ['Run the tests', 'removed'],
  ])
})

test('a compaction, its summary and the error before it', () => {
  const seen = observe(of('compact'))
  expect(eventTypes(seen)).toMatchObject({ prompt: 1, compaction: 1, summary: 1, text: 1, attachment: 1 })
})

test('a command that another agent carries out is the prompt that it stands for', () => {
  const words = 'Review the last change'
  const data = { type: 'subtask', agent: 'general', description: 'review', command: 'review', prompt: words }
  const [journal] = of('hello')
  const lines = journal?.bytes.toString().trimEnd().split('\n') ?? []
  const changed = lines.map((line) => {
    const record = JSON.parse(line)
    const isPrompt = record.table === 'part' && record.of?.role === 'user'
    return isPrompt ? JSON.stringify({ ...record, row: { ...record.row, data: JSON.stringify(data) } }) : line
  })
  const bytes = Buffer.from(changed.map((line) => `${line}\n`).join(''))
  const seen = observe(journal ? [{ ...journal, bytes }] : [])
  expect(pick(seen, 'event').filter(({ type }) => type === 'prompt')).toMatchObject([{ text: words }])
  expect(pick(seen, 'session').flatMap(({ title }) => title ?? [])).toContainEqual({ text: words, source: 'prompt' })
  const line = Buffer.from(changed.find((each) => each.includes('subtask')) ?? '')
  expect(readLineContent(line).blocks).toEqual([{ kind: 'text', text: words }])
  expect(wholeText(line)).toBe(words)
  expect(opencodeTranslation.read([bytes]).parts[0]).toMatchObject({ kind: 'person', text: words })
})

describe('sub-agents', () => {
  test('each stands below the call that launched it, with its prompt, end and result', () => {
    expect(subagentsOf(observe(of('sub')))).toEqual({
      ses_df5f6eb41ffelQtcIdU165xioK: {
        ...{ toolUseId: 'call_0008_0', type: 'general', description: 'Look at file' },
        ...{ isBackground: false, end: 'completed', result: 'Child says: short.' },
      },
      ses_df5f6eb2affe7j2xPNpwnYmvv0: {
        ...{ toolUseId: 'call_0008_1', type: 'explore', description: 'Look at other' },
        ...{ isBackground: false, end: 'completed', result: 'Second child says: fine.' },
      },
    })
  })

  test('one that another one launched names it', () => {
    const [main] = of('sub')
    const bytes = Buffer.from(main?.bytes ?? '')
    const ref = opencode.classify('/x/rows/opencode/x/rows/ses_top/ses_middle.jsonl')
    if (ref === null) throw new Error('no journal')
    expect(subagentsOf(observe([{ ref, bytes }]))).toMatchObject({
      ses_df5f6eb41ffelQtcIdU165xioK: { parentAgentId: 'ses_middle', toolUseId: 'call_0008_0' },
    })
  })

  test('one that is continued has another run, which its first call did not launch', () => {
    const [main] = of('sub')
    const text = main?.bytes
      .toString()
      .replaceAll('"subagent_type":"general"}', '"subagent_type":"general","task_id":"ses_df5f6eb41ffelQtcIdU165xioK"}')
    const seen = pick(observe(main ? [{ ...main, bytes: Buffer.from(text ?? '') }] : []), 'subagent')
    const continued = seen.filter(({ subagentId }) => subagentId === 'ses_df5f6eb41ffelQtcIdU165xioK')
    expect(continued.map(({ run, toolUseId }) => [run?.trigger, toolUseId])).toEqual([['message', undefined]])
  })

  test('what one does is its own, and says nothing of the session', () => {
    const children = of('sub').filter(({ ref }) => ref.kind === 'subagent')
    expect(children.map(({ ref }) => ref.sessionId)).toEqual([sessionOf('sub'), sessionOf('sub')])
    const seen = observe(children)
    expect(new Set(pick(seen, 'event').map(({ subagentId }) => subagentId))).toEqual(
      new Set(children.map(({ ref }) => ref.subagentId)),
    )
    expect([...pick(seen, 'session'), ...pick(seen, 'activity')]).toEqual([])
    expect(totalOf(usageOf(seen))).toEqual({ input: 1_000, output: 40 })
  })
})

test('a fork: what it copied counts for its origin, which a copied launch names', () => {
  const seen = observe(of('fork'))
  const events = pick(seen, 'event')
  expect(events.filter(({ isCopied }) => isCopied).map(({ type }) => type)).toContain('tool_call')
  expect(events.filter(({ isCopied }) => !isCopied).map(({ type, text }) => [type, text])).toEqual([
    ['prompt', '@@again'],
    ['text', 'Hello again.'],
  ])
  expect(totalOf(usageOf(seen))).toEqual({ input: 100, output: 12 })
  expect(subagentsOf(seen)).toEqual({})
  expect(pick(seen, 'session').flatMap(({ forkedFrom }) => forkedFrom ?? [])).toContain(sessionOf('sub'))
})

describe('a line for a person', () => {
  const find = (word: string): Buffer => {
    const lines = of('plan').flatMap(({ bytes }) => bytes.toString().trimEnd().split('\n'))
    return Buffer.from(lines.find((line) => line.includes(word)) ?? '')
  }

  test('its words', async () => {
    expect(await opencodeHarness.words.textOf(find('@@plan'))).toBe('@@plan')
    expect(await opencodeHarness.words.textOf(find('exit 3'))).toBe('bash\nexit 3\nFails\n(no output)')
    expect(await opencodeHarness.words.textOf(Buffer.from('no line'))).toBeNull()
  })

  test('a call with its input as fields and its answer; what only opencode has as JSON', async () => {
    expect((await opencodeHarness.words.contentOf(find('exit 3'))).blocks).toEqual([
      { kind: 'call', toolUseId: 'call_0005_0', name: 'bash', input: { command: 'exit 3', description: 'Fails' } },
      { kind: 'answer', toolUseId: 'call_0005_0', isError: true, text: '(no output)', images: [] },
    ])
    const [step] = (await opencodeHarness.words.contentOf(find('step-finish'))).blocks
    expect(step).toMatchObject({ kind: 'other', name: 'step-finish' })
  })
})

test('releases that count reasoning as a part of the output: it is not added again', async () => {
  const [main] = of('hello')
  const text =
    main?.bytes
      .toString()
      .replaceAll('"total":1234,"input":1000,"output":26', '"total":1234,"input":1000,"output":34') ?? ''
  const [usage] = Object.values(usageOf(observe(main ? [{ ...main, bytes: Buffer.from(text) }] : [])))
  expect(usage).toMatchObject({ inputTokens: 1_000, outputTokens: 34, cacheReadTokens: 200 })
})

test('ids of calls that a server numbers anew for each answer stay apart', () => {
  const line = (id: string): string =>
    `${JSON.stringify({
      ...{ table: 'part', id, version: '1', born: null, of: { role: 'assistant', model: null, created: null } },
      row: { id, data: { type: 'tool', tool: 'bash', callID: 'call_0', state: { status: 'running', input: {} } } },
    })}\n`
  const [journal] = of('plan')
  const seen = observe(journal ? [{ ...journal, bytes: Buffer.from(line('prt_1') + line('prt_2')) }] : [])
  expect(pick(seen, 'tool_call').map(({ toolUseId }) => toolUseId)).toEqual(['call_0:prt_1', 'call_0:prt_2'])
})

test('a question to a person, a failure of the model and a call that was broken off', () => {
  const line = (table: string, id: string, data: object): string =>
    `${JSON.stringify({ table, id, version: '1', born: null, of: { role: 'assistant' }, row: { id, time_created: 1_795_000_000_000, data } })}\n`
  const tool = (name: string, state: object) => ({ type: 'tool', tool: name, callID: `call_${name}_1234`, state })
  const [journal] = of('plan')
  const text =
    line('part', 'p1', tool('question', { status: 'running', input: {} })) +
    line('part', 'p2', tool('bash', { status: 'error', input: {}, error: 'Tool execution aborted' })) +
    line('message', 'm1', {
      ...{ role: 'assistant', time: { created: 1_795_000_000_000, completed: 1_795_000_000_001 } },
      error: { name: 'APIError', data: { message: 'Too many requests' } },
    })
  const seen = observe(journal ? [{ ...journal, bytes: Buffer.from(text) }] : [])
  expect(pick(seen, 'activity').map(({ state }) => state)).toEqual(['waiting', 'working', 'idle'])
  expect(pick(seen, 'tool_result')).toMatchObject([{ isError: true, isInterrupted: true }])
  expect(pick(seen, 'event').at(-1)).toMatchObject({ type: 'error', text: 'APIError: Too many requests' })
})
