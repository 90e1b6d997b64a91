/** Rollouts of other releases, by lines as those wrote them. */
import { describe, expect, test } from 'bun:test'
import type { Observation } from '../../../src/domain/record/observation'
import { secretMask } from '../../../src/domain/secrets/mask'
import { parseBytes } from '../../../src/engine/record/bytes'
import { codex } from '../../../src/harness/codex'
import { SampleSecrets } from '../../secrets/sample-secrets'
import { eventTypes, pick, totalOf, usageOf } from '../scenario'
import { AT, event, idAt, item, line, meta, observe, parse, rollout, says, tokens, turn } from './rollouts'

const OWN = idAt(AT, 1)
const PARENT = idAt(AT - 3_600_000, 2)

describe('releases before 0.39', () => {
  const id = '11111111-1111-4111-8111-111111111111'
  const old = rollout(id, [
    JSON.stringify({ id, timestamp: '2025-08-01T10:00:00.000Z', instructions: null, git: { branch: 'main' } }),
    JSON.stringify({ record_type: 'state' }),
    JSON.stringify({
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: '<environment_context>\n</environment_context>' }],
    }),
    JSON.stringify({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'yes' }] }),
    JSON.stringify({
      type: 'function_call',
      name: 'shell',
      arguments: '{"command":["bash","-lc","make test"]}',
      call_id: 'c1',
    }),
    JSON.stringify({
      type: 'function_call_output',
      call_id: 'c1',
      output: '{"output":"no rule","metadata":{"exit_code":2}}',
    }),
    JSON.stringify({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] }),
    JSON.stringify({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'yes' }] }),
  ])

  test('lines without an envelope are read, and the same words twice are two events', () => {
    const seen = observe([old])
    expect(eventTypes(seen)).toEqual({ attachment: 1, prompt: 2, tool_call: 1, tool_result: 1, text: 1 })
    expect(new Set(pick(seen, 'event').map(({ uuid }) => uuid)).size).toBe(6)
    expect(pick(seen, 'kind').filter(({ isKnown }) => !isKnown)).toEqual([])
    expect(pick(seen, 'session')[0]).toMatchObject({ gitBranch: 'main' })
  })

  test('half a line before any of them costs neither that line nor the ids of those after it', () => {
    const whole = parse(old)
    const lines = old.bytes.toString().trimEnd().split('\n')
    for (const at of lines.keys()) {
      const glued = lines.map((one, i) => (i === at ? `${one.slice(0, one.length / 2)}${one}` : one))
      const { observations, malformed } = parse(rollout(id, glued))
      expect(malformed).toHaveLength(1)
      const told = (all: Observation[]) => [pick(all, 'event').map(({ uuid }) => uuid), pick(all, 'kind')]
      expect(told(observations)).toEqual(told(whole.observations))
    }
  })

  test("what the CLI tells the model under a person's name is no prompt", () => {
    const openings = [
      '<codex_internal_context source="goal">',
      '<goal_context>',
      '<hook_prompt hook_run_id="h">',
      '<app-context>',
    ]
    const told = openings.map((text) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }))
    const first = { id, timestamp: '2025-08-01T10:00:00.000Z' }
    const seen = observe([
      rollout(
        id,
        [first, ...told].map((one) => JSON.stringify(one)),
      ),
    ])
    expect(eventTypes(seen)).toEqual({ attachment: openings.length })
  })

  test('where it works stands in what the model is told alone', () => {
    const told = (text: string) =>
      observe([
        rollout(id, [
          JSON.stringify({ id, timestamp: '2025-08-01T10:00:00.000Z', instructions: null }),
          JSON.stringify({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }),
        ]),
      ]).flatMap((seen) => (seen.kind === 'session' ? (seen.cwd ?? []) : []))
    expect(told('<environment_context>\n  <cwd>/home/user/a</cwd>\n</environment_context>')).toEqual(['/home/user/a'])
    expect(told('<environment_context>\nCurrent working directory: /home/user/b\nApproval policy: never\n')).toEqual([
      '/home/user/b',
    ])
    expect(told('I wonder about <environment_context>\n<cwd>/etc</cwd>')).toEqual([])
  })

  test('a command is a text, and its code tells whether it failed', () => {
    const seen = observe([old])
    expect(pick(seen, 'event').find(({ type }) => type === 'tool_call')?.text).toBe('shell\nmake test')
    expect(pick(seen, 'event').find(({ type }) => type === 'tool_result')?.text).toBe('no rule')
    expect(pick(seen, 'tool_result')).toMatchObject([{ toolUseId: 'c1', isError: true }])
  })
})

