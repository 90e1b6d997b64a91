import { expect, test } from 'bun:test'
import { TypeAhead } from './type-ahead'

const plain = (key: string) => ({ key, ctrlKey: false, metaKey: false })
const typed = (ahead: TypeAhead, text: string, now = 0) => [...text].map((key) => ahead.keep(plain(key), now))

test('keeps what is typed until the field is there, once', () => {
  const ahead = new TypeAhead()
  ahead.begin(0)
  expect(typed(ahead, 'Swx')).toEqual([true, true, true])
  expect(ahead.keep(plain('Shift'), 1)).toBe(false)
  expect(ahead.keep(plain('Backspace'), 1)).toBe(true)
  expect(ahead.keep(plain('Enter'), 1)).toBe(true)
  expect(typed(ahead, 'ö€', 1)).toEqual([true, true])
  expect(ahead.take(2)).toBe('Sw\nö€')
  expect(ahead.take(2)).toBe('')
  expect(typed(ahead, 'j', 3)).toEqual([false])
})

test('keeps nothing that was not typed for a field', () => {
  const ahead = new TypeAhead()
  expect(typed(ahead, 'j')).toEqual([false])
  ahead.begin(0)
  typed(ahead, 'a')
  expect(ahead.keep({ key: 'k', ctrlKey: true, metaKey: false }, 1)).toBe(false)
  expect(ahead.take(1)).toBe('')
  ahead.begin(0)
  typed(ahead, 'a')
  expect(ahead.keep(plain('Escape'), 1)).toBe(false)
  expect(typed(ahead, 'j', 1)).toEqual([false])
})

test('ends when a field takes the keys itself', () => {
  const ahead = new TypeAhead()
  ahead.begin(0)
  ahead.end()
  expect(typed(ahead, 'j', 1)).toEqual([false])
})

test('waits no longer than for what is about to be drawn', () => {
  const ahead = new TypeAhead()
  ahead.begin(0)
  expect(typed(ahead, 'a', 1_900)).toEqual([true])
  expect(typed(ahead, 'b', 3_000)).toEqual([true])
  expect(typed(ahead, 'c', 5_100)).toEqual([false])
  expect(ahead.take(5_100)).toBe('')
})
