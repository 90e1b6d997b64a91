import { expect, test } from 'bun:test'
import { issueId } from '#domain/ids'
import { type GraphIssue, graphOf } from './issue-graph'

const edge = (from: string, to: string, type: string) => ({
  issueId: issueId(from),
  dependsOnId: issueId(to),
  type,
  createdAt: '',
  createdBy: null,
  metadata: '{}',
  threadId: null,
})
const issue = (id: string, ...needs: [string, string?][]): GraphIssue => ({
  id: issueId(id),
  title: id,
  status: 'open',
  priority: 2,
  issueType: 'task',
  isBlocked: false,
  closedAt: null,
  dependencies: needs.map(([to, type = 'blocks']) => edge(id, to, type)),
})
const all = [
  issue('a'),
  issue('b', ['a'], ['gone']),
  issue('c', ['b', 'parent-child']),
  issue('d', ['c', 'related']),
  issue('alone'),
]
const ids = (graph: ReturnType<typeof graphOf>) => graph.nodes.map(({ id }) => String(id))

test('edges lead from what is needed to what needs it, and say what they mean', () => {
  const graph = graphOf(all, { reach: 2, withAlone: false })
  expect(graph.edges.map(({ from, to, kind }) => `${from} ${kind} ${to}`)).toEqual([
    'a blocks b',
    'b parent c',
    'c related d',
  ])
  expect(ids(graph)).toEqual(['a', 'b', 'c', 'd'])
  expect(graph).toMatchObject({ aloneCount: 1, outsideCount: 1 })
  expect(ids(graphOf(all, { reach: 2, withAlone: true }))).toContain('alone')
})

test('a neighbourhood is what is so many steps away', () => {
  expect(ids(graphOf(all, { focus: 'a', reach: 1, withAlone: false }))).toEqual(['a', 'b'])
  expect(ids(graphOf(all, { focus: 'b', reach: 2, withAlone: false }))).toEqual(['a', 'b', 'c', 'd'])
  expect(ids(graphOf(all, { focus: 'alone', reach: 3, withAlone: false }))).toEqual(['alone'])
  expect(ids(graphOf(all, { focus: 'nowhere', reach: 1, withAlone: false }))).toEqual(['a', 'b', 'c', 'd'])
})
