import { afterEach, expect, test } from 'bun:test'
import { TreeFence } from './tree-fence'

const started: TreeFence[] = []
afterEach(() => {
  for (const fence of started.splice(0)) fence.stop()
})

/** A fence by hand: looks when the test says so, at the time that it says. */
function fenceOf(freezeAt: number, endAt: number) {
  const did: string[] = []
  let now = 0
  const fence = new TreeFence({
    tree: {
      freeze: () => {
        did.push('freeze')
        return 3
      },
      thaw: () => {
        did.push('thaw')
        return 3
      },
    },
    limits: { freezeAt, endAt },
    onFrozen: (count) => did.push(`frozen ${count}`),
    onThawed: (count) => did.push(`thawed ${count}`),
    onEnd: () => did.push('end'),
    clock: () => now,
  })
  started.push(fence)
  return {
    fence,
    did,
    at(ms: number) {
      now = ms
    },
    /** Looks every 100 ms up to then. */
    upTo(ms: number) {
      while (now < ms) {
        now = Math.min(ms, now + 100)
        fence.look()
      }
    },
  }
}

test('a tree stands still at its time, goes on when the lease was renewed, and is ended when it was not', () => {
  const it = fenceOf(9_000, 12_750)
  it.upTo(8_999)
  expect(it.did).toEqual([])
  it.upTo(9_000)
  expect(it.did).toEqual(['freeze', 'frozen 3'])
  it.fence.renewed({ freezeAt: 18_000, endAt: 21_750 })
  expect(it.did.splice(0)).toEqual(['freeze', 'frozen 3', 'thaw', 'thawed 3'])
  it.upTo(21_700)
  expect(it.did).not.toContain('end')
  it.upTo(21_750)
  expect(it.did.at(-1)).toBe('end')
  expect(it.did).not.toContain('thaw')
})

test('a renewal that is too old itself sets nothing going', () => {
  const it = fenceOf(1_000, 5_000)
  it.upTo(2_000)
  it.fence.renewed({ freezeAt: 2_000, endAt: 6_000 })
  expect(it.did).not.toContain('thaw')
})

test('a lease that stands still keeps a tree from its end, and sets nothing going', () => {
  const it = fenceOf(1_000, 2_000)
  it.upTo(1_500)
  it.fence.held({ freezeAt: 5_000, endAt: 6_000 })
  it.upTo(5_900)
  expect(it.did).not.toContain('thaw')
  expect(it.did).not.toContain('end')
  it.upTo(6_000)
  expect(it.did.at(-1)).toBe('end')
})

test('a tree that slept past its end with its machine stands still at the first look, and waits for a renewal only then', () => {
  const it = fenceOf(9_000, 12_750)
  it.upTo(1_000)
  it.at(3_600_000)
  it.fence.look()
  expect(it.did).toEqual(['freeze', 'frozen 3'])
  it.upTo(3_605_000)
  it.fence.renewed({ freezeAt: 3_613_000, endAt: 3_617_000 })
  expect(it.did.slice(-2)).toEqual(['thaw', 'thawed 3'])
  expect(it.did).not.toContain('end')
})

test('a tree that slept and is not renewed is ended soon, never having gone on', () => {
  const it = fenceOf(9_000, 12_750)
  it.upTo(1_000)
  it.at(60_000)
  it.fence.look()
  it.upTo(69_900)
  expect(it.did).not.toContain('end')
  it.upTo(70_000)
  expect(it.did.at(-1)).toBe('end')
  expect(it.did).not.toContain('thaw')
})
