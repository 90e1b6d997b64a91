import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { feedSeq, sessionId } from '../../domain/ids'
import type { FeedEntry } from '../contract/wire'
import { mergeChanges } from './merge-changes'

const entry = (seq: number, session: string, lists: string[] | null): FeedEntry => ({
  seq: feedSeq(seq),
  at: '2026-11-20T12:00:00.000Z',
  kind: lists === null ? 'events.recorded' : 'todo.updated',
  sessionId: sessionId(session),
  data: lists === null ? { count: 1 } : { lists },
})

/** A feed that is fed by hand. */
function handFeed() {
  const waiting: FeedEntry[] = []
  let wake = () => {}
  let isOver = false
  let closed = 0
  async function* entries(): AsyncGenerator<FeedEntry> {
    try {
      for (;;) {
        const next = waiting.shift()
        if (next !== undefined) yield next
        else if (isOver) return
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    } finally {
      closed++
    }
  }
  return {
    entries: entries(),
    give(...more: FeedEntry[]) {
      waiting.push(...more)
      wake()
    },
    end() {
      isOver = true
      wake()
    },
    closed: () => closed,
  }
}

async function all(entries: AsyncIterable<FeedEntry>): Promise<number[]> {
  const seqs: number[] = []
  for await (const { seq } of entries) seqs.push(seq)
  return seqs
}

async function* listed(entries: readonly FeedEntry[]): AsyncGenerator<FeedEntry> {
  yield* entries
}

test('of several changes of one list the last is given; other lists, sessions and kinds lose nothing', async () => {
  const entries = [
    entry(1, 'a', ['todo']),
    entry(2, 'b', ['todo']),
    entry(3, 'a', null),
    entry(4, 'a', ['todo']),
    entry(5, 'a', ['todo:x']),
    entry(6, 'a', ['todo']),
  ]
  expect(await all(mergeChanges(listed(entries), 60_000))).toEqual([2, 3, 5, 6])
})

test('an entry that names a list that no later one names stays', async () => {
  const entries = [entry(1, 'a', ['x', 'y']), entry(2, 'a', ['x']), entry(3, 'a', ['z']), entry(4, 'a', ['y', 'z'])]
  expect(await all(mergeChanges(listed(entries), 60_000))).toEqual([2, 4])
  expect(await all(mergeChanges(listed(entries.slice(0, 3)), 60_000))).toEqual([1, 2, 3])
})

test('a window of nothing merges nothing', async () => {
  expect(await all(mergeChanges(listed([entry(1, 'a', ['x']), entry(2, 'a', ['x'])]), 0))).toEqual([1, 2])
})

test('what is no to-do change passes at once while none waits before it', async () => {
  const feed = handFeed()
  const merged = mergeChanges(feed.entries, 60_000)
  feed.give(entry(1, 'a', null))
  expect((await merged.next()).value.seq).toBe(1)
  feed.give(entry(2, 'a', ['x']), entry(3, 'a', null))
  feed.end()
  expect(await all(merged)).toEqual([2, 3])
  expect(feed.closed()).toBe(1)
})

test('a list that changes all the time is given again after each window, without the feed ending', async () => {
  const feed = handFeed()
  const merged = mergeChanges(feed.entries, 40)
  const begin = performance.now()
  let seq = 0
  const giving = setInterval(() => feed.give(entry(++seq, 'a', ['x'])), 5)
  const first = await merged.next()
  const waitedMs = performance.now() - begin
  await merged.next()
  clearInterval(giving)
  feed.end()
  await all(merged)
  expect(first.value.seq).toBeGreaterThan(1)
  expect(waitedMs).toBeGreaterThanOrEqual(40)
})

test('a reader that stops early is not held up by a feed that is silent', async () => {
  const feed = handFeed()
  const merged = mergeChanges(feed.entries, 10)
  feed.give(entry(1, 'a', ['x']))
  for await (const { seq } of merged) {
    expect(seq).toBe(feedSeq(1))
    break
  }
  feed.end()
})

test('a failing feed gives what it had, then its error', async () => {
  async function* failing(): AsyncGenerator<FeedEntry> {
    yield entry(1, 'a', ['x'])
    throw new Error('gone')
  }
  const merged = mergeChanges(failing(), 60_000)
  expect((await merged.next()).value.seq).toBe(1)
  expect(merged.next()).rejects.toThrow('gone')
})

test('whatever comes: order is kept, other entries all pass, and the last word on each list is the last given', async () => {
  const change = fc.record({
    session: fc.constantFrom('a', 'b'),
    lists: fc.option(fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { minLength: 1, maxLength: 3 })),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 20 }), async (changes) => {
      const entries = changes.map(({ session, lists }, i) => entry(i + 1, session, lists))
      const given = await all(mergeChanges(listed(entries), 60_000))
      expect(given).toEqual(given.toSorted((a, b) => a - b))
      for (const { seq, kind } of entries) if (kind !== 'todo.updated') expect(given).toContain(seq)
      // Whoever stopped anywhere and goes on behind the last entry has heard of every list, or will.
      for (const { seq, sessionId: session, data } of entries.filter(({ kind }) => kind === 'todo.updated')) {
        for (const list of data.lists as string[]) {
          const telling = entries.filter(
            (one) => one.seq >= seq && one.sessionId === session && (one.data.lists as string[])?.includes(list),
          )
          expect(telling.some((one) => given.includes(one.seq))).toBe(true)
        }
      }
    }),
  )
})
