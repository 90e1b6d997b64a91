import { describe, expect, test } from 'bun:test'
import type { EventType } from '../../src/domain/record/observation'
import {
  eventTypes,
  observe,
  pick,
  type SubagentSummary,
  scenariosOf,
  streamFile,
  subagentsOf,
  todosOf,
  toolCallCount,
  totalOf,
  transcriptFiles,
  usageOf,
  VERSIONS,
} from './scenario'

interface Expected {
  events: Partial<Record<EventType, number>>
  tools: number
  /** Model messages, and their tokens in and out. */
  usage: [messages: number, input: number, output: number]
}

const BACKGROUND_SHELL = { prompt: 1, tool_call: 1, tool_result: 1 }
const KILLED = { prompt: 2, text: 3, tool_call: 3, tool_result: 2, system: 1 }
const FORKED = { prompt: 3, text: 5, tool_call: 3, tool_result: 3, system: 1 }
const COMPACTED = { prompt: 3, text: 3, compaction: 1, summary: 1, system: 4 }
const COMPACTED_BY_ITSELF = { prompt: 1, text: 4, tool_call: 3, tool_result: 3, compaction: 1, summary: 1 }
const TASKS = { prompt: 2, text: 3, tool_call: 11, tool_result: 11 }
const TODO_WRITE = { prompt: 1, text: 2, tool_call: 4, tool_result: 4 }
const NESTED = { prompt: 5, text: 7, tool_call: 7, tool_result: 7, thinking: 1 }
const NOTIFIED_AGENT = { prompt: 2, tool_call: 2, tool_result: 2, text: 4, notice: 1 }
const NOTIFIED_SHELL = { ...BACKGROUND_SHELL, text: 2, notice: 1 }
const STEERED = { prompt: 2, text: 2, tool_call: 1, tool_result: 1 }

const EXPECTED: Record<(typeof VERSIONS)[number], Record<string, Expected>> = {
  '2.0.30': {
    'background-agent': {
      events: { prompt: 1, tool_call: 1, tool_result: 1, text: 1 },
      tools: 1,
      usage: [2, 200, 40],
    },
    'background-shell': { events: { ...BACKGROUND_SHELL, text: 1 }, tools: 1, usage: [2, 200, 40] },
    'compact-manual': { events: COMPACTED, tools: 0, usage: [3, 300, 60] },
    forked: { events: FORKED, tools: 3, usage: [5, 500, 100] },
    'killed-and-resumed': { events: KILLED, tools: 3, usage: [4, 400, 80] },
    // Two of the five agents' files are warm-ups: their lines are events, they are no sub-agents.
    subagents: { events: { prompt: 6, text: 7, tool_call: 6, tool_result: 6 }, tools: 6, usage: [11, 1100, 220] },
    todos: { events: TODO_WRITE, tools: 4, usage: [5, 500, 100] },
  },
  '2.1.10': {
    // The process ended with the agent still at work.
    'background-agent': {
      events: { prompt: 2, tool_call: 2, tool_result: 1, text: 2 },
      tools: 2,
      usage: [3, 300, 3],
    },
    'background-shell': { events: { ...BACKGROUND_SHELL, text: 1 }, tools: 1, usage: [2, 200, 2] },
    'compact-manual': { events: COMPACTED, tools: 0, usage: [3, 300, 3] },
    forked: { events: FORKED, tools: 3, usage: [5, 500, 5] },
    'killed-and-resumed': { events: KILLED, tools: 3, usage: [4, 400, 4] },
    subagents: { events: { prompt: 4, text: 5, tool_call: 6, tool_result: 6 }, tools: 6, usage: [9, 900, 9] },
    todos: { events: TODO_WRITE, tools: 4, usage: [5, 500, 5] },
  },
  '2.1.197': {
    'background-agent': { events: { ...NOTIFIED_AGENT, attachment: 1 }, tools: 2, usage: [5, 500, 100] },
    'background-shell': { events: { ...NOTIFIED_SHELL, attachment: 1 }, tools: 1, usage: [3, 300, 60] },
    'compact-auto': { events: { ...COMPACTED_BY_ITSELF, attachment: 2 }, tools: 3, usage: [4, 195_300, 80] },
    'compact-manual': { events: { ...COMPACTED, attachment: 3 }, tools: 0, usage: [3, 300, 60] },
    forked: { events: { ...FORKED, attachment: 2 }, tools: 3, usage: [5, 500, 100] },
    'killed-and-resumed': { events: { ...KILLED, attachment: 2 }, tools: 3, usage: [4, 400, 80] },
    'steer-mid-turn': { events: { ...STEERED, attachment: 1 }, tools: 1, usage: [2, 200, 40] },
    subagents: { events: { ...NESTED, attachment: 1 }, tools: 7, usage: [11, 1100, 220] },
    todos: { events: { ...TASKS, attachment: 1 }, tools: 11, usage: [10, 1000, 200] },
  },
  '2.1.328': {
    'background-agent': { events: { ...NOTIFIED_AGENT, attachment: 19 }, tools: 2, usage: [5, 500, 100] },
    'background-shell': { events: { ...NOTIFIED_SHELL, attachment: 9 }, tools: 1, usage: [3, 300, 60] },
    'compact-auto': { events: { ...COMPACTED_BY_ITSELF, attachment: 18 }, tools: 3, usage: [4, 195_300, 80] },
    'compact-manual': { events: { ...COMPACTED, system: 3, attachment: 19 }, tools: 0, usage: [3, 300, 60] },
    // The killed call got an answer when the session was resumed, so the fork has it too.
    forked: { events: { ...FORKED, tool_call: 4, tool_result: 4, attachment: 9 }, tools: 4, usage: [6, 600, 120] },
    'killed-and-resumed': { events: { ...KILLED, tool_result: 3, attachment: 9 }, tools: 3, usage: [4, 400, 80] },
    'steer-mid-turn': { events: { ...STEERED, attachment: 9 }, tools: 1, usage: [2, 200, 40] },
    subagents: { events: { ...NESTED, attachment: 45 }, tools: 7, usage: [11, 1100, 220] },
    todos: { events: { ...TASKS, attachment: 10 }, tools: 11, usage: [10, 1000, 200] },
  },
}

