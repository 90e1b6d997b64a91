import { describe, expect, test } from 'bun:test'
import {
  agent,
  attempt,
  conversation,
  epic,
  logEntry,
  question,
  task,
  taskNode,
} from '../../../../test/samples/task-views'
import { agentId, sessionId, taskId } from '../../../domain/ids'
import { NOW } from '../../kit/fake-io'
import { width } from '../../print/text'
import { secondsAgo } from '../fixtures'
import { agentFields, agentTable } from './agent-views'
import { attemptList, conversationText, questionTable } from './attempt-views'
import { countsText, epicFields, epicTable } from './epic-views'
import { logLine } from './log-lines'
import { taskTree } from './task-tree'
import { dependencyTable, taskTable, taskView } from './task-views'

const WIDE = { now: NOW, columns: 0 }
const HOSTILE = '\u001b]0;owned\u0007\u001b[2J\u202egnp.exe\n\u0000end'

describe('the list of tasks', () => {
  const waiting = task({
    id: taskId('t-0a1b2c3d'),
    status: 'pending',
    waitingFor: 'dependency',
    priority: 100,
    attemptCount: 0,
    costUsd: null,
    agentId: null,
    agentName: null,
    project: null,
    dir: null,
  })
  test('is dense, and says what a task waits for or who paused it', () => {
    const paused = task({ status: 'paused', pausedBy: 'person', attemptCount: 12, updatedAt: secondsAgo(7_200) })
    expect(taskTable([task(), waiting, paused], WIDE)).toBe(
      [
        'ID          STATUS                PRI  AGE  TRIES   COST  AGENT  PROJECT  TITLE',
        't-7f3k9q2m  in_progress            50   5s      1  $0.12  desk   shop     Fix the login redirect',
        't-0a1b2c3d  pending (dependency)  100   5s      -      -  -      -        Fix the login redirect',
        't-7f3k9q2m  paused (person)        50   2h     12  $0.12  desk   shop     Fix the login redirect',
        '',
      ].join('\n'),
    )
  })
  test('names the agent CLI of each where there are several, and fits 80 columns still', () => {
    const several = [task({ agentCli: 'claude-code' }), task({ neededClis: ['codex'] })]
    const lines = taskTable(several, { now: NOW, columns: 80 }).split('\n')
    expect(lines[0]).toStartWith('ID          CLI          STATUS')
    expect(lines[1]).toContain('  claude-code  ')
    expect(lines[2]).toContain('  codex        ')
    for (const line of lines) expect(width(line)).toBeLessThanOrEqual(80)
    expect(taskTable(several.slice(0, 1), { ...WIDE, namesClis: true })).toContain('  claude-code  ')
  })
  test('fits the terminal and shows hostile titles as text', () => {
    const long = task({ title: `日本語${HOSTILE}`.repeat(20), agentName: HOSTILE })
    for (const line of taskTable([long], { now: NOW, columns: 100 }).split('\n')) {
      expect(width(line)).toBeLessThanOrEqual(100)
      for (const character of HOSTILE.match(/[^ -~]/gu) ?? []) expect(line).not.toContain(character)
    }
  })
})

describe('a task', () => {
  test('tells all that is known and leaves out what is not', () => {
    const text = taskView(
      task({
        parentTaskId: taskId('t-parent00'),
        continuity: 'continue',
        dependsOn: [taskId('t-a'), taskId('t-b')],
        maxCostUsd: 2.5,
        timeoutMs: 1_800_000,
        model: 'opus',
        worktree: { base: null },
      }),
      WIDE,
    )
    expect(text).toContain('status        in_progress\nreason        taken by desk\n')
    expect(text).toContain('parent        t-parent00 (continues its conversation)\ndepends on    t-a, t-b\n')
    expect(text).toContain('limits        model opus, $2.50, time limit 30m\nattempts      1 so far; 3 tries allowed\n')
    expect(text).toContain('worktree      created from HEAD\n')
    for (const absent of ['failure', 'finished', 'offered', 'epic', 'text\n', 'output', 'folder'])
      expect(text).not.toContain(absent)
  })
  test('says why it failed, and gives text, progress and output with their lines', () => {
    const text = taskView(
      task({
        status: 'failed',
        task: 'Fix the login redirect\n\n- keep the query',
        failureReason: 'no result: the process ended with 137',
        failureClass: 'crash',
        progress: 'half\nway',
        progressAt: secondsAgo(60),
        output: HOSTILE,
        finishedAt: secondsAgo(5),
        finishedBy: 'runner',
      }),
      WIDE,
    )
    expect(text).toContain('failure       no result: the process ended with 137 (crash)\n')
    expect(text).toContain(', by runner\n\ntext\nFix the login redirect\n\n- keep the query\n')
    expect(text).toEndWith('\nprogress, 1m ago\nhalf\nway\n\noutput\ngnp.exe\n\\x00end\n')
  })
  test('names who has to answer an offer, and until when', () => {
    expect(
      taskView(task({ status: 'offered', offeredTo: agentId('a-9'), offerExpiresAt: secondsAgo(-60) }), WIDE),
    ).toMatch(/offered to {4}a-9, until \d{4}-/)
  })
  test('depends on tasks that may be gone', () => {
    expect(
      dependencyTable(
        [
          { id: 't-a', status: 'failed', title: 'A' },
          { id: 't-b', status: null, title: null },
        ],
        WIDE,
      ),
    ).toBe('ID   STATUS  TITLE\nt-a  failed  A\nt-b  gone    -\n')
  })
})

