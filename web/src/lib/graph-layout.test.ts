import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { layoutGraph, NODE_HEIGHT, NODE_WIDTH, spread } from './graph-layout'

const firm = (from: string, to: string) => ({ from, to, isLoose: false })

test('what is needed stands left of what needs it, however long the chain', () => {
  const { places } = layoutGraph(['c', 'b', 'a', 'x'], [firm('a', 'b'), firm('b', 'c'), firm('x', 'c')])
  const x = (id: string) => places.get(id)?.x ?? Number.NaN
  expect(x('a')).toBeLessThan(x('b'))
  expect(x('b')).toBeLessThan(x('c'))
  expect(x('x')).toBe(x('b'))
})

test('a chain of ten thousand and a circle are laid out', () => {
  const ids = Array.from({ length: 10_000 }, (_, at) => `n${at}`)
  const chain = ids.slice(1).map((id, at) => firm(`n${at}`, id))
  expect(layoutGraph(ids, chain).places.get('n9999')?.layer).toBe(9_999)
  const circle = layoutGraph(['a', 'b', 'c'], [firm('a', 'b'), firm('b', 'c'), firm('c', 'a')])
  expect(new Set([...circle.places.values()].map(({ layer }) => layer))).toEqual(new Set([0, 1, 2]))
})

test('no two nodes ever stand on one another, and all have a place', () => {
  const graph = fc.integer({ min: 1, max: 40 }).chain((count) =>
    fc.record({
      count: fc.constant(count),
      edges: fc.array(fc.tuple(fc.nat({ max: count - 1 }), fc.nat({ max: count - 1 }), fc.boolean()), {
        maxLength: 80,
      }),
    }),
  )
  fc.assert(
    fc.property(graph, ({ count, edges }) => {
      const ids = Array.from({ length: count }, (_, at) => `n${at}`)
      const { places, width, height } = layoutGraph(
        ids,
        edges.flatMap(([from, to, isLoose]) => (from === to ? [] : [{ from: `n${from}`, to: `n${to}`, isLoose }])),
      )
      expect(places.size).toBe(count)
      const all = [...places.values()]
      for (const [at, one] of all.entries()) {
        expect(one.x).toBeGreaterThanOrEqual(0)
        expect(one.x + NODE_WIDTH).toBeLessThanOrEqual(width + 0.01)
        expect(one.y).toBeGreaterThanOrEqual(-0.01)
        expect(one.y + NODE_HEIGHT).toBeLessThanOrEqual(height + 0.01)
        for (const other of all.slice(at + 1))
          expect(
            Math.abs(one.x - other.x) >= NODE_WIDTH - 0.01 || Math.abs(one.y - other.y) >= NODE_HEIGHT - 0.01,
          ).toBe(true)
      }
    }),
    { numRuns: 60 },
  )
})

test('an edge over several layers goes round the nodes between', () => {
  const { places, bends } = layoutGraph(['a', 'b', 'c'], [firm('a', 'b'), firm('b', 'c'), firm('a', 'c')])
  const [bend, ...more] = bends.get('a c') ?? []
  const b = places.get('b')
  expect(more).toEqual([])
  expect(bend?.x).toBe((b?.x ?? 0) + NODE_WIDTH / 2)
  const isClear = (bend?.y ?? 0) < (b?.y ?? 0) || (bend?.y ?? 0) > (b?.y ?? 0) + NODE_HEIGHT
  expect(isClear).toBe(true)
})

test('places that collide share their mean', () => {
  expect(spread([0, 500])).toEqual([0, 500])
  const [first = 0, second = 0] = spread([100, 100])
  expect((first + second) / 2).toBe(100)
  expect(second - first).toBeGreaterThan(NODE_HEIGHT)
})
