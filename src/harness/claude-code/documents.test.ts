import { expect, test } from 'bun:test'
import type { JournalRef } from '../../domain/harness/harness'
import { claudeCode } from '.'

const META: JournalRef = {
  agent: 'claude-code',
  kind: 'subagent_meta',
  path: '/p/s/subagents/agent-a1b2c3d.meta.json',
  sessionId: 's',
  subagentId: 'a1b2c3d',
}
const TASK: JournalRef = {
  agent: 'claude-code',
  kind: 'tasks',
  path: '/c/tasks/list/2.json',
  sessionId: 'list',
  subagentId: null,
}
const parse = (ref: JournalRef, text: string) =>
  claudeCode.parseDocument(new TextEncoder().encode(text), { ref, offset: 0 }) ?? []

test('a meta file is the exact link of a sub-agent, and says that its last run is over', () => {
  const meta = {
    agentType: 'Explore',
    description: 'D',
    toolUseId: 'toolu_1',
    parentAgentId: 'a9',
    spawnDepth: 2,
    model: 'm',
    finished: true,
  }
  expect(parse(META, JSON.stringify(meta))).toEqual([
    { kind: 'kind', name: 'meta', isKnown: true },
    {
      kind: 'subagent',
      uuid: null,
      subagentId: 'a1b2c3d',
      toolUseId: 'toolu_1',
      evidence: 'meta',
      parentAgentId: 'a9',
      depth: 2,
      type: 'Explore',
      description: 'D',
      model: 'm',
      end: { status: 'completed', at: null, evidence: 'meta:finished' },
    },
  ])
})

test('half a file, which is being written, says nothing', () => {
  expect(parse(META, '{"agentType":"Exp')).toEqual([{ kind: 'kind', name: 'meta', isKnown: false }])
  expect(parse(TASK, '{"id":"2"')).toEqual([{ kind: 'kind', name: 'task', isKnown: false }])
})

test('the meta file of a fork that the CLI made for itself makes no sub-agent', () => {
  const ref = { ...META, subagentId: 'aside_question-5ce17f65' }
  expect(parse(ref, '{"agentType":"x","toolUseId":"toolu_1"}')).toContainEqual({
    kind: 'subagent',
    uuid: null,
    subagentId: 'aside_question-5ce17f65',
    isInternal: true,
  })
})

test('a task file is one item as it stands, keyed by its list and number', () => {
  const item = { id: '2', subject: 'S', description: 'D', status: 'in_progress', blocks: [], blockedBy: ['1'] }
  expect(parse(TASK, JSON.stringify(item))).toContainEqual({
    kind: 'todo',
    toolUseId: 'file:list/2.json',
    uuid: null,
    subagentId: null,
    at: null,
    change: { op: 'item', nativeId: '2', subject: 'S', description: 'D', status: 'in_progress', blockedBy: ['1'] },
  })
})

test('a file of the older to-dos, emptied once all is done, changes nothing', () => {
  expect(parse({ ...TASK, path: '/c/todos/s-agent-s.json' }, '[]')).toEqual([
    { kind: 'kind', name: 'todos', isKnown: true },
  ])
})

test('an item of a folder that names no session says which list it is of', () => {
  const item = JSON.stringify({ id: '2', subject: 'S', description: '', status: 'pending', blocks: [], blockedBy: [] })
  const found = (ref: JournalRef) => parse(ref, item).flatMap((seen) => (seen.kind === 'todo' ? [seen.nativeList] : []))
  expect(found({ ...TASK, path: '/c/tasks/my-list-1/2.json', sessionId: null })).toEqual(['my-list-1'])
  expect(found(TASK)).toEqual([undefined])
})
