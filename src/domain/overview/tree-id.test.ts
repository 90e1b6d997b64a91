import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { sessionId, subagentId, taskId, todoId, toolUseId } from '../ids'
import { readTreeId, type TreePlace, treeId } from './tree-id'

const id = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter((text) => text.isWellFormed())
const place: fc.Arbitrary<TreePlace> = fc.oneof(
  fc.constantFrom(null, 'a313fb5e47b2a2cf96be').map((key) => ({ kind: 'project' as const, key })),
  id.map((one) => ({ kind: 'task' as const, taskId: taskId(one) })),
  id.map((one) => ({ kind: 'session' as const, sessionId: sessionId(one) })),
  fc.tuple(id, id).map(([a, b]) => ({ kind: 'subagent' as const, sessionId: sessionId(a), subagentId: subagentId(b) })),
  fc.tuple(id, id).map(([a, b]) => ({ kind: 'tool' as const, sessionId: sessionId(a), toolUseId: toolUseId(b) })),
  fc.tuple(id, id).map(([a, b]) => ({ kind: 'todo' as const, sessionId: sessionId(a), todoId: todoId(b) })),
)

test("an entry's id is read as what it was made of, and goes into a URL as it is", () => {
  fc.assert(
    fc.property(place, (one) => {
      const text = treeId(one)
      expect(readTreeId(text)).toEqual(one)
      expect(text).toMatch(/^[A-Za-z0-9:/~._-]+$/)
    }),
  )
})

test('ids of honest programs stand in it as they are', () => {
  const place = { kind: 'subagent', sessionId: sessionId('s-1'), subagentId: subagentId('a17f') } as const
  expect(treeId(place)).toBe('subagent:s-1/a17f')
  expect(treeId({ kind: 'session', sessionId: sessionId('../x') })).toStartWith('session:~')
})

test('what was made by nobody is no id, and nothing has two', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const place = readTreeId(text)
      if (place !== undefined) expect(treeId(place)).toBe(text)
    }),
  )
  // The first would be a second id of `abc`, the second is no UTF-8.
  for (const text of [
    'session:~YWJj',
    'session:~_w',
    'session:',
    'task:a/b',
    'nothing:a',
    'session:a/b/c',
    'project:a/b',
  ])
    expect(readTreeId(text)).toBeUndefined()
})
