import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Observation } from '../../domain/record/observation'
import { readHook } from './hook'

const FIXTURES = join(import.meta.dir, '../../../test/fixtures/claude-code/hooks')
const AT = 1_795_170_332_452

function hook(version: string, name: string) {
  const payload: unknown = JSON.parse(readFileSync(join(FIXTURES, version, `${name}.json`), 'utf8'))
  return readHook(payload, AT)?.observations ?? []
}
const of = <Kind extends Observation['kind']>(observations: Observation[], kind: Kind) =>
  observations.filter((seen): seen is Extract<Observation, { kind: Kind }> => seen.kind === kind)

test('every recorded payload is of a known kind, names its session and makes no event', () => {
  for (const version of readdirSync(FIXTURES))
    for (const file of readdirSync(join(FIXTURES, version))) {
      const parsed = readHook(JSON.parse(readFileSync(join(FIXTURES, version, file), 'utf8')), AT)
      expect(parsed?.sessionId).toMatch(/^[0-9a-f-]{36}$/)
      expect(parsed?.transcriptPath).toEndWith('.jsonl')
      const kinds = of(parsed?.observations ?? [], 'kind')
      expect(kinds).toEqual([{ kind: 'kind', name: file.split('.')[0] ?? '', isKnown: true }])
      expect(of(parsed?.observations ?? [], 'event')).toEqual([])
      for (const seen of parsed?.observations ?? []) if ('uuid' in seen) expect(seen.uuid).toBeNull()
    }
})

test('what names no session or no event is nothing', () => {
  for (const payload of [
    null,
    7,
    'x',
    [],
    {},
    { session_id: 's' },
    { hook_event_name: 'Stop' },
    { session_id: 5.5, hook_event_name: 'Stop' },
  ])
    expect(readHook(payload, AT)).toBeNull()
})

describe('state of the session', () => {
  const states: [string, string, string | undefined][] = [
    ['2.1.328', 'SessionStart.startup', 'idle hook:SessionStart(startup)'],
    ['2.1.328', 'SessionStart.compact', undefined],
    ['2.1.328', 'PreCompact.manual', undefined],
    ['2.1.328', 'PostCompact.manual', 'idle hook:PostCompact(manual)'],
    ['2.1.197', 'PostCompact.manual', 'idle hook:PostCompact(manual)'],
    ['2.1.328', 'PreCompact.auto', 'working hook:PreCompact(auto)'],
    ['2.1.328', 'PostCompact.auto', undefined],
    ['2.1.328', 'UserPromptSubmit', 'working hook:UserPromptSubmit'],
    ['2.1.328', 'PreToolUse.Bash', 'working hook:PreToolUse'],
    ['2.1.328', 'PreToolUse.AskUserQuestion', 'waiting hook:PreToolUse'],
    ['2.1.328', 'PostToolUse.AskUserQuestion', 'working hook:PostToolUse'],
    ['2.1.328', 'PermissionRequest.Bash', 'waiting hook:PermissionRequest'],
    ['2.1.328', 'Notification.permission_prompt', 'waiting hook:Notification(permission_prompt)'],
    ['2.1.328', 'Notification.idle_prompt', 'idle hook:Notification(idle_prompt)'],
    ['2.1.328', 'Stop', 'idle hook:Stop'],
    ['2.1.328', 'StopFailure.server_error', 'idle hook:StopFailure(server_error)'],
    ['2.1.328', 'SessionEnd.other', 'ended hook:SessionEnd(other)'],
    ['2.0.30', 'SessionEnd.other', 'ended hook:SessionEnd(other)'],
    ['2.0.30', 'SubagentStop', undefined],
    ['2.1.328', 'PreToolUse.Bash.in-subagent', undefined],
    ['2.1.328', 'CwdChanged', undefined],
  ]
  for (const [version, name, expected] of states)
    test(`${name} of ${version}: ${expected ?? 'says nothing'}`, () => {
      const seen = of(hook(version, name), 'activity').map(({ state, evidence }) => `${state} ${evidence}`)
      expect(seen).toEqual(expected === undefined ? [] : [expected])
    })
  test('the end of a session has its reason', () => {
    expect(of(hook('2.1.197', 'SessionEnd.clear'), 'activity')[0]?.reason).toBe('clear')
  })
})

