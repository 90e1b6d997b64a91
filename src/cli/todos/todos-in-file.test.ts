import { expect, test } from 'bun:test'
import type { Todo } from '../../domain/todo/todo-item'
import { withTodos } from './todos-in-file'

const todo = { id: 't1', sessionId: 's1', ordinal: 0, content: 'write it', status: 'pending' } as Todo
const todos = new Map([['a-1', [todo]]])
const ADDED = '"todos":[{"id":"t1","session_id":"s1","ordinal":0,"content":"write it","status":"pending"}]'

test('to-dos are one more key of the issue, and every other byte stays', async () => {
  const others = '{"id":"a-2"}\r\nno JSON\n'
  expect(await withTodos(`\ufeff{"id":"a-1","big":12345678901234567890,"x":1,"x":1.0}\n${others}`, todos)).toBe(
    `\ufeff{"id":"a-1","big":12345678901234567890,"x":1,"x":1.0,${ADDED}}\n${others}`,
  )
  expect(await withTodos('{"id":"a-1","todos":[],"y":{}}', todos)).toBe(`{"id":"a-1","y":{},${ADDED}}`)
})

test('a line as deep as issues are read gets its to-dos, and a deeper one stays as it is', async () => {
  const deep = (levels: number) => `{"id":"a-1","deep":${'['.repeat(levels)}${']'.repeat(levels)}}`
  expect(await withTodos(deep(400), todos)).toContain(ADDED)
  expect(await withTodos(deep(2_000), todos)).toBe(deep(2_000))
})
