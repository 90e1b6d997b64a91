import { expect, test } from 'bun:test'
import { someTodo } from '../../../test/samples/sessions'
import { todosAt } from './todo-past'

test('to-dos are as they were at a moment', () => {
  const at = (second: number) => new Date(second * 1_000).toISOString()
  const change = (second: number, what: string, from: string | null, to: string | null) => ({
    at: at(second),
    change: what,
    from,
    to,
  })
  const past = {
    todo: { ...someTodo('s', 't'), status: 'removed' as const, content: 'new words', createdAt: at(10) },
    history: [
      change(10, 'created', null, 'pending'),
      change(20, 'status', 'pending', 'in_progress'),
      change(30, 'reworded', 'old words', 'new words'),
      change(40, 'removed', 'in_progress', 'removed'),
    ],
  }
  const seen = (second: number) => todosAt([past], second * 1_000).map(({ status, content }) => `${status}: ${content}`)
  expect([seen(5), seen(10), seen(25), seen(30), seen(40)]).toEqual([
    [],
    ['pending: old words'],
    ['in_progress: old words'],
    ['in_progress: new words'],
    [],
  ])
})