describe('sub-agents', () => {
  test('start and stop', () => {
    expect(of(hook('2.1.328', 'SubagentStart'), 'subagent')).toEqual([
      {
        kind: 'subagent',
        uuid: null,
        subagentId: 'aea7bb204df3bbc34',
        type: 'general-purpose',
        startedAt: AT,
        run: { trigger: 'unknown', evidence: 'hook:SubagentStart' },
      },
    ])
    expect(of(hook('2.1.328', 'SubagentStop'), 'subagent')).toEqual([
      {
        kind: 'subagent',
        uuid: null,
        subagentId: 'aea7bb204df3bbc34',
        type: 'general-purpose',
        end: { status: 'completed', at: AT, evidence: 'hook:SubagentStop', result: 'sub final answer' },
      },
    ])
    expect(of(hook('2.1.10', 'SubagentStop'), 'subagent')[0]?.subagentId).toBe('a008e9d')
  })
  test('the fork that writes a compaction’s summary is none, and 2.0.30 does not say which one stopped', () => {
    expect(of(hook('2.1.328', 'SubagentStop.compaction-fork'), 'subagent')).toEqual([])
    expect(of(hook('2.1.197', 'SubagentStop.compaction-fork'), 'subagent')).toEqual([])
    expect(of(hook('2.0.30', 'SubagentStop'), 'subagent')).toEqual([])
  })
  test('a launch links the sub-agent to its call and to the sub-agent that made it', () => {
    expect(of(hook('2.1.197', 'PostToolUse.Agent.background.in-subagent'), 'subagent')[0]).toMatchObject({
      evidence: 'tool_result',
      isBackground: true,
      parentAgentId: expect.stringMatching(/^a[0-9a-f]{16}$/),
    })
    expect(of(hook('2.1.328', 'PostToolUse.Agent.foreground'), 'subagent')[0]?.end?.result).toBe('outer answer')
    // 2.0.30 names no tool call to link to.
    expect(of(hook('2.0.30', 'PostToolUse.Task.foreground'), 'subagent')).toEqual([])
  })
  test('those that run when a turn ends are in the background; a notice ends one', () => {
    const running = of(hook('2.1.328', 'Stop.background-running'), 'subagent')
    expect(running.map(({ subagentId, isBackground, end }) => ({ subagentId, isBackground, end }))).toEqual([
      { subagentId: 'aea7bb204df3bbc34', isBackground: true, end: undefined },
      { subagentId: 'a527bbb078efdeae0', isBackground: true, end: undefined },
    ])
    expect(of(hook('2.1.328', 'UserPromptSubmit.task-notification'), 'subagent')[0]?.end).toEqual({
      status: 'completed',
      at: AT,
      evidence: 'hook:notification',
      result: 'sub final answer',
    })
  })
})

describe('to-dos', () => {
  const ops = (version: string, name: string) => of(hook(version, name), 'todo').map(({ change }) => change.op)
  test('the payload after a call has both the call and its answer', () => {
    expect(ops('2.1.10', 'PostToolUse.TodoWrite')).toEqual(['snapshot'])
    expect(ops('2.1.328', 'PostToolUse.TaskCreate')).toEqual(['create_input', 'create'])
    expect(ops('2.1.328', 'PostToolUse.TaskList')).toEqual(['list'])
    expect(ops('2.1.328', 'PostToolUse.TaskGet')).toEqual([])
    const failed = of(hook('2.1.197', 'PostToolUse.TaskUpdate.not-found'), 'todo').map(({ change }) => change)
    expect(failed).toEqual([
      { op: 'update', nativeId: '99', status: 'completed' },
      { op: 'update_result', nativeId: '99', isSuccess: false },
    ])
  })
})

