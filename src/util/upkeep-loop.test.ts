import { expect, test } from 'bun:test'
import { until } from '../../test/lab/until'
import { startUpkeep } from './upkeep-loop'

/** A look that ends when the test says so. */
function held() {
  const causes: string[] = []
  const waiting: { end(error?: Error): void }[] = []
  const look = (cause: 'time' | 'change') =>
    new Promise<void>((resolve, reject) => {
      causes.push(cause)
      waiting.push({ end: (error) => (error === undefined ? resolve() : reject(error)) })
    })
  const end = async (error?: Error) => {
    waiting.shift()?.end(error)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return { causes, look, end }
}

test('looks at once, one at a time, and once more for what changed meanwhile', async () => {
  const { causes, look, end } = held()
  let changed = () => {}
  const onChange = (hear: () => void) => {
    changed = hear
    return () => {}
  }
  const stop = startUpkeep({
    check: look,
    everyMs: 1_000_000,
    onChange,
    afterChangeMs: 1,
    log: { warn: () => {} },
    failure: '',
  })
  expect(causes).toEqual(['time'])
  for (let times = 0; times < 3; times++) changed()
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(causes).toEqual(['time'])
  await end()
  expect(causes).toEqual(['time', 'change'])
  await end()
  expect(causes).toEqual(['time', 'change'])
  await stop()
})

test('an outage is one line of the log, and the looks go on', async () => {
  const { causes, look, end } = held()
  const lines: string[] = []
  const warn = (_line: string, fields?: Record<string, unknown>) => lines.push(String(fields?.error))
  const stop = startUpkeep({ check: look, everyMs: 2, log: { warn }, failure: 'x' })
  for (const [at, message] of ['away', 'away', undefined, 'away', 'full'].entries()) {
    await until('the next look', () => causes.length === at + 1)
    await end(message === undefined ? undefined : new Error(message))
  }
  expect(lines).toEqual(['Error: away', 'Error: away', 'Error: full'])
  await until('the last look', () => causes.length === 6)
  const stopped = stop()
  await end()
  await stopped
})

test('stopping waits for the look that runs, and no other begins', async () => {
  const { causes, look, end } = held()
  const stop = startUpkeep({ check: look, everyMs: 1, log: { warn: () => {} }, failure: '' })
  let isStopped = false
  const stopped = stop().then(() => {
    isStopped = true
  })
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(isStopped).toBe(false)
  await end()
  await stopped
  expect(causes).toEqual(['time'])
})

test('while nothing is open and nothing changes, time alone is left out', async () => {
  let [byTime, ticks] = [0, 0]
  let changed = () => {}
  const stop = startUpkeep({
    async check(cause) {
      if (cause === 'time') byTime++
      return false
    },
    everyMs: 1,
    quietMs: 1_000_000,
    onChange(hear) {
      changed = hear
      return () => {}
    },
    afterChangeMs: 1,
    log: { warn: () => {} },
    failure: '',
  })
  const clock = setInterval(() => ticks++, 1)
  const someTicks = async () => {
    const from = ticks
    await until('twenty ticks', () => ticks >= from + 20)
  }
  await someTicks()
  expect(byTime).toBe(1)
  changed()
  await someTicks()
  expect(byTime).toBe(2)
  clearInterval(clock)
  await stop()
})

test('what time may bring on is looked for at each tick', async () => {
  let looks = 0
  const check = async () => ++looks > 0
  const stop = startUpkeep({ check, everyMs: 1, quietMs: 1_000_000, log: { warn: () => {} }, failure: '' })
  await until('three looks', () => looks >= 3)
  await stop()
})
