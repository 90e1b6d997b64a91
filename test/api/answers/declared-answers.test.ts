import { expect, test } from 'bun:test'
import * as z from 'zod/mini'
import { problemsOf } from './declared-answers'

const Tree = z.object({
  name: z.string(),
  kind: z.optional(z.nullable(z.discriminatedUnion('is', [z.object({ is: z.literal('a'), x: z.int() })]))),
  byKey: z.record(z.string(), z.object({ n: z.int() })),
  free: z.unknown(),
  get children() {
    return z.array(Tree)
  },
})
const leaf = { name: 'leaf', byKey: {}, free: null, children: [] }

test('an answer with a field too many, too few or of another type is none, however deep it is', () => {
  expect(problemsOf(Tree, { ...leaf, children: [leaf] })).toEqual([])
  expect(problemsOf(Tree, { ...leaf, free: { any: 'thing' } })).toEqual([])
  expect(problemsOf(Tree, { ...leaf, extra: 1 })).toEqual(['.extra is not declared'])
  expect(problemsOf(Tree, { ...leaf, children: [leaf, { ...leaf, more: 1 }] })).toEqual([
    '.children[1].more is not declared',
  ])
  expect(problemsOf(Tree, { ...leaf, byKey: { k: { n: 1, m: 2 } } })).toEqual(['.byKey.k.m is not declared'])
  expect(problemsOf(Tree, { ...leaf, kind: { is: 'a', x: 1, y: 2 } })).toEqual(['.kind.y is not declared'])
  const { name: _name, ...unnamed } = leaf
  expect(problemsOf(Tree, { ...leaf, children: [unnamed] })[0]).toStartWith('.children.0.name ')
  expect(problemsOf(Tree, { ...leaf, name: 7 })[0]).toStartWith('.name ')
  expect(problemsOf(null, {})).toHaveLength(1)
})
