import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type IssueId, issueId } from '../ids'
import { blockingTargets, circleOf, issueCycles } from './issue-cycles'
import type { IssueNode } from './issue-edges'

const node = (id: string, ...edges: [string, string][]): IssueNode => ({
  id: issueId(id),
  dependencies: edges.map(([type, to]) => ({ type, dependsOnId: issueId(to) })),
})

test('a circle is found over every edge that blocks, parents included, and over no other', () => {
  expect(
    issueCycles([
      node('a', ['blocks', 'b']),
      node('b', ['waits-for', 'c']),
      node('c', ['conditional-blocks', 'a']),
    ]).join('|'),
  ).toBe('a,b,c,a')
  expect(issueCycles([node('p', ['blocks', 'k']), node('k', ['parent-child', 'p'])]).join('|')).toBe('k,p,k')
  expect(issueCycles([node('a', ['blocks', 'a'])]).join('|')).toBe('a,a')
  expect(issueCycles([node('a', ['related', 'b']), node('b', ['blocks', 'a'])])).toEqual([])
})

test('each knot gives one circle, and the circle is one', () => {
  const graph = fc
    .array(fc.array(fc.tuple(fc.constantFrom('blocks', 'parent-child', 'related'), fc.nat(9)), { maxLength: 2 }), {
      maxLength: 10,
    })
    .map((all) =>
      all.map((edges, n) => node(`x${n}`, ...edges.map(([type, to]): [string, string] => [type, `x${to}`]))),
    )
  fc.assert(
    fc.property(graph, (issues) => {
      const targets = blockingTargets(issues)
      const next = (id: IssueId) => targets.get(id) ?? []
      const circles = issueCycles(issues)
      const inCircles = new Set(circles.flat())
      for (const circle of circles) {
        expect(circle.at(0)).toBe(circle.at(-1) as IssueId)
        circle.slice(1).forEach((id, at) => {
          expect(next(circle[at] as IssueId)).toContain(id)
        })
      }
      for (const { id } of issues) {
        const own = next(id).some((target) => circleOf(id, target, next) !== null)
        if (!own) expect(inCircles.has(id)).toBe(false)
        if (own) expect(circles.some((circle) => circle.some((other) => reaches(id, other, next)))).toBe(true)
      }
      expect(circles.length > 0).toBe(issues.some(({ id }) => next(id).some((to) => circleOf(id, to, next) !== null)))
    }),
    { numRuns: 500 },
  )
})

function reaches(from: IssueId, to: IssueId, next: (id: IssueId) => readonly IssueId[]): boolean {
  const seen = new Set([from])
  for (const id of seen) for (const target of next(id)) seen.add(target)
  return seen.has(to)
}

test('a chain of fifty thousand is no trouble', () => {
  const issues = Array.from({ length: 50_000 }, (_, n) => node(`x${n}`, ['blocks', `x${n + 1}`]))
  expect(issueCycles(issues)).toEqual([])
  const targets = blockingTargets(issues)
  expect(circleOf(issueId('x50000'), issueId('x0'), (id) => targets.get(id) ?? [])?.length).toBe(50_002)
})
