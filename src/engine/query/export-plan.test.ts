import { expect, test } from 'bun:test'
import { sessionId } from '../../domain/ids'
import type { StoredJournal } from '../../domain/record/journal-store'
import { planExport } from './export-plan'

const id = sessionId('s1')
let nextKey = 1

function journal(
  kind: string,
  path: string,
  openedAt: string[] = ['2026-01-01'],
  subagentId: string | null = null,
  hostName = 'own',
): StoredJournal {
  const incarnations = openedAt.map((at, i) => ({
    id: nextKey++,
    number: openedAt.length - i,
    size: 10 * (openedAt.length - i),
    openedAt: at,
    closedAt: null,
    closeReason: null,
  }))
  return { id: nextKey++, kind, path, hostName, subagentId: subagentId as StoredJournal['subagentId'], incarnations }
}

const OWN = new Set(['own'])
const planOf = (journals: StoredJournal[], number?: number) => planExport(id, journals, number, OWN)
const paths = (journals: StoredJournal[], number?: number) =>
  planOf(journals, number).map(({ relativePath }) => relativePath)

test('the transcript and its sub-agents’ files keep the layout that the CLI reads', () => {
  expect(
    paths([
      journal('subagent', '/h/p/s1/subagents/agent-a.jsonl'),
      journal('subagent_meta', '/h/p/s1/subagents/agent-a.meta.json'),
      journal('transcript', '/h/p/s1.jsonl'),
      journal('subagent', '/h/p/agent-old.jsonl'),
      journal('stream', '/h/run.jsonl'),
      journal('tasks', '/h/tasks/s1/1.json'),
    ]),
  ).toEqual(['s1.jsonl', 's1/subagents/agent-a.jsonl', 's1/subagents/agent-a.meta.json', 'agent-old.jsonl'])
})

test('where the transcript was never recorded, its sub-agents’ files are given to who asks for a part', () => {
  const journals = [
    journal('subagent', '/h/p/s1/subagents/agent-a.jsonl'),
    journal('subagent_meta', '/h/p/s1/subagents/agent-a.meta.json'),
    journal('subagent', '/h/p/agent-old.jsonl'),
  ]
  expect(planExport(id, journals, undefined, OWN, true).map(({ relativePath }) => relativePath)).toEqual([
    's1/subagents/agent-a.jsonl',
    's1/subagents/agent-a.meta.json',
    's1/subagents/agent-old.jsonl',
  ])
  expect(() => planOf(journals)).toThrow('No transcript')
  expect(() => planExport(id, journals, 2, OWN, true)).toThrow('no incarnation 2')
  expect(() => planExport(id, [journal('stream', '/h/run.jsonl')], undefined, OWN, true)).toThrow('No transcript')
})

test('of two records of one file the one that holds the most leads, whichever was begun last', () => {
  const whole = journal('transcript', '/h/p/s1.jsonl', ['2026-01-02', '2026-01-01'])
  const half = journal('transcript', '/h/p/s1.jsonl', ['2026-03-01'], null, 'worker')
  const both = new Set(['own', 'worker'])
  for (const journals of [
    [whole, half],
    [half, whole],
  ])
    expect(planExport(id, journals, undefined, both)).toMatchObject([
      { incarnation: whole.incarnations[0]?.id, size: 20 },
    ])
  // What was before a file was begun anew is no part of it any more, however long it was.
  const rewritten = journal('transcript', '/h/p/s1.jsonl', ['2026-02-01', '2026-01-01'])
  const [newest, former] = rewritten.incarnations
  if (newest !== undefined && former !== undefined) [newest.size, former.size] = [5, 500]
  expect(planExport(id, [rewritten, half], undefined, both)).toMatchObject([{ incarnation: half.incarnations[0]?.id }])
})

test('of several places with as much the transcript begun last leads, and files beside it go before those from elsewhere', () => {
  const near = journal('subagent', '/new/p/s1/subagents/agent-a.jsonl')
  const far = journal('subagent', '/old/p/s1/subagents/agent-a.jsonl')
  const other = journal('subagent', '/old/p/s1/subagents/agent-b.jsonl')
  const plan = planOf([
    journal('transcript', '/old/p/s1.jsonl', ['2026-01-01']),
    far,
    other,
    journal('transcript', '/new/p/s1.jsonl', ['2026-02-01']),
    near,
  ])
  expect(plan.map(({ relativePath }) => relativePath)).toEqual([
    's1.jsonl',
    's1/subagents/agent-a.jsonl',
    's1/subagents/agent-b.jsonl',
  ])
  expect(plan[1]?.incarnation).toBe(near.incarnations[0]?.id)
})

test('the newest incarnation is written, or the one that is asked for', () => {
  const transcript = journal('transcript', '/p/s1.jsonl', ['2026-03-01', '2026-02-01', '2026-01-01'])
  expect(planOf([transcript])[0]?.size).toBe(30)
  expect(planOf([transcript], 1)[0]?.size).toBe(10)
  expect(() => planOf([transcript], 4)).toThrow('no incarnation 4')
})

test('without a transcript there is nothing to export, and it says why', () => {
  expect(() => planOf([])).toThrow('No transcript')
  expect(() => planOf([journal('subagent', '/p/s1/subagents/agent-a.jsonl')])).toThrow('No transcript')
})

test('what another machine wrote of the session leads only where its own machines have nothing', () => {
  const own = journal('transcript', '/h/p/s1.jsonl', ['2026-01-01'])
  const ownAgent = journal('subagent', '/h/p/s1/subagents/agent-a.jsonl')
  const foreign = journal('transcript', '/h/p/s1.jsonl', ['2026-09-09', '2026-08-08'], null, 'elsewhere')
  const foreignAgent = journal('subagent', '/h/p/s1/subagents/agent-a.jsonl', ['2026-09-09'], null, 'elsewhere')
  const plan = planOf([foreignAgent, foreign, own, ownAgent])
  expect(plan.map(({ incarnation }) => incarnation)).toEqual(
    [own, ownAgent].map((one) => one.incarnations[0]?.id as number),
  )
  expect(planOf([foreign])[0]?.incarnation).toBe(foreign.incarnations[0]?.id)
})

test('of several transcripts in one folder the largest leads, and the others stand beside it', () => {
  const whole = journal('transcript', '/h/chats/session-2026-01-01T00-00-s1.jsonl', ['2026-01-02', '2026-01-01'])
  const empty = journal('transcript', '/h/chats/session-2026-01-01T00-09-s1.jsonl', ['2026-01-09'])
  const elsewhere = journal('transcript', '/other/session-2026-01-01T00-00-s1.jsonl', ['2026-01-01'])
  const child = journal('subagent', '/h/chats/s1/agent.jsonl')
  const plan = planOf([elsewhere, whole, empty, child])
  expect(plan.map(({ relativePath, size }) => [relativePath, size])).toEqual([
    ['s1.jsonl', 20],
    ['session-2026-01-01T00-09-s1.jsonl', 10],
    ['s1/agent.jsonl', 10],
  ])
  expect(paths([whole, empty], 1)).toHaveLength(1)
  // A copy beside the file that has the session's own name.
  expect(
    paths([journal('transcript', '/h/p/copy.jsonl', ['2026', '2025']), journal('transcript', '/h/p/s1.jsonl')]),
  ).toEqual(['s1.jsonl'])
  expect(paths([journal('transcript', '/h/chats/session-2025-s1.json')])).toEqual(['s1.json'])
})
