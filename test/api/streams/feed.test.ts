import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import fc from 'fast-check'
import { createClient } from '../../../src/api/client'
import type { FeedEntry } from '../../../src/domain/feed'
import { sessionId } from '../../../src/domain/ids'
import { idNumber } from '../../samples/sessions'
import { rawHttp } from '../callers/raw-http'
import { addFeed } from '../seed'
import { inProcess, overHttp, TOKEN } from '../start-api'
import { openTestStore, watchCalls } from '../test-store'

/** Follows until `count` entries came, or the feed ends. */
async function take(entries: AsyncIterable<FeedEntry>, count: number): Promise<FeedEntry[]> {
  const taken: FeedEntry[] = []
  for await (const entry of entries) if (taken.push(entry) === count) break
  return taken
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const seqs = (entries: FeedEntry[]): number[] => entries.map(({ seq }) => seq)

test('a follower gets what is there and then what comes, each entry once and in order', async () => {
  await using api = await overHttp()
  await addFeed(api.store, 700)
  const iterator = api.client.feed.follow({ after: 0 })[Symbol.asyncIterator]()
  const got: number[] = []
  for (let i = 0; i < 700; i++) got.push((await iterator.next()).value.seq)
  for (let i = 701; i <= 710; i++) {
    await addFeed(api.store, 1)
    got.push((await iterator.next()).value.seq)
  }
  await iterator.return?.()
  expect(got).toEqual(numbers(1, 710))
})

test('without a cursor the feed starts now', async () => {
  await using api = await overHttp()
  await addFeed(api.store, 5)
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const taking = take(api.client.feed.follow({}, { onOpen: open }), 2)
  await opened
  await addFeed(api.store, 2)
  expect(seqs(await taking)).toEqual([6, 7])
})

test('Last-Event-ID goes before after, and names the place to go on from', async () => {
  const { get, store } = await inProcess()
  await addFeed(store, 5)
  const response = await get('/api/feed?after=1', { 'last-event-id': '3' })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const read = async () => new TextDecoder().decode((await reader.read()).value)
  expect(await read()).toBe('retry: 1000\nid: 3\n\n')
  expect((await read()).match(/^id: \d+/gm)).toEqual(['id: 4', 'id: 5'])
  await reader.cancel()
  for (const bad of ['x', '-1', '1e3', '99999999999999999999']) {
    expect((await get('/api/feed', { 'last-event-id': bad })).status).toBe(400)
  }
})

test('a cursor from beyond the end is refused: it is of another database', async () => {
  const { client, store } = await inProcess()
  await addFeed(store, 3)
  await expect(take(client.feed.follow({ after: 4 }), 1)).rejects.toMatchObject({
    code: 'conflict',
    details: { head: 3 },
  })
  await expect(client.feed.page({ after: 4 })).rejects.toMatchObject({ code: 'conflict' })
})

test('filters hold back the rest and the place still moves on', async () => {
  const { client, get, store } = await inProcess(undefined, { heartbeatMs: 5 })
  const mine = sessionId(idNumber(1))
  await addFeed(store, 300, 'todo.updated')
  await addFeed(store, 1, 'session.updated', mine)
  await addFeed(store, 1, 'todo.updated', mine)
  await addFeed(store, 300, 'todo.updated')
  expect(seqs(await take(client.feed.follow({ after: 0, sessionId: mine, kinds: ['session.updated'] }), 1))).toEqual([
    301,
  ])
  const page = await client.feed.page({ after: 0, sessionId: mine, limit: 10 })
  expect([seqs(page.entries), Number(page.nextCursor), page.isEnd]).toEqual([[301, 302], 602, true])
  const response = await get(`/api/feed?after=0&kinds=session.forgotten`)
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('id: 602\n\n')
  expect(new TextDecoder().decode((await reader.read()).value)).toBe(':\n\n')
  await reader.cancel()
})

test('pages of the feed join without a gap, whatever their size', async () => {
  const { client, store } = await inProcess()
  await addFeed(store, 210)
  for (const limit of [1, 7, 70, 1_000]) {
    const got: number[] = []
    for (let after = 0, isEnd = false; !isEnd && got.length < 400; ) {
      const page = await client.feed.page({ after, limit })
      got.push(...seqs(page.entries))
      after = page.nextCursor
      isEnd = page.isEnd
    }
    expect(got).toEqual(numbers(1, 210))
  }
})

test('a client whose connection breaks at random places still gets each entry once, in order', async () => {
  const total = 30
  const store = await openTestStore()
  let base = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(2_000), { maxLength: 8 }), fc.array(fc.nat(5)), async (cuts, bursts) => {
      let added = 0
      const add = async (count: number) => {
        const more = Math.min(count, total - added)
        added += more
        if (more > 0) await addFeed(store, more)
      }
      const { app } = await inProcess(store, { heartbeatMs: 5, ringEntries: 5 })
      const left = [...cuts]
      const client = createClient(async (request) => {
        const response = await app.fetch(request)
        const bytes = left.shift()
        if (bytes === undefined) return response
        const body = response.body as ReadableStream<Uint8Array>
        return new Response(body.pipeThrough(breakAfter(bytes, () => add(3))), response)
      })
      await add(1)
      const got: number[] = []
      for await (const entry of client.feed.follow({ after: base }, { retryWaitMs: 0 })) {
        got.push(entry.seq - base)
        if (got.length === total) break
        await add(bursts.shift() ?? 1)
        if (got.length === added) await add(1)
      }
      expect(got).toEqual(numbers(1, total))
      await app.endFollowers()
      base += total
    }),
    { numRuns: 40 },
  )
})

