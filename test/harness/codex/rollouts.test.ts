/** What the rollouts say that Codex 0.169.0 wrote. */
import { describe, expect, test } from 'bun:test'
import { foldRuns } from '../../../src/domain/subagent/run-fold'
import { codexHarness } from '../../../src/harness/codex/agent-harness'
import { eventTypes, pick, subagentsOf, todosOf, toolCallCount, totalOf, usageOf } from '../scenario'
import { observe, rolloutsOf, STORIES } from './rollouts'

test('every line of every rollout is of a kind that is known, and none is broken', () => {
  for (const story of STORIES) {
    const kinds = pick(observe(rolloutsOf(story)), 'kind')
    expect(kinds.filter(({ isKnown }) => !isKnown)).toEqual([])
    expect(new Set(kinds.map(({ version }) => version))).toEqual(new Set(['0.169.0']))
  }
})

test('a conversation: its place, title and model, what was said, and each tool call with its answer', () => {
  const [planned] = rolloutsOf('plan')
  const seen = observe(planned ? [planned] : [])
  const facts = Object.assign({}, ...pick(seen, 'session').toReversed())
  expect(facts).toMatchObject({
    cwd: '/home/user/project',
    gitBranch: 'master',
    agentVersion: '0.169.0',
    model: 'scripted-model',
    title: { text: 'Fix the bug @@plan', source: 'prompt' },
  })
  expect(eventTypes(seen)).toMatchObject({ prompt: 2, text: 3, tool_call: 5, tool_result: 5 })
  expect(toolCallCount(seen)).toBe(5)
  expect(pick(seen, 'tool_result').map(({ isError }) => isError)).toEqual([false, false, false, true, false])
  expect(pick(seen, 'activity').at(-1)).toMatchObject({ state: 'idle', evidence: 'transcript:task_complete' })
})

test('each answer of the model counts once, though two kinds of lines tell its tokens', () => {
  const [planned, fork] = rolloutsOf('plan')
  const whole = totalOf(usageOf(observe(planned ? [planned] : [])))
  expect(whole).toEqual({ input: 700, output: 70 })
  // The CLI goes on counting from the parent's sum; the fork's own answer read 1,200 of 1,300 tokens from the cache.
  const own = Object.values(usageOf(observe(fork ? [fork] : [])))
  expect(own).toEqual([expect.objectContaining({ inputTokens: 100, cacheReadTokens: 1_200, outputTokens: 12 })])
})

test('a fork names its origin, and holds nothing of it', () => {
  const [planned, fork] = rolloutsOf('plan')
  const seen = observe(fork ? [fork] : [])
  expect(pick(seen, 'session')[0]?.forkedFrom).toBe(planned?.ref.sessionId ?? '')
  expect(pick(seen, 'event').filter(({ isCopied }) => isCopied)).toEqual([])
})

test('a plan is a list of to-dos', () => {
  const [planned] = rolloutsOf('plan')
  expect(todosOf(observe(planned ? [planned] : [])).map(({ content, status }) => [content, status])).toEqual([
    ['Read the code', 'completed'],
    ['Fix the bug', 'completed'],
    ['Run the tests', 'completed'],
    ['Write the notes', 'in_progress'],
  ])
})

test('a turn that a person stopped: its call has an answer in place of the tool, and the session rests', () => {
  const seen = observe(rolloutsOf('interrupted'))
  expect(pick(seen, 'tool_result')).toMatchObject([{ isError: true, isInterrupted: true }])
  expect(pick(seen, 'activity').at(-1)).toMatchObject({ state: 'idle', evidence: 'transcript:turn_aborted' })
  expect(eventTypes(seen)).toMatchObject({ prompt: 1, system: 2 })
})