describe('JSON documents of the first releases', () => {
  const id = '22222222-2222-4222-8222-222222222222'
  const ref = codex.classify(`/home/user/.codex/sessions/rollout-2025-04-20-${id}.json`)
  const items = [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'List "all" of it' }] },
    { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Look first' }], duration_ms: 900 },
    {
      ...{ id: 'fc_1', type: 'function_call', status: 'completed', call_id: 'c1', name: 'shell' },
      arguments: '{"command":["bash","-lc","ls"],"workdir":"/tmp"}',
    },
    { type: 'function_call_output', call_id: 'c1', output: '{"output":"a.txt\\n","metadata":{"exit_code":0}}' },
    { id: 'lsc_1', type: 'local_shell_call', call_id: 'c2', status: 'completed', action: { command: ['false'] } },
    { type: 'local_shell_call_output', call_id: 'c2', output: '{"output":"","metadata":{"exit_code":1}}' },
    { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'One file.' }] },
  ]
  const written = (count: number) =>
    Buffer.from(
      JSON.stringify(
        { session: { timestamp: '2025-04-20T10:00:00.000Z', id, instructions: '' }, items: items.slice(0, count) },
        null,
        2,
      ),
    )
  const read = (bytes: Uint8Array) => {
    if (ref === null) throw new Error('not recognised')
    return codex.parseDocument(bytes, { ref, offset: 0 })
  }

  test('each item is an event at its place, and all that one says of calls and answers is there', () => {
    const bytes = written(items.length)
    const seen = read(bytes) ?? []
    expect(eventTypes(seen)).toEqual({ prompt: 1, thinking: 1, tool_call: 2, tool_result: 2, text: 1 })
    expect(pick(seen, 'kind').filter(({ isKnown }) => !isKnown)).toEqual([])
    expect(pick(seen, 'tool_call').map(({ toolUseId, name }) => [toolUseId, name])).toEqual([
      ['c1', 'shell'],
      ['c2', 'local_shell'],
    ])
    expect(pick(seen, 'tool_result').map(({ toolUseId, isError }) => [toolUseId, isError])).toEqual([
      ['c1', false],
      ['c2', true],
    ])
    expect(pick(seen, 'session')[0]).toMatchObject({ at: Date.UTC(2025, 3, 20, 10) })
    expect(pick(seen, 'session').find(({ title }) => title !== undefined)?.title?.text).toBe('List "all" of it')
    for (const [n, { offset, length }] of pick(seen, 'event').entries())
      expect(JSON.parse(bytes.toString('utf8', offset, offset + length))).toEqual(items[n])
  })

  test('one that was written anew with more items adds the new ones alone, and a half is waited for', () => {
    const before = pick(read(written(3)) ?? [], 'event').map(({ uuid }) => uuid)
    const after = pick(read(written(items.length)) ?? [], 'event').map(({ uuid }) => uuid)
    expect(after.slice(0, before.length)).toEqual(before)
    expect(read(written(3).subarray(0, 400))).toBeNull()
    expect(read(Buffer.from('[1]'))).toEqual([])
    expect(read(Buffer.from('{"session":7,"items":[1,null,"x",{"type":"message"}]}'))?.length).toBeGreaterThan(0)
  })
})

describe('a thread that is resumed again and again', () => {
  const lines = [
    meta(AT, OWN, { cli_version: '0.104.0' }),
    turn(AT + 1, 3),
    says(AT + 2, 'user', 'Begin'),
    tokens(AT + 3, [100, 20, 10], [100, 20, 10]),
    tokens(AT + 4, [100, 20, 10], [100, 20, 10]),
    ...Array.from({ length: 20 }, (_, n) =>
      meta(AT + 10 + n, OWN, { cli_version: '0.104.0', timestamp: new Date(AT).toISOString() }),
    ),
    tokens(AT + 40, [300, 80, 30], [400, 100, 40]),
    tokens(AT + 41, [300, 80, 30], [400, 100, 40]),
    says(AT + 42, 'assistant', 'Go on'),
  ]

  test('its first line comes again and changes nothing, and repeated counts of tokens count once', () => {
    const seen = observe([rollout(OWN, lines)])
    expect(eventTypes(seen)).toEqual({ prompt: 1, text: 1 })
    expect(pick(seen, 'event').filter(({ isCopied }) => isCopied)).toEqual([])
    expect(totalOf(usageOf(seen))).toEqual({ input: 300, output: 40 })
    expect(new Set(pick(seen, 'usage').map(({ model }) => model))).toEqual(new Set(['gpt-5.2-codex']))
    expect(new Set(pick(seen, 'session').flatMap(({ cwd }) => cwd ?? []))).toEqual(new Set(['/home/user/project']))
  })

  test('a line that stands twice is one event', () => {
    const twice = lines.flatMap((one) => [one, one])
    const seen = observe([rollout(OWN, twice)])
    expect(new Set(pick(seen, 'event').map(({ uuid }) => uuid)).size).toBe(2)
    expect(totalOf(usageOf(seen))).toEqual({ input: 300, output: 40 })
  })
})

