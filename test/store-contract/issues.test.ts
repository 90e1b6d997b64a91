import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { issueId, type TrackerKey } from '../../src/domain/ids'
import type { FullIssue } from '../../src/domain/issue/issue'
import { readinessOf } from '../../src/domain/issue/issue-ready'
import type { Store } from '../../src/domain/store'
import { onEachDatabase } from './databases'
import { anIssue, edge, saved } from './issues-sample'

let trackers = 0
const newTracker = (store: Store): Promise<TrackerKey> =>
  store.write((tx) =>
    tx.issues.insertTracker({
      hostName: 'h',
      path: `/p/${++trackers}/issues.jsonl`,
      prefix: 'x',
      style: null,
      stamp: null,
      hash: null,
      formerStamp: null,
      statuses: [],
    }),
  )

const NOW = Date.parse('2026-06-01T00:00:00Z')

/** Saves an issue as it is to be, and works out what that blocks. */
const put = (store: Store, tracker: TrackerKey, issue: FullIssue) =>
  store.write(async (tx) => {
    const before = await tx.issues.find(tracker, issue.id)
    const former = await tx.issues.save(tracker, [saved(issue, { key: before?.key ?? null })])
    await tx.issues.refreshBlocked(tracker, [issue.id, ...former])
  })

onEachDatabase((database) => {
  test('keeps an issue with everything that it says', async () => {
    const { store } = database
    const tracker = await newTracker(store)
    const issue = anIssue({
      id: 'x-1',
      description: 'über\n"quoted" \u{1f600}',
      status: 'in_progress',
      priority: 0,
      estimatedMinutes: 30,
      createdAt: '2025-10-18T12:00:00.123456789+03:00',
      labels: ['b', 'a'],
      dependencies: [edge('x-1', 'x-9'), edge('x-1', 'x-0', 'parent-child')],
      comments: [{ id: '7', author: 'me', text: 'hello', createdAt: '2026-01-01T00:00:00Z' }],
      extra: { pinned: false, nested: { deep: [1, null] } },
    })
    await put(store, tracker, issue)
    const [found] = await store.issues.find(tracker, issue.id)
    expect(found).toMatchObject(issue)
    const page = await store.issues.list(tracker, {}, { limit: 10 })
    expect(page.rows[0]).toMatchObject({ ...issue, comments: [], dependencyCount: 1, commentCount: 1, parentId: 'x-0' })
    expect(page.total).toBe(1)
  })

  test('keeps equal ids of two trackers apart', async () => {
    const { store } = database
    const [one, other] = [await newTracker(store), await newTracker(store)]
    await put(store, one, anIssue({ id: 'same-1', title: 'one' }))
    await put(store, other, anIssue({ id: 'same-1', title: 'other' }))
    expect((await store.issues.find(one, issueId('same-1'))).map(({ title }) => title)).toEqual(['one'])
    expect((await store.issues.find(null, issueId('same-1'))).map(({ title }) => title)).toEqual(['one', 'other'])
  })

  test('finds ids by the part after the prefix and by beginnings', async () => {
    const { store } = database
    const tracker = await newTracker(store)
    for (const id of ['x-abcd', 'x-abce', 'x-abcd.1']) await put(store, tracker, anIssue({ id }))
    expect(await store.issues.match(tracker, 'abcd')).toEqual([issueId('x-abcd')])
    expect((await store.issues.match(tracker, 'abc')).sort()).toEqual(['x-abcd', 'x-abcd.1', 'x-abce'].map(issueId))
    expect(await store.issues.match(tracker, 'x-abcd')).toEqual([issueId('x-abcd')])
    expect(await store.issues.match(tracker, 'zzz')).toEqual([])
  })

  test('a gate that one child has passed holds up nobody, whatever else does', async () => {
    const { store } = database
    const tracker = await newTracker(store)
    const gate = edge('x-1', 'x-2', 'waits-for', '{"gate":"any-children"}')
    await put(store, tracker, anIssue({ id: 'x-1', dependencies: [gate, edge('x-1', 'x-3')] }))
    for (const id of ['x-2', 'x-2.1', 'x-2.2', 'x-3']) await put(store, tracker, anIssue({ id }))
    const told = async () => {
      const { blockedBy } = (await store.issues.blocked(tracker, 10)).find(({ id }) => id === 'x-1') ?? {}
      const row = await store.write((tx) => tx.issues.find(tracker, issueId('x-1')))
      return [blockedBy, row && (await store.write((tx) => tx.issues.blockers(row.key)))]
    }
    const [open, shut] = [['x-2.1', 'x-2.2', 'x-3'].map(issueId), ['x-3'].map(issueId)]
    expect(await told()).toEqual([open, open])
    await put(store, tracker, anIssue({ id: 'x-2.2', status: 'closed' }))
    expect(await told()).toEqual([shut, shut])
  })

  test('says what is ready and blocked exactly as the plain rule does, after any writes', async () => {
    const { store } = database
    const id = fc.integer({ min: 0, max: 7 }).map((n) => (n < 5 ? `x-${n}` : `x-0${'.1'.repeat(n - 4)}`))
    const target = fc.oneof({ weight: 8, arbitrary: id }, { weight: 1, arbitrary: fc.constant('external:p:c') })
    const write = fc.record({
      id,
      status: fc.constantFrom(
        'open',
        'open',
        'open',
        'closed',
        'in_progress',
        'deferred',
        'pinned',
        'odd',
        'tombstone',
      ),
      closeReason: fc.constantFrom(null, 'done', 'failed'),
      issueType: fc.constantFrom('task', 'task', 'epic', 'message'),
      deferUntil: fc.constantFrom(null, null, '2025-01-01T00:00:00Z', '2027-01-01T00:00:00Z'),
      priority: fc.integer({ min: 0, max: 4 }),
      extra: fc.constantFrom({}, {}, { pinned: true }, { ephemeral: true }),
      edges: fc.uniqueArray(
        fc.record({
          to: target,
          type: fc.constantFrom('blocks', 'parent-child', 'conditional-blocks', 'waits-for', 'related'),
          metadata: fc.constantFrom('{}', '{"gate":"any-children"}'),
        }),
        { maxLength: 3, selector: ({ to }) => to },
      ),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 12 }), async (writes) => {
        const tracker = await newTracker(store)
        const issues = new Map<string, FullIssue>()
        for (const { edges, ...given } of writes) {
          const dependencies = edges
            .filter(({ to }) => to !== given.id)
            .map(({ to, type, metadata }) => edge(given.id, to, type, metadata))
          const issue = anIssue({ ...given, dependencies })
          issues.set(issue.id, issue)
          await put(store, tracker, issue)
        }
        const plain = readinessOf([...issues.values()], { nowMs: NOW })
        const ready = await store.issues.ready(tracker, {}, 100, NOW)
        expect(ready.map((issue) => issue.id)).toEqual(plain.ready().map((issue) => issue.id))
        expect(await store.issues.countReady(tracker, {}, NOW)).toBe(ready.length)
        const all = await store.issues.list(tracker, { all: true }, { limit: 100 })
        for (const { id: one, isBlocked } of all.rows) expect([one, isBlocked]).toEqual([one, plain.isBlocked(one)])
        for (const { id: one, blockedBy } of await store.issues.blocked(tracker, 100))
          expect([one, blockedBy]).toEqual([one, [...plain.blockers(one)].sort()])
        await store.write((tx) => tx.issues.refreshBlocked(tracker, 'all'))
        const again = await store.issues.list(tracker, { all: true }, { limit: 100 })
        expect(again.rows.map(({ isBlocked }) => isBlocked)).toEqual(all.rows.map(({ isBlocked }) => isBlocked))
      }),
      { numRuns: database.kind === 'sqlite' ? 150 : 25 },
    )
  })
})
