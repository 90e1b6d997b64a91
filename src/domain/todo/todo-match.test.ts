import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { TodoStatus } from '../record/observation'
import { matchTodos, outOfOrder } from './todo-match'

const list = (...contents: string[]) => contents.map((content) => ({ content, status: 'pending' as TodoStatus }))

describe('which item is which', () => {
  test('the same words at the same place, then anywhere, then like words, then none', () => {
    const before = list('Write tests', 'Fix login', 'Deploy', 'Fix login')
    expect(matchTodos(before, list('Fix login', 'Fix login', 'Write unit tests', 'Sleep'))).toEqual([3, 1, 0, null])
  })

  test('the best pair is taken first, and the nearer of two that are as good', () => {
    const before = list('Write the tests', 'Write tests')
    expect(matchTodos(before, list('Write tests now', 'Write the tests now'))).toEqual([1, 0])
    expect(matchTodos(list('Check a thing', 'Check a thing'), list('Sleep', 'Check a thing twice'))).toEqual([null, 1])
  })

  test('the form for work in progress helps', () => {
    const before = [
      { content: 'Draft outline chapter', activeForm: 'Drafting the outline', status: 'pending' as const },
    ]
    const next = [
      { content: 'Draft chapter structure', activeForm: 'Drafting the outline', status: 'pending' as const },
    ]
    expect(matchTodos(before, next)).toEqual([0])
    expect(matchTodos(list('Draft outline chapter'), list('Draft a book, structure first'))).toEqual([null])
  })

  test('what is completed is no work that is still to do in other words', () => {
    const done = [{ content: 'Write tests', status: 'completed' as const }]
    expect(matchTodos(done, list('Write more tests'))).toEqual([null])
    expect(matchTodos(done, [{ content: 'Write more tests', status: 'completed' }])).toEqual([0])
    expect(matchTodos(done, list('Write tests'))).toEqual([0])
  })

  test('no item is taken twice, every exact one is found', () => {
    const contents = fc.array(fc.constantFrom('a b', 'a b c', 'a', 'b c', 'Fix 1', 'Fix 2', ''), { maxLength: 9 })
    fc.assert(
      fc.property(contents, contents, (before, next) => {
        const matches = matchTodos(list(...before), list(...next))
        const taken = matches.filter((at) => at !== null)
        expect(new Set(taken).size).toBe(taken.length)
        const exact = next.filter((content, at) => before[matches[at] ?? -1] === content).length
        const count = (of: readonly string[], content: string) => of.filter((one) => one === content).length
        const common = [...new Set(next)].reduce((sum, one) => sum + Math.min(count(before, one), count(next, one)), 0)
        expect(exact).toBe(common)
      }),
      { numRuns: 1_000 },
    )
  })
})

test('the fewest items are out of order', () => {
  expect([...outOfOrder([1, 2, 3])]).toEqual([])
  expect([...outOfOrder([3, 1, 2])]).toEqual([0])
  expect([...outOfOrder([1, 2, 0])]).toEqual([2])
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(50), { maxLength: 10 }), (from) => {
      const moved = outOfOrder(from)
      const rest = from.filter((_, at) => !moved.has(at))
      expect(rest).toEqual(rest.toSorted((a, b) => a - b))
      // No larger set of items keeps its order.
      let longest = 0
      for (let mask = 0; mask < 1 << from.length; mask++) {
        const kept = from.filter((_, at) => mask & (1 << at))
        if (kept.every((value, at) => at === 0 || value > (kept[at - 1] ?? 0))) longest = Math.max(longest, kept.length)
      }
      expect(rest).toHaveLength(longest)
    }),
    { numRuns: 200 },
  )
})