for (const version of VERSIONS) {
  describe(`transcripts of ${version}`, () => {
    test('every recorded scenario has an expectation', () => {
      expect(scenariosOf('transcripts', version).sort()).toEqual(Object.keys(EXPECTED[version]).sort())
    })
    for (const [scenario, expected] of Object.entries(EXPECTED[version])) {
      test(`${scenario}: events, tool calls and usage are as scripted, and every kind of line is known`, () => {
        const observations = observe(transcriptFiles(version, scenario))
        expect(eventTypes(observations)).toEqual(expected.events)
        expect(toolCallCount(observations)).toBe(expected.tools)
        const usage = usageOf(observations)
        const { input, output } = totalOf(usage)
        expect([Object.keys(usage).length, input, output]).toEqual(expected.usage)
        expect(pick(observations, 'kind').filter((kind) => !kind.isKnown)).toEqual([])
      })
    }
  })

  test(`streams of ${version}: every kind of line is known`, () => {
    for (const scenario of scenariosOf('stream', version)) {
      // 2.0.30 prints an empty object there.
      if (version === '2.0.30' && scenario === 'resume-missing') continue
      const kinds = pick(observe([streamFile(version, scenario)]), 'kind')
      expect(kinds.filter((kind) => !kind.isKnown)).toEqual([])
    }
  })
}

const foreground = (toolUseId: string, result: string, more: SubagentSummary = {}): SubagentSummary => ({
  toolUseId,
  isBackground: false,
  end: 'completed',
  result,
  ...more,
})
const general = (description: string, depth = 1): SubagentSummary => ({ type: 'general-purpose', description, depth })

