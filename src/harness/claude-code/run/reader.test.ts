import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunEvent } from '../../../domain/harness/harness-run'
import { RunReader } from './reader'

const STREAMS = join(import.meta.dir, '../../../../test/fixtures/claude-code/stream')

function readAll(lines: readonly string[]): RunEvent[] {
  const reader = new RunReader()
  return lines.flatMap((line) => reader.read(Buffer.from(line)))
}
const recorded = (version: string, name: string): RunEvent[] =>
  readAll(readFileSync(join(STREAMS, version, `${name}.jsonl`), 'utf8').split('\n'))
const of = (...records: unknown[]): RunEvent[] => readAll(records.map((record) => JSON.stringify(record)))
const log = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) =>
    event.kind === 'text' || event.kind === 'tool' || event.kind === 'tool_result'
      ? [`${event.kind} ${event.text}`]
      : [],
  )
const background = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.kind === 'background' ? [[event.agents.length, event.shells.length]] : []))

describe.each(['2.1.197', '2.1.328'])('of %s', (version) => {
  test('a sub-agent in the background counts until it has ended', () => {
    expect(background(recorded(version, 'background-agent'))).toEqual([
      [1, 0],
      [0, 0],
    ])
  })

  test('a shell in the background counts apart', () => {
    expect(background(recorded(version, 'background-shell'))).toEqual([
      [0, 1],
      [0, 0],
    ])
  })

  test('what runs in the foreground does not count, however long it takes', () => {
    for (const name of ['approval', 'steer-mid-turn', 'subagents', 'error-tool', 'todos'])
      expect(background(recorded(version, name))).toEqual([])
  })

  test('the log has one readable line for each call, its answer, and a launch or end in the background', () => {
    const lines = log(recorded(version, 'background-agent'))
    expect(lines).toEqual([
      'tool Agent: Background work',
      'tool_result Agent: started in the background',
      'text Launched the agent.',
      expect.stringMatching(/^tool_result Agent .*(?:finished|Worker report\.)$/),
      'text Noted.',
    ])
  })

  test('of a sub-agent only its launch and its end are in the log', () => {
    expect(log(recorded(version, 'subagents'))).toEqual([
      'text Delegating.',
      'tool Agent: Search the code',
      'tool Agent: Deep search',
      expect.stringMatching(/^tool_result Agent completed: Deep/),
      'tool_result Agent: Outer report.',
      'tool Agent: Left side',
      'tool Agent: Right side',
      'tool_result Agent: Side report.',
      'tool_result Agent: Side report.',
      'text Summed up.',
    ])
  })

  test('a failed tool shows as failed', () => {
    expect(log(recorded(version, 'error-tool'))).toContain('tool_result Bash failed: Exit code 3')
  })

  test('an input is told delivered once, when the conversation has it', () => {
    const events = recorded(version, 'steer-mid-turn')
    const kinds = events.map((event) => event.kind)
    const delivered = events.flatMap((event) => (event.kind === 'delivered' ? [event.uuid] : []))
    expect(new Set(delivered).size).toBe(2)
    expect(delivered.length).toBe(2)
    expect(kinds.lastIndexOf('delivered')).toBeGreaterThan(kinds.indexOf('tool_result'))
  })

  test('a question about a tool call has what the answer must repeat', () => {
    expect(recorded(version, 'approval').find((event) => event.kind === 'permission')).toMatchObject({
      toolName: 'Bash',
      input: { command: 'touch made-by-agent.txt', description: 'Part two' },
      description: 'Part two',
      toolUseId: 'toolu_000009',
    })
  })

  test('retries say why, and a compaction shows', () => {
    expect(recorded(version, 'error-overloaded').filter((event) => event.kind === 'retrying')).toMatchObject([
      { attempt: 1, reason: 'overloaded (529)' },
      { attempt: 2, reason: 'overloaded (529)' },
    ])
    expect(recorded(version, 'error-dropped').find((event) => event.kind === 'retrying')?.reason).toBe('no connection')
    expect(recorded(version, 'compact-auto').filter((event) => event.kind === 'compacted')).toHaveLength(1)
  })

  test('the first init names the conversation', () => {
    const inits = recorded(version, 'background-agent').filter((event) => event.kind === 'init')
    expect(inits.length).toBe(2)
    expect(inits[0]).toMatchObject({ version, cwd: '/home/user/project' })
    expect(inits[1]?.sessionId).toBe(inits[0]?.sessionId ?? '')
  })

  test('every recorded run is read without a word lost of its results', () => {
    for (const file of readdirSync(join(STREAMS, version))) {
      const wanted = readFileSync(join(STREAMS, version, file), 'utf8')
        .split('\n')
        .filter((line) => /"type": ?"result"/.test(line))
      const results = recorded(version, file.replace('.jsonl', '')).filter((event) => event.kind === 'result')
      expect(results.length).toBe(wanted.length)
    }
  })
})