describe('an attempt', () => {
  test('says how it got its conversation and why no better way was taken', () => {
    const older = sessionId('11111111-5b1d-4c7e-9a55-0d6f3a1b2c3d')
    const words = conversationText(
      conversation({
        rung: 'preamble',
        resumedSessionId: older,
        whyNot: [
          { rung: 'native', reason: 'transcript_missing', detail: null },
          { rung: 'restored', reason: 'not_recorded', detail: 'the record does not hold it' },
        ],
      }),
    )
    expect(words).toEqual([
      'preamble: session 3f2a9c1e-5b1d-4c7e-9a55-0d6f3a1b2c3d is new and received a summary of 11111111-5b1d-4c7e-9a55-0d6f3a1b2c3d',
      'not native: transcript missing',
      'not restored: the record does not hold it',
    ])
    expect(conversationText(conversation())[0]).toStartWith('native: resumed session 3f2a9c1e')
    expect(conversationText(conversation({ rung: 'restored' }))[0]).toContain('restored from the record')
    expect(conversationText(conversation({ rung: 'snapshot', forkPoint: 'u1', resumedSessionId: older }))[0]).toEndWith(
      'starts with a copy of 11111111-5b1d-4c7e-9a55-0d6f3a1b2c3d up to u1',
    )
    expect(conversationText(conversation({ rung: 'fresh', resumedSessionId: null }))[0]).toEndWith('is new')
  })
  test('is told in a block of lines, the newest last', () => {
    const ended = attempt({
      isLive: false,
      outcome: 'failed',
      endedAt: secondsAgo(200),
      failureClass: 'overloaded',
      failureReason: 'API Error: 529',
      exitCode: 1,
      numTurns: 3,
      branch: 'lode/t-7f3k9q2m',
      base: 'abc123',
      costUsd: 0.05,
    })
    expect(attemptList([ended, attempt({ number: 2, conversation: null })], WIDE)).toBe(
      [
        '#1  failed  desk on desk.local  5m, took 1m  $0.05',
        '    native: resumed session 3f2a9c1e-5b1d-4c7e-9a55-0d6f3a1b2c3d',
        '    assignment: any worker: the first that was free',
        '    in /home/ann/shop, branch lode/t-7f3k9q2m from abc123',
        '    failed: API Error: 529 (overloaded)',
        '    exit code 1, 3 turns',
        '#2  live  desk on desk.local  5m, took 5m',
        '    assignment: any worker: the first that was free',
        '    in /home/ann/shop',
        '    process 4711, CLI 2.1.328',
        '',
      ].join('\n'),
    )
  })
})

test('questions say what is asked, how long is left, and what happens then', () => {
  const answered = question({
    status: 'answered',
    answer: { behavior: 'deny', message: null },
    input: { x: HOSTILE },
    toolName: HOSTILE,
  })
  const dangers = [{ kind: 'destroys' as const, why: 'removes files', part: 'rm -rf build' }]
  expect(questionTable([question({ dangers }), answered], true, WIDE)).toBe(
    [
      'ID          TASK        STATUS          AGE           LEFT  TOOL             DANGER    ASKS FOR',
      'q-1a2b3c4d  t-7f3k9q2m  open             1m  4m, then deny  Bash             destroys  rm -rf build',
      'q-1a2b3c4d  t-7f3k9q2m  answered: deny   1m              -  gnp.exe \\x00end  -         {"x":"\\u001b]0;owned\\u0007\\u001b[2Jgnp.exe\\n\\u0000end"}',
      '',
    ].join('\n'),
  )
})