describe('sub-agents have their launching call, parent and depth', () => {
  const agents = (version: string, scenario: string) => subagentsOf(observe(transcriptFiles(version, scenario)))

  test('2.0.30: from the answers alone, without its warm-ups', () => {
    expect(agents('2.0.30', 'subagents')).toEqual({
      f30dddbf: foreground('toolu_000001', 'Outer report.'),
      '472265ed': foreground('toolu_000010', 'Side report.'),
      a559c91b: foreground('toolu_000011', 'Side report.'),
    })
    // It has no background agents: the flag in the call is not believed.
    expect(agents('2.0.30', 'background-agent')).toEqual({ f047f0dc: foreground('toolu_000001', 'Worker report.') })
  })

  test('2.1.10: from the answers; an agent that was still at work has no end', () => {
    expect(agents('2.1.10', 'subagents')).toEqual({
      a944195: foreground('toolu_000001', 'Outer report.'),
      af69221: foreground('toolu_000008', 'Side report.'),
      a229ba1: foreground('toolu_000009', 'Side report.'),
    })
    expect(agents('2.1.10', 'background-agent')).toEqual({
      a9d2661: { toolUseId: 'toolu_000001', description: 'Background work', isBackground: true },
    })
  })

  test('2.1.197: nested to depth two, the parent told by the file in which the call stands', () => {
    expect(agents('2.1.197', 'subagents')).toEqual({
      a297e1730830d7bde: foreground('toolu_000001', 'Outer report.', general('Search the code')),
      ae38260d4aded2cae: foreground('toolu_000003', 'Deep report.', {
        ...general('Deep search', 2),
        parentAgentId: 'a297e1730830d7bde',
      }),
      a8bff4fe577253ad0: foreground('toolu_000009', 'Side report.', general('Left side')),
      af894fab2118443f7: foreground('toolu_000010', 'Side report.', general('Right side')),
    })
  })

  test('2.1.328: nested to depth two, reports without the notes that the CLI puts before them', () => {
    const { result: _, ...deep } = foreground('toolu_000003', '', general('Deep search', 2))
    expect(agents('2.1.328', 'subagents')).toEqual({
      a368847305b78497b: foreground('toolu_000001', 'Outer report.', general('Search the code')),
      ad133808d453748b9: { ...deep, parentAgentId: 'a368847305b78497b' },
      a82e3bced46c9814d: foreground('toolu_000009', 'Side report.', general('Left side')),
      a31bc5b50570dc20b: foreground('toolu_000010', 'Side report.', general('Right side')),
    })
  })

  test('background agents end with their notification and its result', () => {
    const worker = {
      toolUseId: 'toolu_000001',
      isBackground: true,
      end: 'completed',
      result: 'Worker report.',
      ...general('Background work'),
    }
    expect(agents('2.1.197', 'background-agent')).toEqual({ ad3ebfc57d7a072ac: worker })
    expect(agents('2.1.328', 'background-agent')).toEqual({ acf164de5d7a3469a: worker })
  })

  test('scenarios without sub-agents have none', () => {
    for (const version of VERSIONS)
      for (const scenario of ['todos', 'background-shell', 'compact-manual', 'killed-and-resumed', 'forked'])
        expect(agents(version, scenario)).toEqual({})
  })
})

test('a background shell is known from its launch to its end', () => {
  const ids = { '2.0.30': 'b5564d', '2.1.10': 'bc783bf', '2.1.197': 'bkhpcl8t9', '2.1.328': 'b8cye6j58' }
  const ends = { '2.0.30': undefined, '2.1.10': 'killed', '2.1.197': 'completed', '2.1.328': 'completed' }
  for (const version of VERSIONS) {
    const seen = pick(observe(transcriptFiles(version, 'background-shell')), 'background')
    expect(new Set(seen.map((shell) => shell.taskId))).toEqual(new Set([ids[version]]))
    expect(seen.every((shell) => shell.taskKind === 'shell')).toBe(true)
    expect(seen[0]?.startedAt).toBeNumber()
    expect(seen[0]?.toolUseId).toStartWith('toolu_')
    expect(seen.findLast((shell) => shell.end)?.end?.status as string | undefined).toBe(ends[version])
  }
})

