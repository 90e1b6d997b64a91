import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type IssueId, issueId } from '../ids'
import type { IssueDependency } from './issue'
import { compareReady, type ReadinessIssue, type ReadinessOptions, readinessOf, reasonText } from './issue-ready'
import { statusCatalog } from './issue-status'

const NOW = Date.parse('2026-06-01T00:00:00Z')
const statuses = statusCatalog([
  { name: 'triage', category: 'active' },
  { name: 'shipped', category: 'done' },
  { name: 'odd', category: null },
])

const edge = (from: string, to: string, type: string, metadata = '{}'): IssueDependency => ({
  issueId: issueId(from),
  dependsOnId: issueId(to),
  type,
  createdAt: '',
  createdBy: null,
  metadata,
  threadId: null,
})
const issue = (id: string, rest: Partial<ReadinessIssue> = {}): ReadinessIssue => ({
  id: issueId(id),
  status: 'open',
  priority: 2,
  issueType: 'task',
  createdAt: '2026-05-01T00:00:00Z',
  closeReason: null,
  deferUntil: null,
  dependencies: [],
  extra: {},
  ...rest,
})
const of = (...issues: ReadinessIssue[]) => readinessOf(issues, { nowMs: NOW })
const why = (issues: ReadinessIssue[], id: string, options: Partial<ReadinessOptions> = {}) =>
  readinessOf(issues, { nowMs: NOW, ...options })
    .explain(issueId(id))
    .map(reasonText)

/**
 * The rule once more, slowly and plainly: an issue at a time, by following edges with no memory.
 */
function isPlainlyReady(all: readonly ReadinessIssue[], one: ReadinessIssue, options: ReadinessOptions): boolean {
  const bd = options.rule === 'bd'
  const done = (status: string) => ['closed', 'tombstone', 'shipped', 'pinned'].includes(status)
  const get = (id: string) => all.find((other) => other.id === id)
  const parents = (child: ReadinessIssue): string[] => {
    const edges = child.dependencies.filter(({ type }) => type === 'parent-child').map(({ dependsOnId }) => dependsOnId)
    const dot = child.id.lastIndexOf('.')
    return edges.length > 0 || bd || dot < 0 ? edges : [child.id.slice(0, dot)]
  }
  const holds = ({ type, dependsOnId, metadata }: IssueDependency): boolean => {
    if (type === 'waits-for') {
      const children = all.filter((other) => parents(other).includes(dependsOnId))
      const open = children.filter(({ status }) => !done(status))
      return metadata.includes('any-children') ? open.length === children.length && open.length > 0 : open.length > 0
    }
    if (type !== 'blocks' && type !== 'conditional-blocks') return false
    if (dependsOnId.startsWith('external:')) return !bd
    const by = get(dependsOnId)
    if (by === undefined) return false
    if (!done(by.status)) return true
    return type === 'conditional-blocks' && !bd && !/failed|aborted/.test(by.closeReason ?? '')
  }
  const isBlocked = (it: ReadinessIssue, seen: readonly string[]): boolean => {
    if (done(it.status) || seen.includes(it.id)) return false
    if (it.dependencies.some(holds)) return true
    return parents(it).some((id) => {
      const parent = get(id)
      return parent !== undefined && isBlocked(parent, [...seen, it.id])
    })
  }
  const later = (time: string | null | undefined) => typeof time === 'string' && Date.parse(time) > NOW
  return (
    (bd ? one.status === 'open' : ['open', 'triage'].includes(one.status)) &&
    !['merge-request', 'gate', 'molecule', 'message', 'agent', 'role', 'rig'].includes(one.issueType) &&
    one.extra.pinned !== true &&
    one.extra.ephemeral !== true &&
    !options.claimed?.has(one.id) &&
    !later(one.deferUntil) &&
    !parents(one).some((id) => later(get(id)?.deferUntil)) &&
    !isBlocked(one, [])
  )
}

const tracker: fc.Arbitrary<ReadinessIssue[]> = fc
  .array(
    fc.record({
      status: fc.constantFrom(
        'open',
        'open',
        'open',
        'in_progress',
        'closed',
        'deferred',
        'pinned',
        'triage',
        'shipped',
        'odd',
        'tombstone',
      ),
      priority: fc.nat(4),
      issueType: fc.constantFrom('task', 'task', 'epic', 'gate'),
      createdAt: fc.constantFrom('2026-05-01T00:00:00Z', '2026-05-01T02:00:00.5+02:00', '2026-05-02T00:00:00Z'),
      closeReason: fc.constantFrom(null, 'done', 'failed: no'),
      deferUntil: fc.constantFrom(null, null, '2026-05-01T00:00:00Z', '2027-01-01T00:00:00Z'),
      edges: fc.array(
        fc.tuple(
          fc.nat(14),
          fc.constantFrom('blocks', 'parent-child', 'parent-child', 'conditional-blocks', 'waits-for', 'related'),
          fc.constantFrom('{}', '{"gate":"any-children"}', 'no json'),
        ),
        { maxLength: 2 },
      ),
      extra: fc.constantFrom({}, {}, {}, { pinned: true }, { ephemeral: true }),
    }),
    { maxLength: 12 },
  )
  .map((all) => {
    const id = (n: number) =>
      n === 13 ? 'external:other:api' : n % 4 === 3 ? `x-${n - 3}.1` : n % 4 === 2 ? `x-${n - 2}.1.1` : `x-${n}`
    return all.map(({ edges, ...rest }, n) =>
      issue(id(n), { ...rest, dependencies: edges.map(([to, type, metadata]) => edge(id(n), id(to), type, metadata)) }),
    )
  })