describe('a to-do tool’s call that is handed over', () => {
  const todos = [{ content: 'Test', status: 'pending' }]
  const payload = { session_id: 's', tool_name: 'TodoWrite', tool_input: { todos } }
  const change = { op: 'snapshot' as const, items: [{ content: 'Test', status: 'pending' as const }] }

  test('needs no moment and no id of the call: the same payload at the same time is the same change', () => {
    const [todo] = of(readHook(payload, AT)?.observations ?? [], 'todo')
    expect(todo).toMatchObject({ uuid: null, subagentId: null, at: AT, change })
    expect(todo?.toolUseId).toMatch(/^sync:[0-9a-f]{32}$/)
    expect(readHook({ ...payload }, AT)).toEqual(readHook(payload, AT))
    expect(of(readHook(payload, AT + 1)?.observations ?? [], 'todo')[0]?.toolUseId).not.toBe(todo?.toolUseId)
    const called = readHook({ ...payload, tool_use_id: 'toolu_1', agent_id: 'a1' }, AT)
    expect(of(called?.observations ?? [], 'todo')[0]).toMatchObject({ toolUseId: 'toolu_1', subagentId: 'a1', change })
  })

  test('is of any tool that changes a list, and of no other', () => {
    for (const name of ['update-todos', 'mcp__lodeline__update-todos', 'mcp__some_server__update-todos'])
      expect(of(readHook({ ...payload, tool_name: name }, AT)?.observations ?? [], 'todo')[0]?.change).toEqual(change)
    const created = {
      tool_name: 'TaskCreate',
      tool_input: { subject: 'S' },
      tool_response: { task: { id: '1', subject: 'S' } },
    }
    const ops = of(readHook({ ...payload, ...created }, AT)?.observations ?? [], 'todo').map(({ change: { op } }) => op)
    expect(ops).toEqual(['create_input', 'create'])
    for (const name of ['Bash', 'my-update-todos', 'mcp____update-todosx', 7, undefined])
      expect(readHook({ ...payload, tool_name: name }, AT)).toBeNull()
    expect(readHook({ ...payload, session_id: 'x'.repeat(10_000) }, AT)).toBeNull()
    expect(readHook({ ...payload, session_id: '../\u0000' }, AT)).toBeNull()
  })
})

test('the environment names the list that the task tools share, as the CLI names its folder', () => {
  const named = (id: string) =>
    of(
      readHook({ session_id: 's', hook_event_name: 'Stop' }, AT, { CLAUDE_CODE_TASK_LIST_ID: id })?.observations ?? [],
      'task_list',
    )
  expect(named('my list/1')).toEqual([{ kind: 'task_list', uuid: null, at: AT, name: 'my-list-1' }])
  expect(named('')).toEqual([])
  expect(named('x'.repeat(201))).toEqual([])
})

test('a background shell is known from the hook after its call', () => {
  expect(of(hook('2.1.197', 'PostToolUse.Bash.background'), 'background')[0]).toMatchObject({
    taskKind: 'shell',
    startedAt: AT,
  })
})

test('our mod names the call and the parent of a sub-agent at its start, and an interruption', () => {
  const SESSION = '3f2a9c1e-0000-4000-8000-000000000001'
  const spawn = { hook_event_name: 'LodeAgentSpawn', session_id: SESSION, agent_id: 'a1', agent_type: 'Explore' }
  const read = readHook({ ...spawn, parent_agent_id: 'a0', tool_use_id: 'toolu_1', is_background: true }, 5)
  expect(read?.observations).toContainEqual({
    kind: 'subagent',
    uuid: null,
    subagentId: 'a1',
    type: 'Explore',
    startedAt: 5,
    toolUseId: 'toolu_1',
    evidence: 'mod',
    parentAgentId: 'a0',
    isBackground: true,
    run: { trigger: 'unknown', evidence: 'mod:agent.spawn' },
  })
  const stopped = readHook({ hook_event_name: 'LodeInterrupted', session_id: SESSION }, 6)
  expect(stopped?.observations).toContainEqual(expect.objectContaining({ kind: 'activity', state: 'idle', at: 6 }))
})