test('to-dos end as scripted with both families of tools', () => {
  const written = [
    { nativeId: null, content: 'Read the code', status: 'completed' },
    { nativeId: null, content: 'Write the test', status: 'completed' },
  ]
  const tasks = [
    { nativeId: '1', content: 'Read the code', status: 'completed' },
    { nativeId: '2', content: 'Write two tests', status: 'completed' },
    { nativeId: '3', content: 'Unneeded', status: 'removed' },
  ]
  const todos = (version: string) => todosOf(observe(transcriptFiles(version, 'todos')))
  expect(todos('2.0.30')).toEqual(written)
  expect(todos('2.1.10')).toEqual(written)
  expect(todos('2.1.197')).toEqual(tasks)
  expect(todos('2.1.328')).toEqual(tasks)
})

/** Scenarios of a stream whose transcript was recorded, by the transcript's name. */
const TRANSCRIPT_OF: Record<string, string> = {
  killed: 'killed-and-resumed',
  'resumed-after-kill': 'killed-and-resumed',
  'todos-resumed': 'todos',
}

for (const version of VERSIONS) {
  describe(`stream and transcript of ${version} agree`, () => {
    for (const scenario of scenariosOf('stream', version)) {
      const name = TRANSCRIPT_OF[scenario] ?? scenario
      if (!scenariosOf('transcripts', version).includes(name)) continue
      test(`${scenario}: the stream's events are the transcript's`, () => {
        const stream = observe([streamFile(version, scenario)])
        const events = new Map(
          pick(observe(transcriptFiles(version, name)), 'event').map((event) => [event.uuid, event]),
        )
        const seen = pick(stream, 'event')
        expect(seen.length).toBeGreaterThan(0)
        for (const event of seen) {
          const {
            type,
            role,
            text,
            searchText,
            toolUseId,
            toolName,
            subagentId: agentId,
          } = events.get(event.uuid) ?? {}
          expect({ type, role, text, searchText, toolUseId, toolName } as object).toEqual({
            type: event.type,
            role: event.role,
            text: event.text,
            searchText: event.searchText,
            toolUseId: event.toolUseId,
            toolName: event.toolName,
          })
          // A stream may know a sub-agent by its launching call only.
          if (event.parentToolUseId === null) expect(agentId).toBeNull()
          else if (event.subagentId !== null) expect(agentId).toBe(event.subagentId)
        }
      })
    }
  })
}

test('stream and transcript give the same links of sub-agents', () => {
  for (const [version, scenario] of [
    ['2.1.10', 'subagents'],
    ['2.1.197', 'subagents'],
    ['2.1.197', 'background-agent'],
    ['2.1.328', 'subagents'],
    ['2.1.328', 'background-agent'],
  ] as const) {
    const links = (agents: Record<string, SubagentSummary>) =>
      Object.entries(agents)
        .map(([id, { toolUseId, isBackground, end }]) => ({ id, toolUseId, isBackground, end }))
        .sort((a, b) => (a.id < b.id ? -1 : 1))
    const stream = subagentsOf(observe([streamFile(version, scenario)]))
    expect(links(stream)).toEqual(links(subagentsOf(observe(transcriptFiles(version, scenario)))))
  }
})

test('stream and transcript give the same to-dos', () => {
  for (const version of VERSIONS) {
    const parts = scenariosOf('stream', version)
      .filter((name) => name.startsWith('todos'))
      .sort()
    const stream = parts.map((name) => streamFile(version, name))
    const timeless = (observations: ReturnType<typeof observe>) =>
      pick(observations, 'todo')
        .filter((seen) => !seen.toolUseId.startsWith('file:'))
        .map(({ toolUseId, subagentId: agentId, change }) => JSON.stringify({ toolUseId, agentId, change }))
        .sort()
    // Newer streams add the description to the answer: the fold takes it from the call in any case.
    const withoutDescription = (lines: string[]) => lines.map((line) => line.replace(/,"description":"[^"]*"/, ''))
    expect(withoutDescription(timeless(observe(stream)))).toEqual(
      withoutDescription(timeless(observe(transcriptFiles(version, 'todos')))),
    )
  }
})

test('a command in the foreground that takes long is no background work, though the stream announces a task', () => {
  for (const version of ['2.1.197', '2.1.328'] as const)
    expect(pick(observe([streamFile(version, 'steer-mid-turn')]), 'background')).toEqual([])
})
