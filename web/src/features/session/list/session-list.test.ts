import { expect, test } from 'bun:test'
import { AnchoredList } from './session-list'

function listOf(count: number): AnchoredList {
  const list = new AnchoredList()
  list.setViewport(400)
  list.setCount(count)
  return list
}

test('opens at the end and stays there while rows come and turn out higher', () => {
  const list = listOf(1_000)
  expect(list.isAtEnd).toBe(true)
  expect(list.top).toBe(list.height - 400)
  list.change((heights) => heights.set(999, 200))
  list.setCount(1_200)
  expect(list.isAtEnd).toBe(true)
  expect(list.range.last).toBe(1_199)
  expect(list.top).toBe(list.height - 400)
})

test('what a person looks at stays in place whatever changes around it', () => {
  const list = listOf(1_000)
  list.scrolled(20_010)
  expect(list.isAtEnd).toBe(false)
  const { first } = list.seen
  const seenAt = list.offsetOf(first) - list.top
  list.change((heights) => {
    for (let row = 0; row < 1_000; row += 3) heights.set(row, row === first ? 40 : 7)
    return true
  })
  list.setCount(5_000)
  expect(list.offsetOf(first) - list.top).toBe(seenAt)
  // What the browser reports of the place that we set changes nothing.
  const { top } = list
  list.scrolled(Math.round(top))
  expect(list.top).toBe(top)
})

test('only what is near is drawn, and who comes back to the end follows it again', () => {
  const list = listOf(100_000)
  list.scrolled(2_000_000)
  const { first, last } = list.range
  expect(last - first).toBeLessThan(60)
  list.scrolled(list.height - 400 - 20)
  expect(list.isAtEnd).toBe(true)
  // On the way up the end is left at once.
  list.scrolled(list.height - 400 - 10)
  expect(list.isAtEnd).toBe(false)
})

test('goes to a row, and scrolls no further than that needs', () => {
  const list = listOf(1_000)
  list.goTo(500, 100)
  expect(list.offsetOf(500) - list.top).toBe(100)
  list.reveal(501)
  expect(list.offsetOf(500) - list.top).toBe(100)
  list.reveal(499)
  expect(list.offsetOf(500) - list.top).toBe(100)
  list.reveal(400)
  expect(list.offsetOf(400) - list.top).toBe(8)
  list.reveal(450)
  expect(list.offsetOf(451) - list.top).toBe(400 - 24)
})

test('a list of millions stays within what browsers draw, and an empty one is nothing', () => {
  expect(listOf(3_000_000).height).toBeLessThan(33_000_000)
  const none = listOf(0)
  expect(none.top).toBe(0)
  expect(none.range.last).toBe(-1)
})
