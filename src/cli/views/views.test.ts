import { describe, expect, test } from 'bun:test'
import type { EventNode } from '../../domain/conversation/conversation'
import { sessionId, subagentId } from '../../domain/ids'
import { NOW } from '../kit/fake-io'
import { width } from '../print/text'
import { event, node, secondsAgo, session, subagent, todo, usage } from './fixtures'
import { shortIds } from './ids'
import { agentLine } from './session/conversation-view'
import { eventTable, searchView } from './session/event-views'
import { sessionTree } from './session/session-tree'
import { sessionFields, sessionTable, subagentFields, subagentTable, tokensText } from './session/session-views'
import { todoTable } from './todo-views'

const WIDE = { now: NOW, columns: 0 }
const HOSTILE = '\u001b]0;owned\u0007\u001b[2J\u202egnp.exe\n\u0000end'

describe('the list of sessions', () => {
  const sessions = [
    session(),
    session({
      id: sessionId('3f2a9c1e-9'),
      status: 'ended',
      lastEventAt: secondsAgo(90_000),
      title: null,
      project: null,
      costUsd: null,
      isEstimate: false,
      counts: { ...session().counts, subagents: 0 },
    }),
  ]
  test('is dense, and its ids are as long as they must be to be typed back', () => {
    expect(sessionTable(sessions, WIDE)).toBe(
      [
        'ID          STATUS   AGE  EVENTS  AGENTS  TOKENS   COST  PROJECT  TITLE',
        '3f2a9c1e-5  running   2s    1.2k       3     41k  $1.23  shop     Fix the login redirect',
        '3f2a9c1e-9  ended     1d    1.2k       -     41k      -  web      -',
        '',
      ].join('\n'),
    )
  })
  test('fits the terminal, wide characters counted', () => {
    const long = session({ title: '日本語のとても長いタイトル'.repeat(9) })
    for (const line of sessionTable([long], { now: NOW, columns: 90 }).split('\n'))
      expect(width(line)).toBeLessThanOrEqual(90)
  })
  test('names the agent CLI of each where there are several, and fits 80 columns still', () => {
    const several = [session(), session({ id: sessionId('4f2a9c1e-5'), agent: 'codex', title: 'Paint it '.repeat(9) })]
    const lines = sessionTable(several, { now: NOW, columns: 80 }).split('\n')
    expect(lines[0]).toContain('ID        CLI         STATUS')
    for (const line of lines) expect(width(line)).toBeLessThanOrEqual(80)
  })
  test('shows hostile titles as text', () => {
    expect(sessionTable([session({ title: HOSTILE })], WIDE)).toEndWith('  gnp.exe \\x00end\n')
  })
})

test('a session tells all that is known, and leaves out what is not', () => {
  const text = sessionFields(session({ gitBranch: null }), NOW)
  expect(text).toContain('status       running: a tool call 2 s ago (transcript)\n')
  expect(text).toContain('counts       1,234 events, 56 tool calls, 3 sub-agents, 1 compaction\n')
  expect(text).toContain('tokens       37k in, 4.1k out\nmain thread  23k in, 2.6k out\ncost         $1.23\n')
  expect(text).not.toContain('branch')
  expect(text).not.toContain('ended')
})

