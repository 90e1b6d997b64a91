import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { TodoChange } from '../record/observation'
import { foldTodos } from './todo'
import type { TodoStep } from './todo-step'

const step = (at: number, ...parts: TodoChange[]): TodoStep => ({ toolUseId: `toolu_${at}`, at, node: null, parts })
const snapshot = (...items: [string, 'pending' | 'in_progress' | 'completed'][]): TodoChange => ({
  op: 'snapshot',
  items: items.map(([content, status]) => ({ content, status })),
})
const shown = (steps: TodoStep[]) =>
  foldTodos('list', steps).items.map(({ content, status }) => `${content}: ${status}`)

test('an item keeps its id while its status changes and while it moves', () => {
  const { items: before } = foldTodos('list', [step(1, snapshot(['a', 'pending'], ['b', 'pending']))])
  const { items: after } = foldTodos('list', [
    step(1, snapshot(['a', 'pending'], ['b', 'pending'])),
    step(2, snapshot(['b', 'in_progress'], ['a', 'completed'])),
  ])
  const ids = (items: typeof before) => Object.fromEntries(items.map(({ content, id }) => [content, id]))
  expect(ids(after)).toEqual(ids(before))
  expect(after.map(({ content, ordinal, status }) => [content, ordinal, status])).toEqual([
    ['a', 1, 'completed'],
    ['b', 0, 'in_progress'],
  ])
})

test('what vanishes is kept as removed, unless it was completed', () => {
  const steps = [
    step(1, snapshot(['done', 'completed'], ['dropped', 'pending'])),
    step(2, snapshot(['new', 'pending'])),
  ]
  expect(shown(steps)).toEqual(['done: completed', 'dropped: removed', 'new: pending'])
})

test('equal words twice are two items', () => {
  const { items } = foldTodos('list', [step(1, snapshot(['same', 'pending'], ['same', 'completed']))])
  const [first, second] = items
  expect([first?.status, second?.status]).toEqual(['pending', 'completed'])
  expect(first?.id).not.toBe(second?.id)
})

test('a task is there once its number is known, with what the call said besides', () => {
  const call: TodoChange = { op: 'create_input', subject: 'Read', description: 'all of it', activeForm: 'Reading' }
  expect(shown([step(1, call)])).toEqual([])
  const [item] = foldTodos('list', [step(1, call, { op: 'create', nativeId: '1', subject: 'Read' })]).items
  expect(item).toMatchObject({ id: 'list/1', content: 'Read', description: 'all of it', activeForm: 'Reading' })
})

test('an update counts only when its answer says success', () => {
  const create = step(1, { op: 'create', nativeId: '1', subject: 'Read' })
  const update: TodoChange = { op: 'update', nativeId: '1', status: 'completed' }
  expect(shown([create, step(2, update)])).toEqual(['Read: pending'])
  const refused: TodoChange = { op: 'update_result', nativeId: '1', isSuccess: false }
  expect(shown([create, step(2, update, refused)])).toEqual(['Read: pending'])
  const taken: TodoChange = { op: 'update_result', nativeId: '1', isSuccess: true }
  expect(shown([create, step(2, update, taken)])).toEqual(['Read: completed'])
})

test('blockers are kept from both sides, and a listing adds what was missed', () => {
  const { items } = foldTodos('list', [
    step(1, { op: 'create', nativeId: '1', subject: 'a' }),
    step(2, { op: 'create', nativeId: '2', subject: 'b' }),
    step(3, { op: 'update', nativeId: '1', addBlocks: ['2'] }, { op: 'update_result', nativeId: '1', isSuccess: true }),
    step(4, {
      op: 'list',
      items: [
        { nativeId: '1', subject: 'a', status: 'completed' },
        { nativeId: '3', subject: 'c', status: 'pending', blockedBy: ['1'] },
      ],
    }),
  ])
  expect(items.map(({ nativeId, blockedBy, status }) => [nativeId, blockedBy, status])).toEqual([
    ['1', [], 'completed'],
    ['2', ['1'], 'removed'],
    ['3', ['1'], 'pending'],
  ])
})

test("the CLI's own file of an item only fills what the calls leave unknown", () => {
  const file: TodoStep = {
    toolUseId: 'file:1',
    at: null,
    node: null,
    parts: [{ op: 'item', nativeId: '1', subject: 'old', status: 'pending', description: 'from the file' }],
  }
  const create = step(5, { op: 'create', nativeId: '1', subject: 'new' })
  expect(foldTodos('list', [create, file]).items[0]).toMatchObject({
    content: 'new',
    description: 'from the file',
    createdAt: 5,
  })
})

const change = fc.oneof(
  fc
    .array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('pending', 'in_progress', 'completed')), {
      maxLength: 5,
    })
    .map((items) => snapshot(...(items as [string, 'pending'][]))),
  fc.record({ op: fc.constant('create'), nativeId: fc.constantFrom('1', '2', '3'), subject: fc.string() }),
  fc.record({
    op: fc.constant('list'),
    items: fc.array(
      fc.record({ nativeId: fc.constantFrom('1', '2', '3'), subject: fc.string(), status: fc.constant('pending') }),
    ),
  }),
) as fc.Arbitrary<TodoChange>

test('steps in any order and from any number of tries fold to the same list, with ids of their own', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (changes, keys) => {
      const steps = changes.map((part, at) => step(at, part))
      const mixed = steps
        .map((item) => [keys.next().value as number, item] as const)
        .sort(([a], [b]) => a - b)
        .map(([, item]) => item)
      const { items } = foldTodos('list', steps)
      expect(foldTodos('list', mixed).items).toEqual(items)
      expect(new Set(items.map((item) => item.id)).size).toBe(items.length)
    }),
    { numRuns: 1_000 },
  )
})