test('where no line ends a turn, the words of the model do, until it calls a tool again', () => {
  const states = (lines: readonly string[]) =>
    pick(observe([rollout(OWN, [meta(AT, OWN), ...lines])]), 'activity').map(({ state }) => state)
  const call = item(AT + 3, { type: 'function_call', name: 'exec_command', arguments: '{}', call_id: 'c1' })
  const old = [
    says(AT + 1, 'user', 'Begin'),
    says(AT + 2, 'assistant', 'I look.'),
    call,
    says(AT + 4, 'assistant', 'Done.'),
  ]
  expect(states(old)).toEqual(['working', 'idle', 'working', 'idle'])
  const begun = event(AT, { type: 'task_started', turn_id: idAt(AT, 3) })
  expect(states([begun, ...old])).toEqual(['working', 'working', 'working', 'working', 'working'])
})

describe('a fork with a copy of its origin', () => {
  /** The copy has the time of the fork; the turns keep the ids that they had. */
  const copy = [
    meta(AT, PARENT, { timestamp: new Date(AT - 3_600_000).toISOString(), cwd: '/elsewhere' }),
    line(AT, 'turn_context', { turn_id: idAt(AT - 3_000_000, 4), cwd: '/elsewhere', model: 'gpt-5.1' }),
    says(AT, 'user', 'What was asked before'),
    item(AT, { type: 'function_call', name: 'exec_command', arguments: '{"cmd":"ls"}', call_id: 'before' }),
    tokens(AT, [900, 0, 90], [900, 0, 90]),
  ]
  const own = [
    event(AT + 20, { type: 'task_started', turn_id: idAt(AT + 20, 5) }),
    turn(AT + 21, 5),
    says(AT + 22, 'user', 'What is asked now'),
    tokens(AT + 23, [1_000, 900, 7], [1_900, 900, 97]),
  ]

  test('the copied lines are inherited, and their tokens are not its own', () => {
    const seen = observe([rollout(OWN, [meta(AT, OWN, { forked_from_id: PARENT }), ...copy, ...own])])
    expect(pick(seen, 'event').map(({ text, isCopied }) => [text?.split('\n')[0], isCopied])).toEqual([
      ['What was asked before', true],
      ['exec_command', true],
      ['What is asked now', false],
    ])
    expect(pick(seen, 'tool_call')).toEqual([])
    expect(totalOf(usageOf(seen))).toEqual({ input: 100, output: 7 })
    expect(
      pick(seen, 'session')
        .map(({ cwd }) => cwd)
        .filter((cwd) => cwd !== undefined),
    ).not.toContain('/elsewhere')
    expect(pick(seen, 'session').find(({ title }) => title !== undefined)?.title?.text).toBe('What is asked now')
  })

  test('of a sub-agent that got the history of its launcher, only its own lines are told', () => {
    const spawn = { subagent: { thread_spawn: { parent_thread_id: PARENT, depth: 1, agent_role: 'worker' } } }
    const child = rollout(OWN, [
      meta(AT, OWN, { forked_from_id: PARENT, session_id: PARENT, source: spawn, agent_role: 'worker' }),
      ...copy,
      ...own,
    ])
    expect(child.ref).toMatchObject({ kind: 'subagent', sessionId: PARENT, subagentId: OWN })
    const seen = observe([child])
    expect(pick(seen, 'event').map(({ text }) => text)).toEqual(['What is asked now'])
    expect(totalOf(usageOf(seen))).toEqual({ input: 100, output: 7 })
  })
})

