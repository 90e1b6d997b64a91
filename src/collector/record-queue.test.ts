import { beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Clock } from './clock'
import { type Lane, RecordQueue, type RecordQueueOptions } from './record-queue'

/** Time that stands still until it is moved. */
class TestClock implements Clock {
  #now = 0
  #timers: { at: number; run: () => void }[] = []

  now(): number {
    return this.#now
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      if (next === undefined) break
      this.#timers = this.#timers.filter((timer) => timer !== next)
      this.#now = next.at
      next.run()
      await settled()
    }
    this.#now = end
    await settled()
  }

  get timers(): number {
    return this.#timers.length
  }
}

/** Every promise that can go on has gone on. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

let clock: TestClock
let begun: string[]
/** Turns under way, by path. */
let turns: Map<string, PromiseWithResolvers<void>>
let said: string[]
/** Files that change once without being asked for. */
let changed: Set<string>

beforeEach(() => {
  clock = new TestClock()
  begun = []
  turns = new Map()
  said = []
  changed = new Set()
})

class Outage extends Error {}

function queueOf(options: Partial<RecordQueueOptions> = {}): RecordQueue {
  return new RecordQueue({
    concurrency: 3,
    spacingMs: 25,
    work(path) {
      begun.push(path)
      const turn = Promise.withResolvers<void>()
      turns.set(path, turn)
      return turn.promise
    },
    hasChanged: async (path) => changed.delete(path),
    isOutage: (error) => error instanceof Outage,
    onOutage: (error) => said.push(error === null ? 'over' : 'outage'),
    onFailure: (path) => said.push(`failed ${path}`),
    clock,
    ...options,
  })
}

async function end(path: string, error?: Error): Promise<void> {
  const turn = turns.get(path)
  turns.delete(path)
  if (error === undefined) turn?.resolve()
  else turn?.reject(error)
  await settled()
}

function ask(queue: RecordQueue, paths: string, lane: Lane = 'live'): void {
  for (const path of paths.split(' ')) queue.request(path, lane)
}

describe('a file', () => {
  test('gets its turn at once', () => {
    ask(queueOf(), 'a')
    expect(begun).toEqual(['a'])
  })

  test('gets one more turn for all that was asked during one, after a rest', async () => {
    const queue = queueOf()
    ask(queue, 'a a a a')
    await clock.advance(10)
    await end('a')
    expect(begun).toEqual(['a'])
    await clock.advance(14)
    expect(begun).toEqual(['a'])
    await clock.advance(1)
    expect(begun).toEqual(['a', 'a'])
    await clock.advance(100)
    ask(queue, 'a')
    await end('a')
    expect(begun).toEqual(['a', 'a', 'a'])
  })

  test('that was asked for while it rests waits for the end of the rest', async () => {
    const queue = queueOf()
    ask(queue, 'a')
    await end('a')
    ask(queue, 'a a')
    expect(begun).toEqual(['a'])
    await clock.advance(25)
    expect(begun).toEqual(['a', 'a'])
  })

  test('goes to the end of the line after its turn', async () => {
    const queue = queueOf({ concurrency: 1, spacingMs: 0 })
    ask(queue, 'a a b c')
    await end('a')
    await end('b')
    ask(queue, 'b')
    await end('c')
    await end('a')
    expect(begun).toEqual(['a', 'b', 'c', 'a', 'b'])
  })

  test('is forgotten when nothing is left to do for it', async () => {
    const queue = queueOf()
    ask(queue, 'a b')
    await end('a')
    await end('b')
    await queue.idle()
    expect([queue.size, queue.has('a')]).toEqual([0, true])
    await clock.advance(2_200)
    expect([queue.size, queue.has('a'), clock.timers]).toEqual([0, false, 0])
  })

  test('that changes unnoticed soon after its turn gets another one', async () => {
    const queue = queueOf()
    ask(queue, 'a')
    await end('a')
    changed.add('a')
    await clock.advance(25)
    expect(begun).toEqual(['a', 'a'])
    await end('a')
    await clock.advance(25)
    changed.add('a')
    await clock.advance(100)
    expect(begun).toEqual(['a', 'a', 'a'])
    await end('a')
    await clock.advance(1_000)
    changed.add('a')
    await clock.advance(1_200)
    expect(begun).toEqual(['a', 'a', 'a', 'a'])
  })

  test('that was reached by a clock set back rests no longer than usual', async () => {
    let back = 0
    const queue = queueOf({ clock: { now: () => clock.now() - back, after: (ms, run) => clock.after(ms, run) } })
    ask(queue, 'a a')
    back = 1_000_000
    await end('a')
    await clock.advance(25)
    expect(begun).toEqual(['a', 'a'])
  })
})