describe('the tree of a session', () => {
  const tree = node(null, {
    todos: { completed: 2, total: 5, current: 'Write tests' },
    runningTools: [{ toolUseId: subagent('x').toolUseId ?? ('' as never), name: 'Task', since: secondsAgo(60) }],
    children: [
      node(
        subagent('a1b2c3d', {
          type: 'Explore',
          description: 'Find the callers',
          status: 'completed',
          lastEventAt: secondsAgo(300),
        }),
        {
          children: [node(subagent('deep', { status: 'failed' }))],
        },
      ),
      node(subagent('a9d8e7f', { background: true }), {
        runningTools: [{ toolUseId: subagent('y').toolUseId ?? ('' as never), name: 'Bash', since: secondsAgo(12) }],
        todos: { completed: 0, total: 1, current: null },
      }),
      node(subagent('orphan', { toolUseId: null, type: null, description: null, status: 'unknown' })),
    ],
  })

  test('draws agents at any depth, running tools, to-dos, tokens and age in plain ASCII', () => {
    expect(sessionTree(session(), tree, WIDE)).toBe(
      `${[
        '3f2a9c1e-5b1d-4c7e-9a55-0d6f3a1b2c3d  running  Fix the login redirect  [2/5 Write tests]  26k tokens  2s',
        '|  > Task  1m',
        '|- Explore  a1b2c3d  completed  Find the callers  3.1k tokens  5m',
        '|  `- general-purpose  deep  failed  Write the tests  3.1k tokens  5s',
        '|- general-purpose &  a9d8e7f  running  Write the tests  [0/1]  3.1k tokens  5s',
        '|     > Bash  12s',
        '`- agent  orphan  unknown  launch not recorded  3.1k tokens  5s',
      ].join('\n')}\n`,
    )
  })
  test('names the agent CLI where sessions of several are recorded', () => {
    expect(sessionTree(session({ agent: 'codex' }), tree, { ...WIDE, namesClis: true })).toContain('  codex  running  ')
  })
  test('cuts the longest part of a line until it fits', () => {
    const lines = sessionTree(session({ title: 'A title that says far too much for a narrow terminal' }), tree, {
      now: NOW,
      columns: 90,
    }).split('\n')
    expect(lines[0]).toEndWith('  26k tokens  2s')
    for (const id of ['a1b2c3d', 'deep', 'a9d8e7f', 'orphan']) expect(lines.join('\n')).toContain(`  ${id}  `)
    for (const line of lines) expect(width(line)).toBeLessThanOrEqual(90)
  })
  test('fits into 80 columns with a whole ID, to-dos, tokens and an age', () => {
    const todos = { completed: 0, total: 3, current: 'Find where prices are rounded' }
    const text = sessionTree(session(), { ...tree, todos, children: [] }, { now: NOW, columns: 80 })
    expect(width(text.split('\n')[0] ?? '')).toBeLessThanOrEqual(80)
    expect(text).toContain('  [0/3]  26k tokens  2s')
  })
  test('is drawn whatever its depth', () => {
    let deep = node(subagent('leaf'))
    for (let i = 0; i < 2_000; i++) deep = node(subagent(`a${i}`), { children: [deep] })
    expect(sessionTree(session(), node(null, { children: [deep] }), WIDE).split('\n').length).toBe(2_003)
  })
  test('shows hostile names as text, on one line each', () => {
    const hostile = node(null, {
      children: [node(subagent('a', { type: HOSTILE, description: HOSTILE }))],
      todos: { completed: 0, total: 1, current: HOSTILE },
      runningTools: [{ toolUseId: subagent('y').toolUseId ?? ('' as never), name: HOSTILE, since: null }],
    })
    const text = sessionTree(session({ title: HOSTILE }), hostile, WIDE)
    expect(text).toMatch(/^[\x20-\x7e\n]*$/)
    expect(text.split('\n').length).toBe(4)
  })
})

test('sub-agents are told with depth, kind and how they are known', () => {
  const shell = subagent('bash_1', {
    kind: 'shell',
    type: null,
    background: true,
    depth: null,
    description: 'npm run dev',
  })
  expect(subagentTable([subagent('a1'), shell], WIDE)).toBe(
    [
      'ID      STATUS   AGE  DEPTH  KIND             EVENTS  TOKENS  DESCRIPTION',
      'a1      running   5s      1  general-purpose       4    3.1k  Write the tests',
      'bash_1  running   5s      -  shell &               4       -  npm run dev',
      '',
    ].join('\n'),
  )
  expect(subagentFields(subagent('a1', { toolUseId: null }), NOW)).toContain(
    'launched by  unknown (launch not recorded)\n',
  )
})

test('to-dos show whose they are, their state, and what they wait for', () => {
  const todos = [
    todo({ status: 'in_progress' }),
    todo({ nativeId: '2', content: 'Ship it', blockedBy: ['1'], subagentId: subagentId('a1') }),
    todo({ nativeId: null, ordinal: 4, status: 'removed', content: HOSTILE }),
  ]
  expect(todoTable(todos, true, WIDE)).toBe(
    [
      'AGENT  NO  STATUS       AGE  WAITS FOR  TO-DO',
      'main    1  in_progress   1m  -          Writing tests',
      'a1      2  pending       1m  1          Ship it',
      'main    5  removed       1m  -          gnp.exe \\x00end',
      '',
    ].join('\n'),
  )
})

describe('events', () => {
  test('are one line each, inherited ones marked', () => {
    expect(eventTable([event({ inherited: true, text: 'two\nlines' })], true, WIDE)).toBe(
      [
        'ID                                    TIME  AGENT  TYPE              TOOL  TEXT',
        '0b0c7f7e-6c1a-4a53-9a51-1f7f6f1d2c3b  -     -      text (inherited)  -     two lines',
        '',
      ].join('\n'),
    )
  })
  test('that were found show the match by more than colour', () => {
    const main: EventNode = { subagentId: null, kind: 'main', type: null, description: null, depth: 0, isOrphan: false }
    const hit = {
      event: event({ at: secondsAgo(60) }),
      node: main,
      agent: 'claude-code',
      sessionTitle: 'Fix it',
      snippet: `a \u0002login\u0003 and \u0002re${'\u001b[31m'}direct\u0003.`,
    }
    expect(searchView([hit], false, WIDE)).toBe(
      '3f2a9c1e  1m ago  text  main thread  Fix it\n    a *login* and *redirect*.\n',
    )
    const node = {
      ...main,
      subagentId: subagentId('a1'),
      kind: 'agent',
      type: 'Explore',
      description: 'x\u001b[2Jy',
    } as const
    const below = searchView([{ ...hit, node: { ...node, depth: 2, isOrphan: true } }], false, WIDE)
    expect(below).toStartWith('3f2a9c1e  1m ago  text  Explore a1 "xy" (depth 2) (orphan)  Fix it\n')
    expect(searchView([hit], true, WIDE)).toContain('a \u001b[1mlogin\u001b[22m and ')
    expect(searchView([{ ...hit, snippet: '\u0003x\u0002' }], false, WIDE)).toEndWith('\n    \\x03x\n')
  })
})

test('a cost that is an estimate is marked in lists and told in words', () => {
  const estimate = { costUsd: 1.2, isEstimate: true }
  expect(sessionTable([session(estimate)], WIDE)).toContain('  ~$1.20  ')
  expect(sessionFields(session(estimate), NOW)).toContain('cost         ~$1.20 (an estimate)\n')
  expect(subagentFields(subagent('a1', estimate), NOW)).toContain('~$1.20 (an estimate)\n')
  expect(agentLine(subagent('a1', estimate))).toContain(', ~$1.20')
})

test('the sums of a session say that they are without agents of unknown usage', () => {
  const text = sessionFields(session({ counts: { ...session().counts, unknownAgents: 2 } }), NOW)
  expect(text).toMatch(/tokens .*; without 2 sub-agents whose usage is unknown\n/)
  expect(text).toMatch(/cost +\$1\.23; without 2 sub-agents whose usage is unknown\n/)
  expect(sessionFields(session(), NOW)).not.toContain('without')
})

test('short ids stay unique, also when one is the beginning of another', () => {
  const ids = ['abcdefgh-1', 'abcdefgh-2', 'zz', 'abcdefgh-1x']
  const short = shortIds(ids)
  expect(ids.map(short)).toEqual(['abcdefgh-1', 'abcdefgh-2', 'zz', 'abcdefgh-1x'])
})

test('tokens that were never recorded are unknown, and a shell has none', () => {
  const nothing = { usage: usage(0), costUsd: 0 }
  const unseen = subagent('a1', { usage: null, costUsd: null, counts: { events: 0, toolCalls: 0 } })
  const shell = subagent('b1', { ...nothing, kind: 'shell' })
  const seen = subagent('a2', { ...nothing, counts: { events: 1, toolCalls: 0 } })
  expect([unseen, shell, seen].map(tokensText)).toEqual(['unknown tokens', null, '0 tokens'])
  expect(subagentTable([unseen], { now: NOW, columns: 0 })).toContain('unknown')
  const fields = (agent: typeof unseen) => subagentFields(agent, NOW)
  expect(fields(unseen)).toMatch(/tokens\s+unknown/)
  expect(fields(unseen)).toMatch(/cost\s+unknown/)
  const reported = { ...unseen, reportedTokens: 12_345 }
  expect(tokensText(reported)).toBe('at least 12,345 tokens (reported)')
  expect(fields(reported)).toMatch(/tokens\s+at least 12,345 tokens \(reported\)\ncost\s+unknown/)
  expect(subagentTable([reported], { now: NOW, columns: 0 })).toContain('  12k+  ')
  expect(fields(shell)).not.toContain('tokens')
})