describe('a fork of a release whose turns have no ids, as going back in a conversation made one in 2025', () => {
  /** The whole copy is written at once, with the time of the fork, or with the times that the lines had. */
  const copied = (at: (n: number) => number) => [
    meta(at(0), PARENT, { timestamp: new Date(AT - 3_600_000).toISOString() }),
    says(at(1), 'user', 'What was asked before'),
    line(at(2), 'turn_context', { cwd: '/home/user/project', model: 'gpt-5.1' }),
    says(at(3), 'assistant', 'What was said before'),
    tokens(at(4), [900, 0, 90], [900, 0, 90]),
  ]
  const own = [
    says(AT + 9_000, 'user', 'What is asked instead'),
    line(AT + 9_010, 'turn_context', { cwd: '/home/user/project', model: 'gpt-5.1' }),
    says(AT + 12_000, 'assistant', 'What is said instead'),
    tokens(AT + 12_001, [1_000, 900, 7], [1_900, 900, 97]),
  ]

  test('it ends at the first pause, and its first line names the origin', () => {
    for (const at of [(n: number) => AT + 20 * n, (n: number) => AT - 3_600_000 + 60_000 * n]) {
      const seen = observe([rollout(OWN, [meta(AT, OWN), ...copied(at), ...own])])
      expect(pick(seen, 'event').map(({ text, isCopied }) => [text, isCopied])).toEqual([
        ['What was asked before', true],
        ['What was said before', true],
        ['What is asked instead', false],
        ['What is said instead', false],
      ])
      expect(totalOf(usageOf(seen))).toEqual({ input: 100, output: 7 })
      expect(pick(seen, 'session').flatMap(({ forkedFrom }) => forkedFrom ?? [])).toEqual([PARENT])
      expect(pick(seen, 'session').find(({ title }) => title !== undefined)?.title?.text).toBe('What is asked instead')
    }
  })

  test('it ends where the first line of the thread comes again, and wherever a block of bytes ends', () => {
    const quick = [meta(AT, OWN), ...copied((n) => AT + n), meta(AT + 30, OWN), says(AT + 31, 'user', 'Now')]
    const whole = rollout(OWN, quick)
    for (const cut of quick.keys()) {
      const head = Buffer.from(
        quick
          .slice(0, cut)
          .map((one) => `${one}\n`)
          .join(''),
      )
      const first = parse({ ...whole, bytes: head })
      const rest = parse({ ...whole, bytes: whole.bytes.subarray(head.length) }, head.length, first.carry ?? null)
      const seen = [...first.observations, ...rest.observations]
      expect(pick(seen, 'event').map(({ isCopied }) => isCopied)).toEqual([true, true, false])
      expect(pick(seen, 'session').flatMap(({ forkedFrom }) => forkedFrom ?? [])).toEqual([PARENT])
    }
  })

  test('where turns have ids a pause ends nothing', () => {
    const [named, ...others] = copied((n) => AT + 2_000 * n)
    const lines = [meta(AT, OWN), named ?? '', turn(AT + 1, 3), ...others, event(AT + 20_000, { type: 'error' })]
    const old = lines.map((one) => one.replace(idAt(AT + 1, 3), idAt(AT - 9_000, 3)))
    expect(old).not.toEqual(lines)
    expect(pick(observe([rollout(OWN, old)]), 'event').map(({ isCopied }) => isCopied)).toEqual([true, true, true])
  })
})

test('a sub-agent whose first line says where its own lines begin has no line before that, and every one after it', () => {
  // As 0.200 writes it: the task of the sub-agent stands before its first turn, and the turns of the copy may be as new as the thread.
  const spawn = { subagent: { thread_spawn: { parent_thread_id: PARENT, depth: 1 } } }
  const numbered = [
    meta(AT, OWN, { forked_from_id: PARENT, session_id: PARENT, source: spawn, subagent_history_start_ordinal: 5 }),
    meta(AT, PARENT),
    turn(AT + 1, 3),
    says(AT, 'user', 'What the launcher was asked'),
    tokens(AT, [70_000, 69_000, 100], [4_990_000, 4_900_000, 10_000]),
    says(AT, 'user', 'What the sub-agent is asked'),
    turn(AT + 2, 4),
    tokens(AT + 3, [30_000, 29_000, 100], [30_000, 29_000, 100]),
  ].map((text, ordinal) => JSON.stringify({ ...JSON.parse(text), ordinal }))
  for (const cut of [numbered.length, 3]) {
    const whole = rollout(OWN, numbered)
    const head = Buffer.from(`${numbered.slice(0, cut).join('\n')}\n`)
    const first = parse({ ...whole, bytes: head })
    const rest = parse({ ...whole, bytes: whole.bytes.subarray(head.length) }, head.length, first.carry ?? null)
    const seen = [...first.observations, ...rest.observations]
    expect(pick(seen, 'event').map(({ text }) => text)).toEqual(['What the sub-agent is asked'])
    expect(totalOf(usageOf(seen))).toEqual({ input: 1_000, output: 100 })
  }
})

