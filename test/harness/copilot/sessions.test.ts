/** What the files say that Copilot CLI 1.0.102 wrote. */
import { describe, expect, test } from 'bun:test'
import { foldRuns } from '../../../src/domain/subagent/run-fold'
import { copilotHarness } from '../../../src/harness/copilot/agent-harness'
import { eventTypes, pick, subagentsOf, toolCallCount, totalOf, usageOf } from '../scenario'
import { AT, line, observe, STORIES, session, sessionOf } from './sessions'

test('every line of every session is of a kind that is known, and none is broken', () => {
  for (const story of STORIES) {
    const kinds = pick(observe(sessionOf(story)), 'kind')
    expect(kinds.filter(({ isKnown }) => !isKnown)).toEqual([])
    expect(new Set(kinds.map(({ version }) => version))).toEqual(new Set(['1.0.102']))
  }
})

test('a conversation: its place, title and model, what was said, and each tool call with its answer', () => {
  const seen = observe(sessionOf('plan'))
  const facts = Object.assign({}, ...pick(seen, 'session').toReversed())
  expect(facts).toMatchObject({
    ...{ cwd: '/home/user/project', gitBranch: 'main', agentVersion: '1.0.102', model: 'scripted-model' },
    title: { text: 'x @@plan', source: 'prompt' },
  })
  expect(eventTypes(seen)).toEqual({ prompt: 1, attachment: 1, tool_call: 4, tool_result: 4, text: 1 })
  expect(toolCallCount(seen)).toBe(4)
  // A command that ends with another code than 0 has failed, though the tool has not.
  expect(pick(seen, 'tool_result').map(({ isError }) => isError)).toEqual([false, true, false, false])
  expect(pick(seen, 'activity').slice(-2)).toMatchObject([
    { state: 'idle', evidence: 'transcript:assistant.message' },
    { state: 'ended', evidence: 'transcript:session.shutdown', reason: 'routine' },
  ])
})

describe('usage', () => {
  test('each answer of the model counts once; the sums at the end of a process say it again, and count nothing', () => {
    expect(totalOf(usageOf(observe(sessionOf('plan'))))).toEqual({ input: 500, output: 50 })
  })

  test('of a process that was killed stands in the file, and so does that of the next one', () => {
    const usage = Object.values(usageOf(observe(sessionOf('killed'))))
    expect(usage).toMatchObject([
      { inputTokens: 100, outputTokens: 10 },
      { inputTokens: 100, cacheReadTokens: 1_200, outputTokens: 12 },
    ])
  })

  test('of a sub-agent is its own', () => {
    const seen = observe(sessionOf('subagent'))
    expect(totalOf(usageOf(seen))).toEqual({ input: 400, output: 40 })
    expect(pick(seen, 'usage').filter(({ subagentId }) => subagentId !== null)).toHaveLength(2)
  })

  test('of the answer that wrote the summary of a compaction counts too', () => {
    const own = pick(observe(sessionOf('compaction')), 'usage').filter(({ messageId }) =>
      messageId.startsWith('compaction:'),
    )
    expect(own).toMatchObject([{ model: 'scripted-model' }, { inputTokens: 100, outputTokens: 10 }])
  })

  test('of releases that wrote it beside each answer counts once', () => {
    const usage = { model: 'gpt-5', inputTokens: 100, outputTokens: 7, cacheReadTokens: 40, cacheWriteTokens: 0 }
    const metrics = { shutdownType: 'routine', modelMetrics: { 'gpt-5': { usage } } }
    const seen = observe(session([line(AT, 'assistant.usage', usage), line(AT + 9, 'session.shutdown', metrics)]))
    expect(pick(seen, 'usage')).toMatchObject([{ model: 'gpt-5', inputTokens: 60, outputTokens: 7 }])
  })

  test('of releases without a record of each answer is the sum of each process', () => {
    const metrics = (inputTokens: number, cacheReadTokens: number) => ({
      shutdownType: 'routine',
      modelMetrics: {
        'claude-sonnet-4.5': {
          requests: { count: 2, cost: 1 },
          usage: { inputTokens, cacheReadTokens, outputTokens: 7 },
        },
      },
    })
    const seen = observe(
      session([line(AT, 'session.shutdown', metrics(1_000, 400)), line(AT + 9, 'session.shutdown', metrics(50, 0))]),
    )
    expect(pick(seen, 'usage')).toMatchObject([
      { model: 'claude-sonnet-4.5', inputTokens: 600, cacheReadTokens: 400, outputTokens: 7 },
      { model: 'claude-sonnet-4.5', inputTokens: 50, outputTokens: 7 },
    ])
  })
})

