import { describe, expect, test } from 'bun:test'
import { claudeCodeHooks as hooks } from '.'

const SESSION = '3f2a9c1e-0000-4000-8000-000000000000'
const of = (hook_event_name: string, more: object = {}) =>
  hooks.read({ hook_event_name, session_id: SESSION, cwd: '/p', transcript_path: '/r/projects/p/s.jsonl', ...more })

describe('a hook is read as', () => {
  const facts = { sessionId: SESSION, cwd: '/p', transcript: '/r/projects/p/s.jsonl' }

  test('the start of a session, with its moment', () => {
    for (const moment of ['startup', 'resume', 'clear', 'compact', 'fork'] as const)
      expect(of('SessionStart', { source: moment })).toEqual({ ...facts, kind: 'start', moment, promptId: '' })
    expect(of('SessionStart', { source: 'precompact' })).toBeNull()
    expect(of('SessionStart')).toBeNull()
  })

  test('a compaction, a prompt, the end of a turn and a clear', () => {
    expect(of('PreCompact', { prompt_id: 'p1' })).toMatchObject({ kind: 'compaction', promptId: 'p1' })
    expect(of('UserPromptSubmit')).toEqual({ ...facts, kind: 'prompt' })
    expect(of('Stop')).toMatchObject({ kind: 'turnEnd' })
    expect(of('SessionEnd', { reason: 'clear' })).toMatchObject({ kind: 'cleared' })
  })

  test('nothing where a turn goes on by a hook already, where a session ends otherwise, and in a sub-agent', () => {
    expect(of('Stop', { stop_hook_active: true })).toBeNull()
    expect(of('SessionEnd', { reason: 'exit' })).toBeNull()
    for (const event of ['Stop', 'UserPromptSubmit', 'PreCompact']) expect(of(event, { agent_id: 'a1' })).toBeNull()
  })

  test('the compaction of a sub-agent, and no other start of one', () => {
    const at = { source: 'compact', prompt_id: 'p1' }
    expect(of('SessionStart', { ...at, agent_id: 'a1' })).toEqual({
      ...facts,
      kind: 'subagentCompacted',
      subagentId: 'a1',
      promptId: 'p1',
    })
    expect(of('SessionStart', { source: 'startup', agent_id: 'a1' })).toBeNull()
    for (const agent_id of ['../a', '', 1, null]) expect(of('SessionStart', { ...at, agent_id })).toBeNull()
  })

  test('a launch, also by a sub-agent', () => {
    const input = { prompt: 'Look', subagent_type: '' }
    const launch = { type: 'general-purpose', prompt: 'Look', toolUseId: 't1' }
    for (const tool_name of ['Agent', 'Task'])
      expect(of('PreToolUse', { tool_name, tool_input: input, tool_use_id: 't1', agent_id: 'a1' })).toMatchObject({
        kind: 'launch',
        launch,
      })
    expect(of('PreToolUse', { tool_name: 'Bash', tool_input: input })).toBeNull()
    expect(of('PreToolUse', { tool_name: 'Agent', tool_input: { prompt: ' ' } })).toBeNull()
  })

  test('nothing where it is not a payload, or its fields are hostile', () => {
    for (const payload of [null, undefined, 1, 'x', [], {}, { session_id: 1 }]) expect(hooks.read(payload)).toBeNull()
    for (const session_id of ['../x', 'a\0', '', 'x'.repeat(201), "';"])
      expect(of('SessionStart', { source: 'startup', session_id })).toBeNull()
    expect(of('Stop', { cwd: 'relative', transcript_path: '/a\0b' })).toMatchObject({ cwd: null, transcript: null })
  })
})

test('an answer reaches the agent in the form of its event', () => {
  const at = (event: string, more = {}) => of(event, more) ?? expect.unreachable()
  expect(hooks.answer(at('UserPromptSubmit'), 'Mail.')).toBe('Mail.')
  expect(JSON.parse(hooks.answer(at('Stop'), 'Mail.'))).toEqual({
    hookSpecificOutput: { hookEventName: 'Stop', additionalContext: 'Mail.' },
  })
  expect(hooks.answer(at('Stop'), '')).toBe('')
  // Text like this would be read as an instruction to the CLI.
  expect(hooks.answer(at('SessionStart', { source: 'startup' }), '{"continue":false}')).toBe('')
  expect(hooks.answer(at('PreCompact'), 'x'.repeat(20_000))).toHaveLength(hooks.answerLimit)
})

test("the CLI's arguments say what it resumes, whether in a copy, and whether it ends with its answer", () => {
  expect(hooks.arguments(['claude', '--resume', SESSION])).toEqual({
    resumes: SESSION,
    isFork: false,
    isOneShot: false,
  })
  expect(hooks.arguments(['claude', `-r=${SESSION}`, '--fork-session'])).toMatchObject({
    resumes: SESSION,
    isFork: true,
  })
  expect(hooks.arguments(['claude', '-r', 'not an id'])).toMatchObject({ resumes: null })
  expect(hooks.arguments(['claude', '-p']).isOneShot).toBe(true)
  expect(hooks.arguments(['claude', '-p', '--input-format', 'stream-json']).isOneShot).toBe(false)
})