describe('sub-agents', () => {
  test('of the first generation: two launches, the call that made each, its prompt, and how it ended', () => {
    const agents = subagentsOf(observe(rolloutsOf('subagents-v1')))
    expect(agents).toEqual({
      '01a1f86f-5e07-7f50-b1e9-d40f574ce79a': {
        toolUseId: 'call_0014_0',
        depth: 1,
        type: 'explorer',
        description: 'Lagrange',
        isBackground: true,
        end: 'completed',
        result: 'Child says: the file is short.',
      },
      '01a1f86f-5e1d-7fc2-866c-5da2c362ca51': {
        toolUseId: 'call_0014_1',
        isBackground: true,
        end: 'completed',
        result: 'Second child says: fine.',
      },
    })
  })

  test('of the second generation: no line of the call names the thread, the activity of the same id does', () => {
    const [parent, child] = rolloutsOf('subagents-v2')
    expect(child?.ref).toMatchObject({ kind: 'subagent', sessionId: parent?.ref.sessionId ?? '' })
    expect(subagentsOf(observe(rolloutsOf('subagents-v2')))).toEqual({
      [child?.ref.subagentId ?? '']: {
        toolUseId: 'call_0022_0',
        depth: 1,
        description: '/root/look',
        isBackground: true,
        end: 'completed',
        result: 'v2 child answer.',
      },
    })
  })

  test('a launch and the turn that it begins are one run, with one end', () => {
    const marks = pick(observe(rolloutsOf('subagents-v1')), 'subagent')
      .filter(({ subagentId }) => subagentId === '01a1f86f-5e07-7f50-b1e9-d40f574ce79a')
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
    expect(foldRuns(marks)).toMatchObject([
      { trigger: 'launch', toolUseId: 'call_0014_0', status: 'completed', result: 'Child says: the file is short.' },
    ])
  })

  test('what a sub-agent does is its own, and says nothing of the session', () => {
    const child = rolloutsOf('subagents-v1').filter(({ ref }) => ref.kind === 'subagent')
    const seen = observe(child)
    expect(new Set(pick(seen, 'event').map(({ subagentId }) => subagentId))).toEqual(
      new Set(child.map(({ ref }) => ref.subagentId)),
    )
    expect([...pick(seen, 'session'), ...pick(seen, 'activity')]).toEqual([])
    expect(totalOf(usageOf(seen))).toEqual({ input: 600, output: 30 })
  })
})

describe('a line for a person', () => {
  const lines = rolloutsOf('plan').flatMap(({ bytes }) => bytes.toString().trimEnd().split('\n'))
  const find = (word: string): Buffer => Buffer.from(lines.find((one) => one.includes(word)) ?? '')

  test('its words', async () => {
    expect(await codexHarness.words.textOf(find('"text":"Fix the bug'))).toBe('Fix the bug @@plan')
    expect(await codexHarness.words.textOf(find('cat README.md'))).toBe('exec_command\ncat README.md')
    expect(await codexHarness.words.textOf(Buffer.from('no line'))).toBeNull()
  })

  test('its call with the input as fields, its answer, and what only Codex has as JSON', async () => {
    expect((await codexHarness.words.contentOf(find('cat README.md'))).blocks).toEqual([
      { kind: 'call', toolUseId: 'call_0003_0', name: 'exec_command', input: { cmd: 'cat README.md' } },
    ])
    expect((await codexHarness.words.contentOf(find('Process exited with code 3'))).blocks).toMatchObject([
      { kind: 'answer', toolUseId: 'call_0005_0', isError: true },
    ])
    const [settings] = (await codexHarness.words.contentOf(find('thread_settings_applied'))).blocks
    expect(settings).toMatchObject({ kind: 'other', name: 'thread_settings_applied' })
  })

  test('a patch that a command applies is shown as the change of each file', async () => {
    const patch = '*** Begin Patch\n*** Add File: a.txt\n+one\n*** Update File: b.txt\n@@\n-old\n+new\n*** End Patch'
    const payload = { type: 'custom_tool_call', call_id: 'c', name: 'apply_patch', input: patch }
    const { blocks } = await codexHarness.words.contentOf(
      Buffer.from(JSON.stringify({ type: 'response_item', payload })),
    )
    expect(blocks.slice(1)).toEqual([
      { kind: 'patch', path: 'a.txt', hunks: [{ oldStart: 0, newStart: 0, lines: ['+one'] }] },
      { kind: 'patch', path: 'b.txt', hunks: [{ oldStart: 0, newStart: 0, lines: ['-old', '+new'] }] },
    ])
  })
})