test('a compaction that was done is one; one that was cancelled is none', () => {
  const types = eventTypes(observe(sessionOf('compaction')))
  expect(types).toMatchObject({ compaction: 1, system: 1 })
})

test('a turn that was killed has no end; the resume answers its call in place of the tool, and goes on', () => {
  const seen = observe(sessionOf('killed'))
  expect(pick(seen, 'tool_result')).toMatchObject([{ isError: true, isInterrupted: true }])
  expect(eventTypes(seen)).toMatchObject({ prompt: 2, system: 1 })
  const { bytes, ref } = sessionOf('killed')
  const half = bytes.subarray(0, bytes.indexOf('{"type":"session.resume"'))
  expect(pick(observe({ ref, bytes: half }), 'activity').at(-1)).toMatchObject({ state: 'working' })
})

test('a turn that was stopped by a signal is aborted, and its process has ended', () => {
  const seen = observe(sessionOf('stopped'))
  expect(pick(seen, 'activity').slice(-2)).toMatchObject([
    { state: 'idle', evidence: 'transcript:abort' },
    { state: 'ended' },
  ])
})

test('a refusal of the model is an error, after which the session rests', () => {
  const seen = observe(sessionOf('refused'))
  expect(pick(seen, 'event').find(({ type }) => type === 'error')?.text).toBe('400 bad request')
  expect(pick(seen, 'activity').at(-2)).toMatchObject({ state: 'idle', evidence: 'transcript:session.error' })
})

describe('sub-agents', () => {
  test('one that was waited for: its call, its words, its end', () => {
    expect(subagentsOf(observe(sessionOf('subagent')))).toEqual({
      'e2a0f00d-7c9a-499c-afa3-61036c478468': {
        ...{ toolUseId: 'call_0001_0', type: 'explore', description: 'Look at file', isBackground: false },
        ...{ end: 'completed', result: 'Child says: short.' },
      },
    })
  })

  test('below another one: it names its launcher', () => {
    const agents = Object.values(subagentsOf(observe(sessionOf('nested'))))
    const outer = '4bd89653-989c-4aa0-a7ea-1a7eafcd2a3d'
    expect(agents).toMatchObject([
      { description: 'Outer', toolUseId: 'call_0006_0', result: 'The sub-agent is done.' },
      { description: 'Look at file', toolUseId: 'call_0007_0', parentAgentId: outer, result: 'Child says: short.' },
    ])
  })

  test('in the background, continued by a message: two runs, each with its result', () => {
    const seen = observe(sessionOf('continued'))
    expect(subagentsOf(seen)).toMatchObject({
      'ee2902eb-f2a2-403e-b04a-75d820f8bc30': { isBackground: true, toolUseId: 'call_0008_0' },
    })
    expect(foldRuns(marksOf(seen))).toMatchObject([
      { trigger: 'launch', toolUseId: 'call_0008_0', status: 'completed', result: 'Child says: short.' },
      { status: 'completed', result: 'Hello again.' },
    ])
  })

  test('of releases that do not name them are known by the call that launched them', () => {
    const call = { toolCallId: 'call_1' }
    const seen = observe(
      session([
        line(AT, 'subagent.started', { ...call, agentName: 'explore', agentDescription: 'Look' }),
        line(AT + 1, 'assistant.message', { parentToolCallId: 'call_1', content: 'Seen.', toolRequests: [] }),
        line(AT + 2, 'subagent.completed', { ...call, agentName: 'explore' }),
      ]),
    )
    expect(subagentsOf(seen)).toMatchObject({
      call_1: { toolUseId: 'call_1', description: 'Look', end: 'completed', result: 'Seen.' },
    })
  })

  test('one that fails says why', () => {
    const data = { toolCallId: 'call_1', agentName: 'explore', error: 'It broke.' }
    const seen = observe(session([line(AT, 'subagent.failed', data, { agentId: 'a-1' })]))
    expect(subagentsOf(seen)).toMatchObject({ 'a-1': { end: 'failed', result: 'It broke.' } })
  })

  test('what a sub-agent does says nothing of the session', () => {
    const seen = observe(sessionOf('subagent'))
    const child = pick(seen, 'event').filter(({ subagentId }) => subagentId !== null)
    expect(child.map(({ type }) => type)).toEqual(['prompt', 'attachment', 'tool_call', 'tool_result', 'text'])
    const uuids = new Set(child.map(({ uuid }) => uuid))
    expect([...pick(seen, 'session'), ...pick(seen, 'activity')].filter(({ uuid }) => uuids.has(uuid ?? ''))).toEqual(
      [],
    )
  })
})