test.each(['documented', 'bd'] as const)('what is ready by the rule "%s" is what the plain definition says', (rule) => {
  fc.assert(
    fc.property(tracker, fc.nat(11), (issues, claimedAt) => {
      const claimed = new Set<IssueId>(issues.slice(claimedAt, claimedAt + 1).map(({ id }) => id))
      const options = { nowMs: NOW, statuses, rule, claimed }
      const fast = readinessOf(issues, options)
      const plain = issues.filter((one) => isPlainlyReady(issues, one, options)).sort(compareReady)
      expect(fast.ready().map(({ id }) => id)).toEqual(plain.map(({ id }) => id))
      for (const { id } of issues) expect(fast.isReady(id)).toBe(fast.explain(id).length === 0)
    }),
    { numRuns: 1_000 },
  )
})

describe('ready', () => {
  test('is in order of priority, newest first, then id', () => {
    const all = of(
      issue('x-c', { priority: 1 }),
      issue('x-b', { priority: 1 }),
      issue('x-new', { priority: 1, createdAt: '2026-05-01T00:00:00.000000001Z' }),
      issue('x-p0', { priority: 0 }),
    )
    expect(all.ready().map(({ id }) => id as string)).toEqual(['x-p0', 'x-new', 'x-b', 'x-c'])
  })

  test('leaves children of an open parent alone and blocks those of a blocked one at any depth', () => {
    const issues = [
      issue('x-block'),
      issue('x-open'),
      issue('x-open.1'),
      issue('x-held', { dependencies: [edge('x-held', 'x-block', 'blocks')] }),
      issue('x-held.1'),
      issue('x-deep', { dependencies: [edge('x-deep', 'x-held.1', 'parent-child')] }),
    ]
    expect(why(issues, 'x-open.1')).toEqual([])
    expect(why(issues, 'x-held')).toEqual(['x-block blocks it and is open'])
    expect(why(issues, 'x-deep')).toEqual(['its parent x-held.1 is blocked'])
    expect(readinessOf(issues, { nowMs: NOW }).blockers(issueId('x-held')).join()).toBe('x-block')
  })

  test('differs from bd where its documents do: conditions, things outside, custom statuses, children by name', () => {
    const issues = [
      issue('x-a', { status: 'closed', closeReason: 'done' }),
      issue('x-b', { dependencies: [edge('x-b', 'x-a', 'conditional-blocks')] }),
      issue('x-c', { dependencies: [edge('x-c', 'external:p:api', 'blocks')] }),
      issue('x-d', { status: 'triage' }),
      issue('x-e', { dependencies: [edge('x-e', 'x-d', 'blocks')] }),
      issue('x-e.1'),
    ]
    const ready = (rule: 'documented' | 'bd') =>
      readinessOf(issues, { nowMs: NOW, statuses, rule })
        .ready()
        .map(({ id }) => id as string)
    expect(ready('documented')).toEqual(['x-d'])
    expect(ready('bd')).toEqual(['x-b', 'x-c', 'x-e.1'])
  })

  test('says each reason, and keeps a deferred blocker a blocker', () => {
    const issues = [
      issue('x-late', { status: 'deferred' }),
      issue('x-1', {
        status: 'in_progress',
        deferUntil: '2027-01-01T00:00:00Z',
        extra: { pinned: true },
        dependencies: [edge('x-1', 'x-late', 'blocks'), edge('x-1', 'x-gone', 'blocks')],
      }),
    ]
    expect(why(issues, 'x-1', { claimed: new Set([issueId('x-1')]) })).toEqual([
      'its status is in_progress',
      'it is pinned',
      'it is claimed',
      'it is deferred until 2027-01-01T00:00:00Z',
      'x-late blocks it and is deferred',
    ])
    expect(why(issues, 'x-unknown')).toEqual([])
  })
})

test('a tracker of every plain case is ready and blocked as bd 1.0.5 was seen to say, in its order', () => {
  const status: Record<string, string> = { e: 'closed', k: 'closed', g: 'in_progress', l: 'deferred' }
  const needs: Record<string, string> = { b: 'a', d: 'e', h: 'b', i: 'ae', j: 'ek', m: 'l' }
  const others = {
    f: [edge('x-f', 'x-a', 'related'), edge('x-f', 'x-b', 'discovered-from'), edge('x-f', 'x-c', 'tracks')],
  }
  const issues = [...'abcdefghijklm'].map((name, at) =>
    issue(`x-${name}`, {
      status: status[name] ?? 'open',
      priority: name === 'c' ? 1 : 2,
      createdAt: `2026-05-01T00:00:${10 + at}Z`,
      dependencies:
        name === 'f' ? others.f : [...(needs[name] ?? '')].map((to) => edge(`x-${name}`, `x-${to}`, 'blocks')),
    }),
  )
  for (const rule of ['documented', 'bd'] as const) {
    const readiness = readinessOf(issues, { nowMs: NOW, rule })
    expect(readiness.ready().map(({ id }) => id as string)).toEqual(['x-c', 'x-j', 'x-f', 'x-d', 'x-a'])
    const blocked = issues
      .filter(({ id }) => readiness.isBlocked(id))
      .map(({ id }) => `${id} ${readiness.blockers(id)}`)
    expect(blocked).toEqual(['x-b x-a', 'x-h x-b', 'x-i x-a', 'x-m x-l'])
  }
})
