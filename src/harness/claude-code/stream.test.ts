import { describe, expect, test } from 'bun:test'
import type { Observation } from '../../domain/record/observation'
import { claudeCode } from '.'

const SESSION = '310d8f28-62f9-4306-b431-426897570ab2'
const UUID = '3b44dd67-b0bd-422f-a7bc-91fa09173605'

function parse(...lines: object[]) {
  const ref = { agent: 'claude-code', kind: 'stream', path: '/run.jsonl', sessionId: null, subagentId: null } as const
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  return claudeCode.parseLines(new TextEncoder().encode(text), { ref, offset: 0 })
}
const of = <Kind extends Observation['kind']>(observations: Observation[], kind: Kind) =>
  observations.filter((seen): seen is Extract<Observation, { kind: Kind }> => seen.kind === kind)

const base = { session_id: SESSION, uuid: UUID, parent_tool_use_id: null }
const text = { role: 'assistant', id: 'msg_1', model: 'claude-opus-5', content: [{ type: 'text', text: 'hi' }] }
const task = { ...base, type: 'system', subtype: 'task_started', task_id: 'a31bc5b50570dc20b', tool_use_id: 'toolu_1' }

test('a stream names its session itself, by the first line that does', () => {
  expect(
    parse({ type: 'control_response', response: {} }, { ...base, type: 'assistant', message: text }).sessionId,
  ).toBe(SESSION)
  expect(parse({ type: 'control_response', response: {} }).sessionId).toBeNull()
})

test('echoes, results and mirrors are no events, and a result’s usage counts nothing', () => {
  const { observations } = parse(
    { ...base, type: 'user', isReplay: true, message: { role: 'user', content: 'STEER' } },
    { ...base, type: 'result', subtype: 'success', usage: { input_tokens: 9 }, modelUsage: { x: {} } },
    { type: 'transcript_mirror', filePath: '/x', entries: [{ type: 'user', uuid: UUID }] },
    { ...base, type: 'system', subtype: 'thinking_tokens' },
  )
  expect(of(observations, 'event')).toEqual([])
  expect(of(observations, 'usage')).toEqual([])
  expect(of(observations, 'activity').map((seen) => seen.evidence)).toEqual(['stream:result'])
})

test('a sub-agent’s line is its event where the version says whose it is, else the sub-agent’s file tells', () => {
  const line = { ...base, type: 'assistant', message: text, parent_tool_use_id: 'toolu_1' }
  expect(of(parse(line).observations, 'event')).toEqual([])
  expect(of(parse({ ...line, subagent_type: 'Explore' }).observations, 'event')[0]).toMatchObject({
    subagentId: null,
    parentToolUseId: 'toolu_1',
  })
  const named = parse({ ...line, agent_id: 'a31bc5b50570dc20b', subagent_type: 'Explore' }).observations
  expect(of(named, 'event')[0]).toMatchObject({ subagentId: 'a31bc5b50570dc20b', parentToolUseId: 'toolu_1' })
  expect(of(named, 'subagent')).toEqual([
    {
      kind: 'subagent',
      uuid: null,
      subagentId: 'a31bc5b50570dc20b',
      toolUseId: 'toolu_1',
      evidence: 'stream_parent',
      type: 'Explore',
    },
  ])
  expect(of(named, 'activity')).toEqual([])
})

test('a to-do change without a time has its place in the stream', () => {
  const input = { todos: [{ content: 'a', status: 'pending' }] }
  const call = { type: 'tool_use', id: 'toolu_1', name: 'TodoWrite', input }
  const line = { ...base, type: 'assistant', message: { ...text, content: [call] } }
  const [first, second] = of(parse(line, line).observations, 'todo')
  expect(first).toMatchObject({ at: null, offset: 0 })
  expect(second).toMatchObject({ at: null, offset: JSON.stringify(line).length + 1 })
  const [timed] = of(parse({ ...line, timestamp: '2026-11-21T00:00:00Z' }).observations, 'todo')
  expect(timed).not.toHaveProperty('offset')
})

describe('tasks', () => {
  test('an agent is told with its call, parent and depth, and ends at its time', () => {
    const started = parse({
      ...task,
      task_type: 'local_agent',
      spawn_depth: 2,
      parent_task_id: 'a368847305b78497b',
      is_backgrounded: true,
    })
    expect(of(started.observations, 'subagent')).toEqual([
      {
        kind: 'subagent',
        uuid: null,
        subagentId: 'a31bc5b50570dc20b',
        toolUseId: 'toolu_1',
        evidence: 'task_started',
        parentAgentId: 'a368847305b78497b',
        depth: 2,
        isBackground: true,
        run: { toolUseId: 'toolu_1', trigger: 'unknown', isStart: true, evidence: 'stream:task_started' },
      },
    ])
    const updated = parse({
      ...task,
      subtype: 'task_updated',
      patch: { status: 'killed', end_time: 1_795_170_330_487 },
    })
    expect(of(updated.observations, 'subagent')[0]?.end).toEqual({
      status: 'killed',
      at: 1_795_170_330_487,
      evidence: 'stream:task_updated',
    })
  })
  test('a shell counts only in the background', () => {
    const shell = { ...task, task_id: 'b8cye6j58', task_type: 'local_bash' }
    expect(of(parse(shell, { ...shell, is_backgrounded: false }).observations, 'background')).toEqual([])
    expect(of(parse({ ...shell, is_backgrounded: true }).observations, 'background')).toHaveLength(1)
    const ended = { ...shell, subtype: 'task_notification', status: 'completed', output_file: '' }
    expect(of(parse(ended).observations, 'background')).toEqual([])
    expect(of(parse({ ...ended, output_file: '/o' }).observations, 'background')[0]?.end?.status).toBe('completed')
  })
})

test('the session’s state is told by the CLI where it is asked to', () => {
  const states = ['running', 'idle', 'requires_action', 'new'].map((state) => ({
    ...base,
    type: 'system',
    subtype: 'session_state_changed',
    state,
  }))
  expect(of(parse(...states).observations, 'activity').map((seen) => seen.state)).toEqual([
    'working',
    'idle',
    'waiting',
  ])
  const ask = { type: 'control_request', request_id: 'r', request: { subtype: 'can_use_tool', tool_name: 'Bash' } }
  expect(of(parse(ask).observations, 'activity')[0]?.state).toBe('waiting')
})
