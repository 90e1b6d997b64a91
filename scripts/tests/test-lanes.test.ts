import { expect, test } from 'bun:test'
import { runInLanes } from './test-lanes'

/** Runs files that end when the test ends them, and names those that have begun. */
function lanes(files: string[], options: { jobs: number; seconds?: Record<string, number>; idleCores?: () => number }) {
  const begun: string[] = []
  const open = new Map<string, () => void>()
  const interrupted = new AbortController()
  const done = runInLanes(
    files,
    (file) => {
      begun.push(file)
      const { promise, resolve } = Promise.withResolvers<void>()
      open.set(file, resolve)
      return promise
    },
    { idleCores: () => 0, ...options, signal: interrupted.signal },
  )
  const end = async (file: string) => {
    open.get(file)?.()
    open.delete(file)
    await Promise.resolve()
  }
  const begins = async (file: string) => {
    while (!begun.includes(file)) await Bun.sleep(1)
  }
  return { begun, open, done, end, begins, interrupted }
}

test('two files run for two jobs whose cores are busy, and each runs once', async () => {
  const { begun, done, end, begins } = lanes(['a', 'b', 'c'], { jobs: 2 })
  expect(begun).toEqual(['a', 'b'])
  await end('b')
  await begins('c')
  await Promise.all(['a', 'c'].map(end))
  await done
  expect(begun).toEqual(['a', 'b', 'c'])
})

test('the longest file goes first', async () => {
  const { begun, done, end, begins } = lanes(['a', 'b', 'c'], { jobs: 1, seconds: { c: 90, b: 5 } })
  for (const file of ['c', 'b', 'a']) {
    await begins(file)
    await end(file)
  }
  await done
  expect(begun).toEqual(['c', 'b', 'a'])
})

test('a second browser waits for idle cores while there is anything else to run', async () => {
  const [one, two] = ['test/browser/one.test.ts', 'test/browser/two.test.ts']
  const { begun, done, end, begins } = lanes(['a', one, two, 'b', 'c'], { jobs: 2 })
  expect(begun).toEqual([one, 'a'])
  await end('a')
  await begins('b')
  await end(one)
  await begins(two)
  await end('b')
  await begins('c')
  await Promise.all(['c', two].map(end))
  await done
})

test('more files than jobs run while cores are idle, but not without an end', async () => {
  const files = Array.from({ length: 8 }, (_, number) => `f${number}`)
  const { begun, open, done, end, begins } = lanes(files, { jobs: 2, idleCores: () => 2 })
  await begins('f3')
  expect(begun).toEqual(files.slice(0, 4))
  while (begun.length < files.length || open.size > 0)
    await Promise.all([...open.keys()].map(end)).then(() => Bun.sleep(1))
  await done
  expect(begun).toEqual(files)
})

test('nothing starts after an interruption', async () => {
  const { begun, done, end, interrupted } = lanes(['a', 'b'], { jobs: 1 })
  interrupted.abort()
  await end('a')
  await done
  expect(begun).toEqual(['a'])
})