test('the cost of a task is marked where it is an estimate', () => {
  const estimate = { ...task({ costUsd: 1.2 }), isEstimate: true }
  expect(taskTable([estimate], WIDE)).toContain('  ~$1.20  ')
  expect(taskView(estimate, { ...WIDE, isRecorded: true })).toContain('~$1.20 (an estimate)\n')
  expect(taskTree({ ...taskNode({}), task: estimate, children: [] }, WIDE)).toContain('  ~$1.20  ')
  expect(taskTable([task({ costUsd: 1.2 })], WIDE)).not.toContain('~')
})

describe('the tree of a task', () => {
  const tree = taskNode({ id: taskId('t-root'), status: 'completed', costUsd: 1.2 }, [
    taskNode({ id: taskId('t-a'), parentTaskId: taskId('t-root'), continuity: 'continue', title: HOSTILE }, [
      taskNode({ id: taskId('t-deep'), parentTaskId: taskId('t-a'), status: 'failed', costUsd: null }),
    ]),
    taskNode({ id: taskId('t-b'), parentTaskId: taskId('t-root'), status: 'pending', waitingFor: 'parent' }),
  ])
  test('draws children below their parent, and marks new conversations', () => {
    expect(taskTree(tree, WIDE)).toBe(
      [
        't-root  completed  Fix the login redirect  $1.20  5s',
        '|- t-a  in_progress  gnp.exe \\x00end  $0.12  5s',
        '|  `- t-deep  failed  Fix the login redirect  new conversation  5s',
        '`- t-b  pending (parent)  Fix the login redirect  new conversation  $0.12  5s',
        '',
      ].join('\n'),
    )
  })
  test('cuts titles to the terminal, and is drawn whatever its depth', () => {
    for (const line of taskTree(tree, { now: NOW, columns: 60 }).split('\n'))
      expect(width(line)).toBeLessThanOrEqual(70)
    let deep = taskNode({})
    for (let i = 0; i < 3_000; i++) deep = taskNode({}, [deep])
    expect(taskTree(deep, WIDE).split('\n').length).toBe(3_002)
  })
})

describe('a line of the log', () => {
  test('is one line, cut to the terminal, unless it is wanted in full', () => {
    const hostile = logEntry({ kind: 'text', text: `one\n${HOSTILE}` })
    expect(logLine(hostile, { columns: 0, isFull: false })).toMatch(
      /^\d\d:\d\d:\d\d {2}agent {3}one gnp\.exe \\x00end\n$/,
    )
    expect(logLine(hostile, { columns: 0, isFull: true })).toMatch(
      /^\d\d:\d\d:\d\d {2}agent {3}one\n {18}gnp\.exe\n {18}\\x00end\n$/,
    )
    const cut = logLine(logEntry({ text: 'x'.repeat(500) }), { columns: 40, isFull: false })
    expect(cut).toMatch(/^\d\d:\d\d:\d\d {2}tool {4}x+\.\.\.\n$/)
    expect(width(cut.trimEnd())).toBe(40)
  })
})

test('agents show what they can do and what they run', () => {
  const limited = agent({
    name: 'b',
    status: 'offline',
    limitedUntil: secondsAgo(-600),
    capabilities: [],
    lastSeenAt: null,
  })
  expect(agentTable([agent(), limited], WIDE)).toBe(
    [
      'ID          NAME  KIND    STATUS            SEEN  RUNNING  HOST        AGENT CLIS   CAPABILITIES',
      'a-0a1b2c3d  desk  worker  online              2s      1/2  desk.local  claude-code  docker, gpu',
      'a-0a1b2c3d  b     worker  offline, limited     -      1/2  desk.local  claude-code  -',
      '',
    ].join('\n'),
  )
  expect(agentFields(limited, NOW)).toMatch(/limited {5}by a usage limit, until \d{4}-/)
})

test('epics show how much of them is done', () => {
  const counts = { completed: 2, failed: 1, in_progress: 1 }
  expect(epicTable([{ epic: epic(), counts }], WIDE)).toBe(
    'ID       STATUS  PRI  AGE  DONE  TITLE\nld-3k9q  open      1   1m   2/4  Move to the new parser\n',
  )
  expect(epicFields({ epic: epic(), counts }, NOW)).toContain('tasks     4 (1 in_progress, 2 completed, 1 failed)\n')
  expect(countsText({})).toBe('0')
})