describe('the backfill', () => {
  test('leaves one place to what is live', async () => {
    const queue = queueOf()
    ask(queue, 'a b c d', 'backfill')
    expect(begun).toEqual(['a', 'b'])
    ask(queue, 'x')
    expect(begun).toEqual(['a', 'b', 'x'])
    await end('x')
    expect(begun).toEqual(['a', 'b', 'x'])
  })

  test('loses a file to what is live, and counts it all the same', async () => {
    const queue = queueOf()
    ask(queue, 'a b c', 'backfill')
    ask(queue, 'c')
    expect(begun).toEqual(['a', 'b', 'c'])
    let isDone = false
    void queue.backfilled().then(() => {
      isDone = true
    })
    await end('a')
    await end('b')
    expect(isDone).toBe(false)
    await end('c')
    expect(isDone).toBe(true)
    expect(begun).toEqual(['a', 'b', 'c'])
  })

  test('ends even where live files never stop', async () => {
    const queue = queueOf({ concurrency: 1, spacingMs: 0 })
    ask(queue, 'x y')
    ask(queue, 'old', 'backfill')
    for (let i = 0; i < 20 && !begun.includes('old'); i++) {
      ask(queue, 'x y')
      await end(begun.at(-1) ?? '')
    }
    expect(begun).toContain('old')
  })
})

describe('an outage', () => {
  test('stops everything, is said once, and is probed by one file with growing pauses', async () => {
    const queue = queueOf()
    ask(queue, 'a b c d')
    for (const path of ['a', 'b', 'c']) await end(path, new Outage())
    expect(begun).toEqual(['a', 'b', 'c'])
    await clock.advance(250)
    expect(begun).toEqual(['a', 'b', 'c', 'd'])
    await end('d', new Outage())
    await clock.advance(499)
    expect(begun).toHaveLength(4)
    await clock.advance(1)
    expect(begun).toHaveLength(5)
    await end(begun.at(-1) ?? '')
    expect(begun).toHaveLength(8)
    expect(said).toEqual(['outage', 'over'])
    expect(new Set(begun.slice(4))).toEqual(new Set(['a', 'b', 'c', 'd']))
  })

  test('ends with the queue', async () => {
    const queue = queueOf()
    ask(queue, 'a')
    await end('a', new Outage())
    await queue.stop()
    await queue.backfilled()
    expect(clock.timers).toBe(0)
  })
})

test('a failure of one file is said once and tried again ever more rarely, beside the others', async () => {
  const queue = queueOf()
  ask(queue, 'a', 'backfill')
  await end('a', new Error('no'))
  await queue.backfilled()
  ask(queue, 'b')
  await end('b')
  await clock.advance(250)
  await end('a', new Error('no'))
  await clock.advance(499)
  expect(begun).toEqual(['a', 'b', 'a'])
  await clock.advance(1)
  await end('a')
  await clock.advance(600_000)
  expect(begun).toEqual(['a', 'b', 'a', 'a'])
  expect(said).toEqual(['failed a'])
})

test('whatever is asked and however it goes, each file has a turn after it was asked for last', async () => {
  const step = fc.record({
    path: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    act: fc.constantFrom('live', 'backfill', 'end', 'outage', 'fail', 'time'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      clock = new TestClock()
      begun = []
      turns = new Map()
      const atOnce: number[] = []
      const owed = new Set<string>()
      const queue = queueOf({
        async work(path) {
          begun.push(path)
          owed.delete(path)
          const turn = Promise.withResolvers<void>()
          if (turns.has(path)) throw new Error(`two turns of ${path} at once`)
          turns.set(path, turn)
          atOnce.push(turns.size)
          try {
            await turn.promise
          } catch (error) {
            owed.add(path)
            throw error
          }
        },
      })
      for (const { path, act } of steps) {
        if (act === 'live' || act === 'backfill') {
          owed.add(path)
          queue.request(path, act)
        } else if (act === 'time') await clock.advance(100)
        else await end(path, act === 'end' ? undefined : act === 'outage' ? new Outage() : new Error('no'))
      }
      while (queue.size > 0) {
        for (const path of [...turns.keys()]) await end(path)
        await clock.advance(15_000)
      }
      expect([...owed]).toEqual([])
      expect(Math.max(0, ...atOnce)).toBeLessThanOrEqual(3)
      await queue.idle()
      await queue.backfilled()
      await clock.advance(2_200)
      expect(clock.timers).toBe(0)
    }),
    { numRuns: 300 },
  )
})