test('the last result has the cost of the whole process, sub-agents included', () => {
  for (const version of ['2.1.197', '2.1.328']) {
    const results = recorded(version, 'subagents').flatMap((event) => (event.kind === 'result' ? [event.result] : []))
    expect(results.at(-1)?.usage).toEqual({
      inputTokens: 1100,
      outputTokens: 220,
      cacheReadTokens: 0,
      cacheCreationTokens: 0,
    })
  }
})

test('what a resumed conversation had cost before is not counted again', () => {
  const models = (input: number, cost: number) => ({ opus: { inputTokens: input, outputTokens: 1, costUSD: cost } })
  const events = of(
    {
      type: 'result',
      subtype: 'success',
      total_cost_usd: 5.5,
      modelUsage: models(900, 5.5),
      model_usage_since_last_result: models(100, 0.5),
    },
    {
      type: 'result',
      subtype: 'success',
      total_cost_usd: 5.75,
      modelUsage: models(950, 5.75),
      model_usage_since_last_result: models(50, 0.25),
    },
    {
      type: 'result',
      subtype: 'success',
      total_cost_usd: 5.75,
      modelUsage: models(950, 5.75),
      model_usage_since_last_result: {},
    },
  )
  const costs = events.flatMap((event) =>
    event.kind === 'result' ? [[event.result.costUsd, event.result.usage?.inputTokens]] : [],
  )
  expect(costs).toEqual([
    [0.5, 100],
    [0.75, 150],
    [0.75, 150],
  ])
})

test('an error is an error whatever the subtype says', () => {
  const [event] = of({ type: 'result', subtype: 'success', is_error: true, result: 'API Error: 529' })
  expect(event).toMatchObject({ result: { isError: true, subtype: 'success' } })
})

test('a command that was moved to the background counts from then on', () => {
  const events = of(
    {
      type: 'assistant',
      message: { content: [{ type: 'tool_use', id: 'c', name: 'Bash', input: { command: 'make' } }] },
    },
    { type: 'system', subtype: 'task_started', task_id: 'b12', task_type: 'local_bash', tool_use_id: 'c' },
    { type: 'system', subtype: 'task_updated', task_id: 'b12', patch: { is_backgrounded: true } },
    { type: 'system', subtype: 'task_updated', task_id: 'b12', patch: { status: 'killed' } },
  )
  expect(background(events)).toEqual([
    [0, 1],
    [0, 0],
  ])
})

test('an agent that is written to goes on in the background', () => {
  const events = of(
    {
      type: 'assistant',
      message: { content: [{ type: 'tool_use', id: 'm', name: 'SendMessage', input: { to: 'a1' } }] },
    },
    { type: 'system', subtype: 'task_started', task_id: 'a1234567', task_type: 'local_agent', tool_use_id: 'm' },
  )
  expect(background(events)).toEqual([[1, 0]])
})

test('what a sub-agent put into the background is told by its answer, where nothing else tells', () => {
  const answer = (text: string, id: string) => ({
    type: 'user',
    parent_tool_use_id: 'outer',
    message: { content: [{ type: 'tool_result', tool_use_id: id, content: text }] },
  })
  const events = of(
    answer('Async agent launched successfully.\nagentId: a9f00aa (internal ID)', 'x'),
    answer('Command running in background with ID: bq1. Output is being written to: /tmp/x', 'y'),
  )
  expect(background(events)).toEqual([
    [1, 0],
    [1, 1],
  ])
})

test('a whole list of what runs replaces what was known', () => {
  const list = (...tasks: unknown[]) => ({ type: 'system', subtype: 'background_tasks_changed', tasks })
  const events = of(
    list(
      { task_id: 'a1', task_type: 'local_agent' },
      { task_id: 'b1', task_type: 'local_bash' },
      { task_id: 'w1', task_type: 'local_workflow' },
    ),
    list({ task_id: 'b1', task_type: 'local_bash' }, { task_id: 'm1', task_type: 'monitor_mcp' }),
    list(),
    list(null, 7, { task_id: '' }),
  )
  expect(background(events)).toEqual([
    [2, 1],
    [0, 2],
    [0, 0],
  ])
})