describe('whose file it is', () => {
  const spawn = (parent: string, depth: number) => ({ subagent: { thread_spawn: { parent_thread_id: parent, depth } } })
  const path = `/x/sessions/2026/06/01/rollout-2026-06-01T00-00-00-${OWN}.jsonl`

  test('a thread below another one belongs to the session at the top, at any depth', () => {
    const middle = idAt(AT - 1_000, 6)
    const lines = [meta(AT, OWN, { session_id: PARENT, parent_thread_id: middle, source: spawn(middle, 2) })]
    const deep = rollout(OWN, lines)
    expect(deep.ref).toMatchObject({ kind: 'subagent', sessionId: PARENT, subagentId: OWN })
    expect(pick(observe([deep]), 'subagent')).toMatchObject([{ subagentId: OWN, parentAgentId: middle, depth: 2 }])
  })

  test('what the CLI launches itself belongs to the thread that its first line names in any field', () => {
    const review = rollout(OWN, [meta(AT, OWN, { forked_from_id: PARENT, source: { subagent: 'review' } })])
    const top = { session_id: PARENT, source: { subagent: { other: 'guardian' } } }
    const guardian = rollout(OWN, [meta(AT, OWN, top)])
    for (const [file, type] of [
      [review, 'review'],
      [guardian, 'guardian'],
    ] as const) {
      expect(file.ref).toMatchObject({ kind: 'subagent', sessionId: PARENT, subagentId: OWN })
      expect(pick(observe([file]), 'subagent')).toMatchObject([{ subagentId: OWN, type }])
    }
    const long = meta(AT, OWN, { ...top, base_instructions: { text: 'x'.repeat(20_000) } })
    expect(codex.classify(path, Buffer.from(long.slice(0, 10_000)))).toMatchObject({ sessionId: PARENT })
    // A fork is none, nor what names nobody.
    for (const more of [{ forked_from_id: PARENT }, { session_id: OWN, source: { subagent: 'memory_consolidation' } }])
      expect(rollout(OWN, [meta(AT, OWN, more)]).ref).toMatchObject({ kind: 'transcript', sessionId: OWN })
  })

  test('without a name of the top it belongs to its parent, and one that names itself to nobody', () => {
    expect(rollout(OWN, [meta(AT, OWN, { source: spawn(PARENT, 1) })]).ref).toMatchObject({ sessionId: PARENT })
    expect(rollout(OWN, [meta(AT, OWN, { parent_thread_id: OWN })]).ref).toMatchObject({
      kind: 'transcript',
      sessionId: OWN,
    })
  })

  test('a first line that is not whole says nothing yet, unless it is long enough to tell', () => {
    const first = meta(AT, OWN, {
      session_id: PARENT,
      parent_thread_id: PARENT,
      base_instructions: { text: 'x'.repeat(20_000) },
    })
    expect(codex.classify(path, Buffer.from(''))).toBeNull()
    expect(codex.classify(path, Buffer.from(first.slice(0, 300)))).toBeNull()
    expect(codex.classify(path, Buffer.from(first.slice(0, 10_000)))).toMatchObject({
      kind: 'subagent',
      sessionId: PARENT,
    })
    expect(codex.classify(path, Buffer.from('{"broken\n'))).toMatchObject({ kind: 'transcript', sessionId: OWN })
  })

  test('a place without a rollout is not ours', () => {
    for (const other of ['/x/history.jsonl', '/x/sessions/a.jsonl', `/x/rollout-${OWN}.json`, `/x/${OWN}.jsonl`])
      expect(codex.classify(other)).toBeNull()
    expect(codex.classify(path)).toMatchObject({ kind: 'transcript', sessionId: null })
  })
})

