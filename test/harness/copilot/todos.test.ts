/** To-dos, which the agent keeps by SQL. */
import { expect, test } from 'bun:test'
import { pick, todosOf } from '../scenario'
import { AT, line, observe, session, sessionOf } from './sessions'

let serial = 0
/** A call of the tool with its answer. */
const sql = (query: string, content = '1 row(s) updated.', more: object = {}): string =>
  line(AT + ++serial, 'tool.execution_complete', {
    ...{ toolCallId: `call_${serial}`, success: true, result: { content } },
    ...{ toolTelemetry: { restrictedProperties: { query } }, ...more },
  })

const after = (...lines: string[]) =>
  todosOf(observe(session(lines))).map(({ nativeId, content, status }) => [nativeId, content, status])

const ADD = "INSERT INTO todos (id, title, status) VALUES ('a', 'Look', 'in_progress'), ('b', 'Paint', 'pending')"

test('the to-dos of a session as the real agent changed them', () => {
  expect(todosOf(observe(sessionOf('plan')))).toEqual([
    { nativeId: 'read-code', content: 'Reading the code', status: 'completed' },
    { nativeId: 'fix-bug', content: 'Fixing the bug', status: 'in_progress' },
    { nativeId: 'run-tests', content: 'Running the tests', status: 'pending' },
  ])
  const changes = pick(observe(sessionOf('plan')), 'todo').map(({ change }) => change)
  expect(changes).toContainEqual({ op: 'update', nativeId: 'run-tests', addBlockedBy: ['fix-bug'] })
})

test('of a batch that failed, the statements before the error count', () => {
  expect(pick(observe(sessionOf('todos')), 'todo').map(({ change }) => change)).toEqual([
    { op: 'create', nativeId: 'a', subject: "It's A" },
    { op: 'update', nativeId: 'a', status: 'removed' },
    { op: 'update_result', nativeId: 'a', isSuccess: true },
  ])
})

test('rows are added, changed and removed by their ids, whatever the SQL looks like', () => {
  expect(after(sql(ADD))).toEqual([
    ['a', 'Look', 'in_progress'],
    ['b', 'Paint', 'pending'],
  ])
  const changes = [
    `-- one\nupdate "todos" set status = 'done', updated_at = datetime('now') where id = 'a'`,
    `UPDATE todos SET title='It''s; done', status='blocked' WHERE id IN ('b');`,
  ]
  expect(after(sql(ADD), sql(changes.join(';')))).toEqual([
    ['a', 'Look', 'completed'],
    ['b', "It's; done", 'pending'],
  ])
  expect(after(sql(ADD), sql("DELETE FROM todos WHERE id = 'a'"))).toContainEqual(['a', 'Look', 'removed'])
  expect(after(sql("INSERT OR REPLACE INTO todos VALUES ('c', 'Four', 'columns', 'done')"))).toEqual([
    ['c', 'Four', 'completed'],
  ])
})

test('what the words do not tell changes nothing, and the next look at the table shows it', () => {
  const add = sql(ADD)
  const unclear = sql("UPDATE todos SET status = 'done' WHERE status = 'pending'")
  expect(after(add, unclear)).toEqual(after(add))
  expect(after(add, sql("UPDATE todos SET status = 'done' WHERE id = 'a' AND title = 'x'"))).toEqual(after(add))
  const look = sql(
    'SELECT * FROM todos ORDER BY id',
    '1 row(s) returned:\n\n| id | title | status |\n| --- | --- | --- |\n| b | Paint | done |',
  )
  expect(after(add, unclear, look)).toEqual([
    ['a', 'Look', 'removed'],
    ['b', 'Paint', 'completed'],
  ])
  const part = sql(
    "SELECT id, status FROM todos WHERE status = 'done'",
    '1 row(s) returned:\n\n| id | status |\n| --- | --- |\n| b | done |',
  )
  expect(after(add, part)).toEqual([
    ['a', 'Look', 'in_progress'],
    ['b', 'Paint', 'completed'],
  ])
})

test('other tables, broken SQL and answers of other tools say nothing', () => {
  for (const query of [
    "INSERT INTO notes VALUES ('todo')",
    "UPDATE todos SET status = 'done",
    'SELECT 1 -- todos',
    'todos',
  ])
    expect(after(sql(query))).toEqual([])
  expect(after(sql(ADD, '', { success: false, error: { message: 'no such table: todos' } }))).toEqual([])
})

test('where the answer does not repeat the SQL apart, its details do', () => {
  const content = '1 row(s) inserted.'
  const query = "INSERT INTO todos (id, title) VALUES ('a', 'Look')"
  const detailed = { result: { content, detailedContent: `SQL: ${query}\n\n${content}` }, toolTelemetry: {} }
  expect(after(sql('', content, detailed))).toEqual([['a', 'Look', 'pending']])
})

test('before the database, each call of `update_todo` gave the whole list as Markdown', () => {
  const said = (todos: string) =>
    line(AT + ++serial, 'assistant.message', {
      content: '',
      toolRequests: [{ toolCallId: `call_${serial}`, name: 'update_todo', arguments: { todos } }],
    })
  const words = (...lines: string[]) => todosOf(observe(session(lines))).map(({ content, status }) => [content, status])
  expect(words(said('# Plan\n- [x] Read\n- [-] Fix\n* [ ] Test\n1. [ ] [link](x)\nnot one'))).toEqual([
    ['Read', 'completed'],
    ['Fix', 'in_progress'],
    ['Test', 'pending'],
    ['[link](x)', 'pending'],
  ])
  expect(pick(observe(session([said('nothing left')])), 'todo').at(-1)?.change).toEqual({ op: 'snapshot', items: [] })
})