/** Starts and ends of the runs that observations report. */
function marksOf(seen: ReturnType<typeof observe>) {
  return pick(seen, 'subagent')
    .flatMap(({ startedAt, run, end, uuid }) => [
      ...(startedAt === undefined
        ? []
        : [{ kind: 'start' as const, at: startedAt, status: null, uuid, run, end: undefined }]),
      ...(end === undefined ? [] : [{ kind: 'end' as const, at: end.at, status: end.status, uuid, run, end }]),
    ])
    .map(({ kind, at, status, run, end, uuid }) => ({
      ...{ kind, at, status, seenAt: end?.seenAt ?? null, evidence: end?.evidence ?? run?.evidence ?? '' },
      ...{ toolUseId: run?.toolUseId ?? null, trigger: run?.trigger ?? ('unknown' as const) },
      ...{ result: end?.result ?? null, line: end?.isShown ? uuid : null },
    }))
}

test('what the CLI puts in under a person’s name is no prompt', () => {
  const said = (source?: string) => line(AT, 'user.message', { content: 'Words', ...(source && { source }) })
  const seen = observe(session([said(), said('skill-pdf'), said('agent-1')]))
  expect(pick(seen, 'event').map(({ type }) => type)).toEqual(['prompt', 'attachment', 'notice'])
})

test('a call of an answer that was never written down is known by the tool that began', () => {
  const start = { toolCallId: 'c1', toolName: 'bash', arguments: { command: 'make' } }
  const seen = observe(session([line(AT, 'tool.execution_start', start)]))
  expect(pick(seen, 'tool_call')).toMatchObject([{ toolUseId: 'c1', name: 'bash', at: AT }])
})

test('a tool of a server is named as all agent CLIs name it', () => {
  const request = { toolCallId: 'c', name: 'notes-add', mcpServerName: 'notes', mcpToolName: 'add', arguments: {} }
  const seen = observe(session([line(AT, 'assistant.message', { content: '', toolRequests: [request] })]))
  expect(pick(seen, 'tool_call')).toMatchObject([{ name: 'mcp__notes__add', toolUseId: 'c' }])
})

describe('a line for a person', () => {
  const lines = sessionOf('plan').bytes.toString().trimEnd().split('\n')
  const find = (word: string): Buffer => Buffer.from(lines.find((one) => one.includes(word)) ?? '')

  test('its words', async () => {
    expect(await copilotHarness.words.textOf(find('"user.message"'))).toBe('x @@plan')
    expect(await copilotHarness.words.textOf(find('I will plan first.'))).toStartWith('I will plan first.\nsql\nINSERT')
    expect(await copilotHarness.words.textOf(Buffer.from('no line'))).toBeNull()
  })

  test('its call with the input as fields, its answer, and what only Copilot CLI has as JSON', async () => {
    expect((await copilotHarness.words.contentOf(find('"name":"bash"'))).blocks).toEqual([
      { kind: 'call', toolUseId: 'call_0006_0', name: 'bash', input: { command: 'exit 3', description: 'Fails' } },
    ])
    expect((await copilotHarness.words.contentOf(find('"exitCode":3'))).blocks).toMatchObject([
      { kind: 'answer', toolUseId: 'call_0006_0', isError: true },
    ])
    expect((await copilotHarness.words.contentOf(find('"session.start"'))).blocks).toMatchObject([
      { kind: 'other', name: 'session.start' },
    ])
  })
})