test('a compaction, an error, a name and a step back are told', () => {
  const seen = observe([
    rollout(OWN, [
      meta(AT, OWN),
      line(AT + 1, 'compacted', { message: 'What happened so far', replacement_history: [] }),
      event(AT + 2, { type: 'error', message: 'usage limit reached' }),
      event(AT + 3, { type: 'thread_name_updated', thread_name: 'The lighthouse' }),
      event(AT + 4, { type: 'thread_rolled_back', num_turns: 2 }),
    ]),
  ])
  expect(pick(seen, 'event').map(({ type, text }) => [type, text])).toEqual([
    ['compaction', 'What happened so far'],
    ['error', 'usage limit reached'],
    ['system', '2 turns were taken back.'],
  ])
  expect(pick(seen, 'session').at(-1)?.title).toEqual({ text: 'The lighthouse', source: 'person' })
})

test('a search of the provider’s own is a call that is answered, also where it has no id', () => {
  const search = { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'tides' } }
  const seen = observe([rollout(OWN, [meta(AT, OWN), item(AT + 1, search), item(AT + 2, search)])])
  const calls = pick(seen, 'tool_call').map(({ toolUseId }) => toolUseId)
  expect(new Set(calls).size).toBe(2)
  expect(pick(seen, 'tool_result').map(({ toolUseId }) => toolUseId)).toEqual(calls)
})

test('a plan that a model sets by code is a list of to-dos, where it stands there in full', () => {
  const set = (input: string) => ({
    type: 'custom_tool_call',
    name: 'exec',
    namespace: 'functions',
    call_id: 'c',
    input,
  })
  const plans = (input: string) =>
    pick(observe([rollout(OWN, [meta(AT, OWN), item(AT + 1, set(input))])]), 'todo').map(({ change }) => change)
  const items = [
    { content: 'One {', status: 'in_progress' },
    { content: "It's two", status: 'pending' },
  ]
  const step = "{step:'One {',status:'in_progress'}, // }"
  expect(
    plans(`const r = await tools.update_plan({explanation:\`why\`, plan:[${step}
    {step:"It's two", status: \`pending\`},],}); text(r)`),
  ).toMatchObject([{ op: 'snapshot', items }])
  // The last one holds.
  const again = 'await tools.update_plan({plan:[{step:"Done",status:"completed"}]})'
  expect(plans(`${again}; ${again.replace('Done', 'Really')}`)).toMatchObject([{ items: [{ content: 'Really' }] }])
  for (const code of [
    'tools.update_plan({plan})',
    `tools.update_plan({plan:[{step:\`\${what}\`,status:"pending"}]})`,
    'tools.update_plan({plan:[',
    'text("update_plan")',
    `tools.update_plan(${'{a:['.repeat(50_000)}`,
    // Each is read once, however often it begins.
    'tools.update_plan({'.repeat(5_000),
    `tools.update_plan({a:${'"\\'.repeat(50_000)}`,
    `tools.update_plan({a:${'/*'.repeat(50_000)}`,
  ])
    expect(plans(code)).toEqual([])
})

test('a tool of a server is named as every agent CLI names it', () => {
  const call = { type: 'function_call', name: 'note', namespace: 'mcp__echo', arguments: '{}', call_id: 'c' }
  expect(pick(observe([rollout(OWN, [meta(AT, OWN), item(AT, call)])]), 'tool_call')).toMatchObject([
    { name: 'mcp__echo__note' },
  ])
})

test('what a parser keeps is short, whatever the lines hold', () => {
  const long = line(AT, 'turn_context', { turn_id: idAt(AT), model: 'm'.repeat(199), cwd: '/x' })
  const { carry } = parse(rollout(OWN, [meta(AT, OWN, { cli_version: 'v'.repeat(5_000) }), long]))
  expect(carry?.length).toBeLessThan(400)
})

test('a line without a time is the same event in one block and in several, also behind a masked secret', () => {
  const say = (text: string) =>
    Buffer.from(`${JSON.stringify({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })}\n`)
  const [first, second] = [say(`my key: ${new SampleSecrets().of('npm-token')}`), say('go on')]
  const { ref } = rollout(OWN, [meta(AT, OWN)])
  const parser = { harnessOf: () => codex, mask: secretMask() }
  const uuids = ({ observations }: { observations: Observation[] }) =>
    observations.flatMap((seen) => (seen.kind === 'event' ? [seen.uuid] : []))
  const whole = parseBytes(parser, ref, Buffer.concat([first, second]), { offset: 0, carry: null }, false)
  const before = parseBytes(parser, ref, first, { offset: 0, carry: null }, false)
  const after = parseBytes(parser, ref, second, { offset: first.length, carry: before.carry }, false)
  expect(uuids(whole)).toEqual([...uuids(before), ...uuids(after)])
  expect(uuids(whole)).toHaveLength(2)
})