test('a limit of the account is an API error with its time; one that is only near is nothing', () => {
  const event = (info: unknown) => ({ type: 'rate_limit_event', rate_limit_info: info })
  expect(of(event({ status: 'allowed_warning', resetsAt: 1784500000, rateLimitType: 'seven_day' }))).toEqual([])
  expect(
    of(event({ status: 'rejected', resetsAt: 1784500000, rateLimitType: 'five_hour', isUsingOverage: true })),
  ).toEqual([])
  expect(
    of(event({ status: 'rejected', resetsAt: 1784500000, rateLimitType: 'five_hour', overageStatus: 'rejected' })),
  ).toEqual([{ kind: 'api_error', text: 'Claude AI usage limit reached (session limit)|1784500000' }])
})

test('a line that was written into the middle of another is found', () => {
  const inner =
    '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1784500000},"uuid":"u","session_id":"s"}'
  const events = readAll([`{"type":"assistant","message":{"content":[{"type":"text","text":"half of it${inner}`])
  expect(events).toEqual([{ kind: 'api_error', text: 'Claude AI usage limit reached (usage limit)|1784500000' }])
})

test('a line of the log stays one line of bounded length', () => {
  const command = `echo 'a\n\u2028${'x'.repeat(1_000_000)}'`
  const [event] = of({
    type: 'assistant',
    message: { content: [{ type: 'tool_use', id: 't', name: 'Bash', input: { command } }] },
  })
  if (event?.kind !== 'tool') throw new Error('no tool')
  expect(event.text.length).toBeLessThanOrEqual(300)
  expect(event.text).not.toMatch(/[\n\u2028]/)
  const [words] = of({ type: 'assistant', message: { content: [{ type: 'text', text: `${'y'.repeat(3_999)}😀` }] } })
  if (words?.kind !== 'text') throw new Error('no text')
  expect(words.text.length).toBeLessThanOrEqual(4_000)
  expect(words.text.isWellFormed()).toBe(true)
})

const HOSTILE: [string, string][] = [
  ['nothing', ''],
  ['no JSON', 'Segmentation fault'],
  ['a list', '[1,2]'],
  ['null', 'null'],
  ['no type', '{"uuid":"x"}'],
  ['an unknown type', '{"type":"future","subtype":"thing","x":[]}'],
  ['a message that is none', '{"type":"assistant","message":"hello"}'],
  ['content that is none', '{"type":"assistant","message":{"content":{"a":1}}}'],
  ['an init without a session', '{"type":"system","subtype":"init","session_id":7.5}'],
  ['a state that nobody knows', '{"type":"system","subtype":"session_state_changed","state":"dreaming"}'],
  ['an answer to no call', '{"type":"control_request","request":{"subtype":"can_use_tool"}}'],
  ['an echo without an id', '{"type":"user","isReplay":true,"uuid":"../../x"}'],
  ['a task without an id', '{"type":"system","subtype":"task_started","task_id":{}}'],
  ['half a line', '{"type":"result","subtype":"succ'],
  ['its prototype', '{"__proto__":{"type":"result"},"constructor":1}'],
]
test.each(HOSTILE)('%s gives nothing', (_name, line) => {
  expect(readAll([line])).toEqual([])
})

test('bytes that are no text, and nesting without end, give nothing', () => {
  const reader = new RunReader()
  expect(reader.read(new Uint8Array([0xff, 0xfe, 0x00, 0x80]))).toEqual([])
  expect(reader.read(Buffer.from(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`))).toEqual([])
  expect(reader.read(Buffer.from(`{"type":"result","errors":${'['.repeat(50_000)}`))).toEqual([])
})

test('numbers that make no sense do no harm', () => {
  const [event] = of({
    type: 'result',
    is_error: 'yes',
    num_turns: -1,
    total_cost_usd: 'free',
    modelUsage: { a: null, b: { inputTokens: 1e300 } },
    errors: [1, 'x'],
    result: 5,
  })
  expect(event).toMatchObject({ result: { isError: false, numTurns: null, costUsd: null, text: null, errors: ['x'] } })
})

test('a line of many megabytes is read whole', () => {
  const text = 'z'.repeat(20_000_000)
  const [event] = of({ type: 'result', subtype: 'success', result: text, total_cost_usd: 1 })
  expect(event?.kind === 'result' && event.result.text?.length).toBe(500_000)
})
