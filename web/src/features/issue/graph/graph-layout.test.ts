import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { edgeKey, type Layout, type LayoutEdge, layoutGraph, NODE_HEIGHT, NODE_WIDTH } from './graph-layout'

/** As many as the page shows; the query that says so loads in a browser only. */
const MAX_GRAPH = 1_000

const firm = (from: string, to: string) => ({ from, to, isLoose: false })

test('what is needed stands left of what needs it, however long the chain', () => {
  const { places } = layoutGraph(['c', 'b', 'a', 'x'], [firm('a', 'b'), firm('b', 'c'), firm('x', 'c')])
  const x = (id: string) => places.get(id)?.x ?? Number.NaN
  expect(x('a')).toBeLessThan(x('b'))
  expect(x('b')).toBeLessThan(x('c'))
  expect(x('x')).toBe(x('b'))
})

test('a chain of as many as are shown and a circle are laid out', () => {
  const ids = Array.from({ length: MAX_GRAPH }, (_, at) => `n${at}`)
  const chain = ids.slice(1).map((id, at) => firm(`n${at}`, id))
  expect(layoutGraph(ids, chain).places.get(`n${MAX_GRAPH - 1}`)?.layer).toBe(MAX_GRAPH - 1)
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

test('a relation without an order does not move what has one', () => {
  const edges = [firm('a', 'b'), firm('b', 'c'), { from: 'c', to: 'a', isLoose: true }]
  const { places } = layoutGraph(['c', 'b', 'a'], edges)
  expect(['a', 'b', 'c'].map((id) => places.get(id)?.layer)).toEqual([0, 1, 2])
})

test('few edges cross where issues wait for some that were made shortly before', () => {
  // Numbers that look random and are the same each time.
  let seed = 7
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
    return seed / 0x7fffffff
  }
  const edges = new Map<string, LayoutEdge>()
  while (edges.size < 240) {
    const from = Math.floor(random() * 199)
    const edge = firm(`n${from}`, `n${Math.min(199, from + 1 + Math.floor(random() * random() * 30))}`)
    edges.set(edgeKey(edge), edge)
  }
  const ids = Array.from({ length: 200 }, (_, at) => `n${at}`)
  expect(crossings(layoutGraph(ids, [...edges.values()]), [...edges.values()])).toBeLessThan(350)
})

/** Pairs of edges' straight pieces that cross. */
function crossings({ places, bends }: Layout, edges: readonly LayoutEdge[]): number {
  const pieces = edges.flatMap((edge) => {
    const [from, to] = [places.get(edge.from), places.get(edge.to)]
    if (from === undefined || to === undefined) return []
    const [left, right] = from.x < to.x ? [from, to] : [to, from]
    const stops = [
      { x: left.x + NODE_WIDTH, y: left.y + NODE_HEIGHT / 2 },
      ...(bends.get(edgeKey(edge)) ?? []),
      { x: right.x, y: right.y + NODE_HEIGHT / 2 },
    ]
    return stops.slice(1).map((stop, at) => [stops[at] ?? stop, stop] as const)
  })
  type Point = { x: number; y: number }
  const side = (a: Point, b: Point, c: Point) => Math.sign((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x))
  let count = 0
  for (const [at, [a, b]] of pieces.entries())
    for (const [c, d] of pieces.slice(at + 1))
      if (side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0) count++
  return count
}
