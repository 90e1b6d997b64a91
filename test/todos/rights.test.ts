import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sessionId } from '../../src/domain/ids'
import { callTool, freshConversation, type Served, serve, startTask } from '../mcp/served'
import { failureOf, onEachDatabase } from '../store-contract/databases'
import { newSession, type TodoLab, todoLab } from './todo-lab'

onEachDatabase((database) => {
  let lab: TodoLab
  let served: Served
  beforeAll(() => {
    lab = todoLab(database.store)
    const { syncTodos, todos, issues } = lab.services
    served = serve(database.store, { syncTodos, todos, issues })
  })
  afterAll(async () => {
    await served.stop()
    lab.remove()
  })

  /** A run in a conversation of its own. */
  async function run() {
    const session = newSession()
    const assignment = await startTask(served, { task: 'Work', dir: lab.dir })
    const worker = served.connect(assignment.token)
    const conversation = freshConversation(session)
    await served.connect().attempts.report(assignment.attemptId, { conversation })
    return { session, token: assignment.token, client: worker }
  }
  const list = (...contents: string[]) => contents.map((content) => ({ content, status: 'pending' }))
  const payload = (session: string) =>
    Buffer.from(JSON.stringify({ session_id: session, tool_name: 'TodoWrite', tool_input: { todos: list('x') } }))

  test('a run keeps its own list by the tool, whatever session it names', async () => {
    const { session, token } = await run()
    const todos = [
      { content: 'Plan', status: 'completed' },
      { content: 'Build', status: 'in_progress', activeForm: 'Building' },
      { content: 'Test', status: 'pending' },
    ]
    const said = await callTool(served, 'update-todos', { todos, sessionId: newSession() }, token)
    expect(said).toEqual({ isError: false, text: 'Kept: 1 of 3 completed, 1 in progress.' })
    const { todos: kept } = await lab.client.todos.list({ sessionId: session })
    expect(kept.map(({ content, status }) => `${content} ${status}`)).toEqual([
      'Plan completed',
      'Build in_progress',
      'Test pending',
    ])
    const moved = todos.map((todo) => ({ ...todo, status: 'completed' }))
    expect((await callTool(served, 'update-todos', { todos: moved }, token)).text).toBe(
      'Kept: 3 of 3 completed, 0 in progress.',
    )
  })

  test('an agent elsewhere names its session, and is told so', async () => {
    const nameless = await callTool(served, 'update-todos', { todos: list('x') })
    expect([nameless.isError, nameless.text.includes('sessionId')]).toEqual([true, true])
    const session = newSession()
    expect((await callTool(served, 'update-todos', { todos: list('x'), sessionId: session })).isError).toBe(false)
    expect((await lab.client.todos.list({ sessionId: session })).todos).toHaveLength(1)
    for (const bad of ['../x', 'a'.repeat(10_000), '..'])
      expect((await callTool(served, 'update-todos', { todos: list('x'), sessionId: bad })).isError).toBe(true)
  })

  test('a run touches and reads no session but its own, and the to-dos on an issue', async () => {
    const { session, client } = await run()
    const foreign = newSession()
    await lab.client.todos.sync(foreign, payload(foreign))
    const [todo] = (await lab.client.todos.list({ sessionId: foreign })).todos
    const issue = (await lab.client.issues.create({ dir: lab.dir, title: 'Shared' })).issue
    await lab.client.links.link(foreign, issue.id, { dir: lab.dir })
    for (const call of [
      () => client.todos.sync(foreign, payload(foreign)),
      () => client.todos.finalize(foreign),
      () => client.todos.ofSession(foreign),
      () => client.todos.list({ sessionId: foreign }),
      () => client.todos.history(todo?.id ?? ''),
      () => client.todos.promote(todo?.id ?? ''),
      () => client.todos.take(foreign, { todoIds: [todo?.id ?? ''] }),
      () => client.links.link(foreign, issue.id, {}),
      () => client.links.unlinkAll(foreign),
      () => client.links.saw(foreign, issue.id, {}),
      () => client.links.ofSession(foreign),
    ])
      expect((await failureOf(call())).code).toBe('forbidden')
    expect(await client.todos.sync(session, payload(foreign))).toMatchObject({
      sessionId: sessionId(session),
      syncedCount: 1,
    })
    expect((await client.todos.list()).todos.map((one) => one.sessionId as string)).toEqual([session])
    expect((await client.todos.lists({ issue: issue.id })).lists.map((one) => one.sessionId as string)).toEqual([
      foreign,
    ])
    expect((await client.links.ofIssue(issue.id)).sessions.map((one) => one.session.id as string)).toEqual([foreign])
    await client.links.link(session, issue.id, {})
    expect((await client.links.ofIssue(issue.id)).sessions).toHaveLength(2)
  })
})
