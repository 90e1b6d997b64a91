import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAppError } from '../../src/domain/errors'
import { hookJournalFolder } from '../../src/util/hook-journal'
import { onEachDatabase } from '../store-contract/databases'
import { newSession, type TodoLab, todoLab } from './todo-lab'

const item = (content: string, status = 'pending') => ({ content, status, activeForm: `${content} now` })

async function failure(call: Promise<unknown>): Promise<{ code: string; message: string; details?: unknown }> {
  try {
    await call
  } catch (thrown) {
    if (isAppError(thrown)) return thrown
    throw thrown
  }
  throw new Error('it was not refused')
}

onEachDatabase((database) => {
  let lab: TodoLab
  beforeAll(() => {
    lab = todoLab(database.store)
  })
  afterAll(() => lab.remove())

  describe('a payload of a to-do tool', () => {
    test('is in the record when it is answered, and again changes nothing', async () => {
      const { client, sync } = lab
      expect(await sync('test', [item('Test')])).toEqual({
        sessionId: 'test' as never,
        syncedCount: 1,
        leftOutCount: 0,
        changed: true,
      })
      const { todos } = await client.todos.list({ sessionId: 'test' })
      expect(todos.map(({ content, status, leftOpen }) => ({ content, status, leftOpen }))).toEqual([
        { content: 'Test', status: 'pending', leftOpen: false },
      ])
      expect(await sync('test', [item('Test')], { tool_use_id: 'toolu_again' })).toMatchObject({ changed: false })
    })

    test('gives each item a history of who did what', async () => {
      const { client, sync } = lab
      const session = newSession()
      await sync(session, [item('Write'), item('Read')])
      await sync(session, [item('Write', 'completed'), item('Read')])
      const [todo] = (await client.todos.list({ sessionId: session })).todos
      if (todo === undefined) throw new Error('no to-do')
      expect(todo).toMatchObject({ completedBy: 'agent', changedBy: { sessionId: session, subagentId: null } })
      const { history, droppedCount } = await client.todos.history(todo.id.slice(0, 10))
      expect(history.map(({ change, to }) => `${change} ${to}`)).toEqual(['created pending', 'status completed'])
      expect(history[1]?.by).toEqual({ sessionId: session as never, subagentId: null })
      expect(droppedCount).toBe(0)
    })

    test('of another tool changes nothing and is not kept', async () => {
      const { client, home } = lab
      const session = newSession()
      const sizes = () =>
        readdirSync(hookJournalFolder(home)).map((name) => readFileSync(join(hookJournalFolder(home), name)).length)
      const before = sizes()
      const payload = { session_id: session, tool_name: 'Bash', tool_input: { command: 'true' } }
      expect(await client.todos.sync(session, Buffer.from(JSON.stringify(payload)))).toEqual({
        sessionId: session as never,
        syncedCount: 0,
        leftOutCount: 0,
        changed: false,
      })
      expect(sizes()).toEqual(before)
      expect(await database.store.sessions.find(session as never)).toBeUndefined()
    })

    test('with more items than are kept says so and keeps the first', async () => {
      const { client, sync } = lab
      const session = newSession()
      const error = await failure(
        sync(
          session,
          Array.from({ length: 1_003 }, (_, at) => item(`Item ${at}`)),
        ),
      )
      expect(error).toMatchObject({
        code: 'too_large',
        details: { sessionId: session, syncedCount: 1_000, leftOutCount: 3, changed: true },
      })
      const list = await client.todos.ofSession(session)
      expect([list.todos.length, list.leftOutCount, list.todos.at(-1)?.content]).toEqual([1_000, 3, 'Item 999'])
    })

    test('is told by the path whose it is, whatever it says itself', async () => {
      const { client } = lab
      const [own, other] = [newSession(), newSession()]
      const payload = { session_id: other, tool_name: 'TodoWrite', tool_input: { todos: [item('Mine')] } }
      await client.todos.sync(own, Buffer.from(JSON.stringify(payload)))
      expect((await client.todos.list({ sessionId: own })).todos).toHaveLength(1)
      expect(await database.store.sessions.find(other as never)).toBeUndefined()
    })

    test('that is no object, or not JSON, is refused', async () => {
      const { client } = lab
      for (const text of ['', '{', '[]', '5', 'null'])
        expect((await failure(client.todos.sync(newSession(), Buffer.from(text)))).code).toBe('invalid')
    })
  })

  test('hostile ids touch nothing', async () => {
    const { app, client, root } = lab
    const before = readdirSync(root).sort()
    const ids = [
      '../x',
      '..',
      '.',
      'a/../b',
      'x'.repeat(10_000),
      'nul\0',
      'line\nbreak',
      'tab\t',
      'a\\b',
      '\u202e',
      'a b',
    ]
    for (const id of ids) {
      const payload = Buffer.from(JSON.stringify({ tool_name: 'TodoWrite', tool_input: { todos: [item('x')] } }))
      for (const call of [
        client.todos.sync(id, payload),
        client.todos.ofSession(id),
        client.todos.finalize(id),
        client.todos.take(id, { todoIds: ['cct-123456'] }),
        client.links.link(id, 'ld-1', {}),
        client.links.unlinkAll(id),
        client.links.saw(id, 'ld-1', {}),
        client.links.ofIssue(id),
        ...(id.includes('/') && !id.includes('..') ? [] : [client.todos.history(id), client.todos.promote(id)]),
      ]) {
        const { code } = await failure(call)
        expect([id.slice(0, 20), ['invalid', 'not_found'].includes(code)]).toEqual([id.slice(0, 20), true])
      }
    }
    const raw = await app.fetch(
      new Request('http://lodeline.invalid/api/sessions/..%2F..%2Fetc/todos/sync', { method: 'POST', body: '{}' }),
    )
    expect(raw.status).toBe(400)
    expect(readdirSync(root).sort()).toEqual(before)
    expect(existsSync(join(root, 'x'))).toBe(false)
  })

  describe('a list that has ended', () => {
    test('leaves what is open, and goes on with the next change', async () => {
      const { client, sync } = lab
      const session = newSession()
      await sync(session, [item('One', 'completed'), item('Two', 'in_progress'), item('Three')])
      expect((await client.todos.ofSession(session)).endedAt).toBeNull()
      expect(await client.todos.finalize(session)).toEqual({ leftOpen: 2, completed: 1 })
      const ended = await client.todos.ofSession(session)
      expect(ended.todos.map(({ leftOpen }) => leftOpen)).toEqual([false, true, true])
      expect(ended.endedAt).not.toBeNull()
      expect(ended.progress).toEqual({ completed: 1, inProgress: 1, total: 3 })
      await Bun.sleep(2)
      await sync(session, [item('One', 'completed'), item('Two', 'completed'), item('Three')])
      const again = await client.todos.ofSession(session)
      expect([again.endedAt, again.todos.some(({ leftOpen }) => leftOpen)]).toEqual([null, false])
    })

    test('ends its session, which is nobody at work any longer and is left once, until it goes on', async () => {
      const { client, sync, issue, dir } = lab
      const [session, fellow] = [newSession(), newSession()]
      const { id } = await issue('The whole')
      await sync(session, [item('Left over')])
      await sync(fellow, [item('Own')])
      for (const one of [session, fellow]) await client.links.link(one, id, { dir, actor: 'ann' })
      const statusOf = async () => (await client.sessions.get(session)).session.status
      const prime = async () => client.recall({ moment: 'startup', sessionId: fellow, folder: dir })
      expect(await statusOf()).toBe('running')
      expect(await prime()).toContain('Working on the same issue now')
      await client.todos.finalize(session)
      expect(await statusOf()).toBe('ended')
      const told = await prime()
      expect(told).not.toContain('Working on the same issue now')
      expect(told.split('Left over').length - 1).toBe(1)
      // It was said, not derived: a rebuild keeps it.
      await lab.rebuild()
      expect(await statusOf()).toBe('ended')
      await Bun.sleep(2)
      await sync(session, [item('Left over', 'completed')])
      expect(await statusOf()).toBe('running')
    })

    test('leaves what is open when its session ends without a word', async () => {
      const { client, sync, hook } = lab
      const session = newSession()
      await sync(session, [item('Open')])
      await hook(session, { hook_event_name: 'SessionEnd', reason: 'other' })
      const list = await client.todos.ofSession(session)
      expect([list.status, list.todos[0]?.leftOpen]).toEqual(['ended', true])
      expect((await client.todos.list({ active: true })).todos.some(({ sessionId }) => sessionId === session)).toBe(
        false,
      )
      expect((await client.todos.list({ active: false })).todos.some(({ sessionId }) => sessionId === session)).toBe(
        true,
      )
    })

    test('gives its items to a session that takes them, once', async () => {
      const { client, sync } = lab
      const [from, to, third] = [newSession(), newSession(), newSession()]
      await sync(from, [item('Left'), item('Done', 'completed')])
      await sync(to, [item('Own')])
      const [left, done] = (await client.todos.list({ sessionId: from })).todos
      if (left === undefined || done === undefined) throw new Error('no to-dos')
      expect((await failure(client.todos.take(to, { todoIds: [left.id] }))).code).toBe('conflict')
      await client.todos.finalize(from)
      expect((await failure(client.todos.take(to, { todoIds: [left.id, done.id] }))).code).toBe('conflict')
      expect((await client.todos.list({ sessionId: from })).todos[0]?.takenBy).toBeNull()
      expect(await client.todos.take(to, { todoIds: [left.id.slice(0, 12)] })).toEqual({ taken: [left.id] })
      expect(await client.todos.take(to, { todoIds: [left.id] })).toEqual({ taken: [] })
      expect((await failure(client.todos.take(third, { todoIds: [left.id] }))).code).toBe('conflict')
      const taken = await client.todos.ofSession(to)
      expect(taken.todos.map(({ content, takenBy, leftOpen }) => [content, takenBy, leftOpen])).toContainEqual([
        'Left',
        to,
        false,
      ])
      expect((await client.todos.ofSession(from)).todos[0]).toMatchObject({ takenBy: to, leftOpen: false })
    })
  })

  describe('a promoted to-do', () => {
    test('becomes a child of the issue that its session works on, once', async () => {
      const { client, dir, sync, issue } = lab
      const session = newSession()
      const parent = await issue('The whole')
      await sync(session, [item('A part\nof it')])
      await client.links.link(session, parent.id, { dir, actor: 'ann' })
      const [todo] = (await client.todos.list({ sessionId: session })).todos
      if (todo === undefined) throw new Error('no to-do')
      const made = await client.todos.promote(todo.id, { dir })
      expect(made).toMatchObject({ isNew: true, issue: { title: 'A part of it', parentId: parent.id, status: 'open' } })
      expect(made.issue.description).toContain(session)
      expect(readFileSync(join(dir, '.lodeline/issues.jsonl'), 'utf8')).toContain(made.issue.id)
      expect(await client.todos.promote(todo.id, { dir })).toMatchObject({ isNew: false, issue: { id: made.issue.id } })
      expect((await client.todos.list({ sessionId: session })).todos[0]?.promotedTo).toBe(made.issue.id)
    })

    test('is completed when its issue is closed, and open again when that is', async () => {
      const { client, dir, sync } = lab
      const session = newSession()
      await sync(session, [item('Do it')])
      const find = async () => (await client.todos.list({ sessionId: session })).todos[0]
      const id = (await find())?.id ?? ''
      const { issue } = await client.todos.promote(id, { dir })
      expect(issue.parentId).toBeNull()
      await client.issues.close(issue.id, { dir })
      expect(await find()).toMatchObject({ status: 'completed', completedBy: 'issue' })
      expect((await client.todos.ofSession(session)).progress).toEqual({ completed: 1, inProgress: 0, total: 1 })
      await client.issues.reopen(issue.id, { dir })
      expect(await find()).toMatchObject({ status: 'pending', completedBy: null })
    })

    test('closes its issue when it is completed, and does not close it again', async () => {
      const { client, dir, sync } = lab
      const session = newSession()
      await sync(session, [item('Do it too')])
      const [todo] = (await client.todos.list({ sessionId: session })).todos
      const { issue } = await client.todos.promote(todo?.id ?? '', { dir })
      await sync(session, [item('Do it too', 'completed')])
      const closed = await client.issues.get(issue.id, { dir })
      expect([closed.issue.status, closed.issue.closeReason]).toEqual([
        'closed',
        `Its to-do ${todo?.id} was completed in session ${session}`,
      ])
      expect(readFileSync(join(dir, '.lodeline/issues.jsonl'), 'utf8')).toContain('"status":"closed"')
      await client.issues.reopen(issue.id, { dir })
      expect((await client.issues.get(issue.id, { dir })).issue.status).toBe('open')
    })

    test('leaves an issue open that is blocked, and says so in its history', async () => {
      const { client, dir, sync, issue } = lab
      const session = newSession()
      await sync(session, [item('Blocked work')])
      const [todo] = (await client.todos.list({ sessionId: session })).todos
      const made = await client.todos.promote(todo?.id ?? '', { dir })
      const blocker = await issue('First this')
      await client.issues.addDependency(made.issue.id, { dir, dependsOnId: blocker.id })
      await sync(session, [item('Blocked work', 'completed')])
      expect((await client.issues.get(made.issue.id, { dir })).issue.status).toBe('open')
      const { history } = await client.issues.history(made.issue.id, { dir })
      expect(history.filter(({ event }) => event === 'todo_completed')).toHaveLength(1)
    })

    test('that is done, or below an issue that is as deep as can be, is handled', async () => {
      const { client, dir, sync, issue } = lab
      const session = newSession()
      let parentId = (await issue('Root')).id
      for (const title of ['a', 'b', 'c']) parentId = (await issue(title, { parentId })).id
      await sync(session, [item('Deep'), item('Done', 'completed')])
      await client.links.link(session, parentId, { dir })
      const [deep, done] = (await client.todos.list({ sessionId: session })).todos
      expect((await failure(client.todos.promote(done?.id ?? '', { dir }))).code).toBe('conflict')
      expect((await client.todos.promote(deep?.id ?? '', { dir })).issue.parentId).toBe(
        parentId.replace(/\.\d+$/, '') as never,
      )
    })
  })

  test('lists come by session, the newest change first, page by page', async () => {
    const { client, sync } = lab
    const sessions = [newSession(), newSession(), newSession()]
    for (const session of sessions) {
      await sync(session, [item(`of ${session}`)])
      await Bun.sleep(2)
    }
    const first = await client.todos.lists({ limit: 2 })
    expect(first.lists.map(({ sessionId }) => sessionId as string)).toEqual([sessions[2] ?? '', sessions[1] ?? ''])
    const second = await client.todos.lists({ limit: 2, cursor: first.nextCursor ?? '' })
    expect(second.lists[0]?.sessionId as string).toBe(sessions[0] ?? '')
    expect((await failure(client.todos.lists({ limit: 2, active: true, cursor: first.nextCursor ?? '' }))).code).toBe(
      'invalid',
    )
  })

  test('old to-dos go, and those of sessions that were heard of stay', async () => {
    const { client, services, sync } = lab
    const session = newSession()
    await sync(session, [item('Young')])
    await services.todos.dropOld(1)
    expect((await client.todos.list({ sessionId: session })).todos).toHaveLength(1)
    await database.store.write((tx) => tx.todos.dropOld(tx.now + 1_000, 1_000))
    expect((await client.todos.list({ sessionId: session })).todos).toEqual([])
  })
})