/** Lets this many bytes through, then fails as a lost connection does, in the middle of a chunk if need be. */
function breakAfter(bytes: number, onBreak: () => Promise<void>): TransformStream<Uint8Array, Uint8Array> {
  let left = bytes
  return new TransformStream({
    async transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left))
      left -= chunk.length
      if (left > 0) return
      await onBreak()
      controller.error(new Error('connection lost'))
    },
  })
}

test('a server that stops and starts again under the same address loses no entry of a follower', async () => {
  const store = await openTestStore()
  await addFeed(store, 3)
  const first = await inProcess(store)
  const second = await inProcess(store)
  let app = first.app
  let isDown = false
  const client = createClient(async (request) => {
    if (isDown) throw new Error('connection refused')
    return app.fetch(request)
  })
  const waits: number[] = []
  const follow = client.feed.follow(
    { after: 0 },
    {
      retryWaitMs: 0,
      onRetry: (_error, waitMs) => {
        if (waits.push(waitMs) === 3) isDown = false
      },
    },
  )
  const iterator = follow[Symbol.asyncIterator]()
  for (let i = 0; i < 3; i++) await iterator.next()
  const pending = iterator.next()
  isDown = true
  app = second.app
  await first.app.endFollowers()
  await addFeed(store, 1)
  expect((await pending).value.seq).toBe(4)
  await iterator.return?.()
})

test('many followers share one reading of the database, and nothing is held when the last has left', async () => {
  const { app, client, store } = await inProcess()
  const reads = watchCalls(store.feed, 'after')
  let listening = 0
  const { onChange } = store.feed
  store.feed.onChange = (wake) => {
    listening += 1
    const end = onChange(wake)
    return () => {
      listening -= 1
      end()
    }
  }
  const controllers = Array.from({ length: 20 }, () => new AbortController())
  let opened = 0
  let allOpen = () => {}
  const ready = new Promise<void>((resolve) => {
    allOpen = resolve
  })
  const onOpen = () => {
    opened += 1
    if (opened === controllers.length) allOpen()
  }
  const takings = controllers.map(({ signal }) => take(client.feed.follow({ after: 0 }, { signal, onOpen }), 50))
  await ready
  const before = reads.length
  for (let i = 0; i < 50; i++) await addFeed(store, 1)
  for (const taken of await Promise.all(takings)) expect(seqs(taken)).toEqual(numbers(1, 50))
  expect(reads.length - before).toBeLessThan(150)
  for (const controller of controllers) controller.abort()
  expect(app.followerCount()).toBe(0)
  expect(listening).toBe(0)
})

test('a follower that takes nothing is cut, and counted out', async () => {
  const { app, get, log, store } = await inProcess(undefined, { stallMs: 20 })
  await addFeed(store, 10_000)
  const response = await get('/api/feed?after=0')
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  expect(app.followerCount()).toBe(1)
  await reader.closed.catch(() => {})
  expect(app.followerCount()).toBe(0)
  expect(log.lines.join()).toContain('stalled')
})

test('a follower that only waits is not cut', async () => {
  const { app, get } = await inProcess(undefined, { stallMs: 10, heartbeatMs: 30 })
  const reader = ((await get('/api/feed')).body as ReadableStream<Uint8Array>).getReader()
  for (let beats = 0; beats < 4; beats++) expect((await reader.read()).done).toBe(false)
  expect(app.followerCount()).toBe(1)
  await reader.cancel()
  expect(app.followerCount()).toBe(0)
})

test('an error of the database ends the stream for the client to try again', async () => {
  const { client, store } = await inProcess()
  await addFeed(store, 1)
  let isBroken = true
  const after = store.feed.after
  store.feed.after = async (cursor, limit) => {
    if (isBroken) throw new Error('disk I/O error')
    return after(cursor, limit)
  }
  const onRetry = () => {
    isBroken = false
  }
  expect(seqs(await take(client.feed.follow({ after: 0 }, { onRetry, retryWaitMs: 0 }), 1))).toEqual([1])
})

test('a follower whose connection goes away is counted out at once', async () => {
  await using api = await overHttp()
  const left = api.log.next('follower disconnected')
  const request = `GET /api/feed HTTP/1.1\r\nhost: 127.0.0.1:${api.port}\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`
  const answer = await rawHttp(api.port, request, (text) => text.includes('id: 0'))
  expect(answer).toContain('text/event-stream')
  await left
  expect(api.app.followerCount()).toBe(0)
})

test('a follower that stops reading its socket is cut, and its connection ends', async () => {
  await using api = await overHttp(undefined, { stallMs: 50 })
  // Far more than sockets hold on both ends.
  await addFeed(api.store, 200_000)
  const cut = api.log.next('follower was disconnected')
  const socket = connect(api.port, '127.0.0.1', () => {
    socket.write(
      `GET /api/feed?after=0 HTTP/1.1\r\nhost: 127.0.0.1:${api.port}\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`,
    )
    socket.pause()
  })
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  socket.on('error', () => {})
  await cut
  expect(api.app.followerCount()).toBe(0)
  socket.resume()
  await closed
})
