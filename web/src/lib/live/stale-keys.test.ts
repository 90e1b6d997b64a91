import { expect, test } from 'bun:test'
import { createStaleKeys } from './stale-keys'
import { QUIET_MS, type StaleKey } from './topics'

/** A clock that moves by hand. */
function clock() {
  let now = 0
  let waiting: { at: number; run: () => void }[] = []
  return {
    now: () => now,
    set: (run: () => void, ms: number) => {
      const timer = { at: now + ms, run }
      waiting.push(timer)
      return timer
    },
    clear: (timer: unknown) => {
      waiting = waiting.filter((one) => one !== timer)
    },
    pass(ms: number) {
      now += ms
      const due = waiting.filter(({ at }) => at <= now)
      waiting = waiting.filter(({ at }) => at > now)
      for (const { run } of due) run()
    },
  }
}

function watched() {
  const time = clock()
  const seen: { at: number; keys: readonly StaleKey[] }[] = []
  const stale = createStaleKeys((keys) => seen.push({ at: time.now(), keys }), time)
  return { time, seen, stale }
}

test('the first change after a quiet moment is shown at once, together with those that came with it', () => {
  const { time, seen, stale } = watched()
  stale.add(['rows', 'a'])
  stale.add(['rows', 'b'])
  stale.add(['rows', 'a'])
  time.pass(0)
  expect(seen).toEqual([
    {
      at: 0,
      keys: [
        ['rows', 'a'],
        ['rows', 'b'],
      ],
    },
  ])
})

test('while changes keep coming a topic is asked for again once in its time, and the last change is not lost', () => {
  const { time, seen, stale } = watched()
  for (let ms = 0; ms < 10 * QUIET_MS.overview; ms += 5) {
    stale.add(['overview'])
    time.pass(5)
  }
  expect(seen.length).toBeGreaterThanOrEqual(9)
  expect(seen.length).toBeLessThanOrEqual(11)
  const before = seen.length
  stale.add(['overview'])
  time.pass(QUIET_MS.overview)
  expect(seen.length).toBe(before + 1)
  time.pass(60_000)
  expect(seen.length).toBe(before + 1)
})

test('one topic does not wait for another, and nothing is handed out after the end', () => {
  const { time, seen, stale } = watched()
  stale.add(['costs'])
  time.pass(0)
  stale.add(['costs'])
  stale.add(['task', 't-1'])
  time.pass(0)
  expect(seen.map(({ keys }) => keys)).toEqual([[['costs']], [['task', 't-1']]])
  stale.clear()
  time.pass(60_000)
  expect(seen.length).toBe(2)
})

test('while an answer is on its way nothing is asked again, and what changed meanwhile is asked for once it is there', async () => {
  const time = clock()
  const seen: (readonly StaleKey[])[] = []
  let answer = () => {}
  const stale = createStaleKeys((keys) => {
    seen.push(keys)
    return new Promise<void>((resolve) => {
      answer = resolve
    })
  }, time)
  stale.add(['rows', 'a'])
  time.pass(0)
  for (let ms = 0; ms < 20 * QUIET_MS.rows; ms += 5) {
    stale.add(['rows', 'b'])
    time.pass(5)
  }
  expect(seen).toEqual([[['rows', 'a']]])
  answer()
  await Promise.resolve()
  await Promise.resolve()
  time.pass(0)
  expect(seen).toEqual([[['rows', 'a']], [['rows', 'b']]])
})

test('dull news waits for what a person reads, and news that matters takes it along', () => {
  const { time, seen, stale } = watched()
  stale.add(['overview'], true)
  stale.add(['rows', 'a'], true)
  time.pass(0)
  expect(seen.map(({ keys }) => keys)).toEqual([[['rows', 'a']]])
  stale.add(['overview'])
  time.pass(0)
  expect(seen.map(({ keys }) => keys)).toEqual([[['rows', 'a']], [['overview']]])
  time.pass(60_000)
  expect(seen.length).toBe(2)
})

test('an answer that never comes holds nothing up for long', () => {
  const time = clock()
  const seen: number[] = []
  const stale = createStaleKeys(() => {
    seen.push(time.now())
    return new Promise(() => {})
  }, time)
  stale.add(['rows', 'a'])
  time.pass(0)
  stale.add(['rows', 'a'])
  time.pass(4_000)
  expect(seen).toEqual([0])
  time.pass(4_000)
  time.pass(0)
  expect(seen).toEqual([0, 8_000])
})
