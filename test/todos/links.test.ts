import { afterAll, beforeAll, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type IssueId, sessionId, type TaskId } from '../../src/domain/ids'
import { ISSUE_LINK_SOURCES } from '../../src/domain/session/session-issue'
import { failureOf, onEachDatabase } from '../store-contract/databases'
import { newSession, type TodoLab, todoLab } from './todo-lab'

onEachDatabase((database) => {
  let lab: TodoLab
  let other: TodoLab
  beforeAll(() => {
    lab = todoLab(database.store)
    other = todoLab(database.store)
  })
  afterAll(() => {
    lab.remove()
    other.remove()
  })

  /** A session of the project's, as its hooks report it. */
  async function session(): Promise<string> {
    const id = newSession()
    await lab.hook(id, { hook_event_name: 'SessionStart', source: 'startup' })
    return id
  }
  const mention = (
    id: string,
    source: 'prompt' | 'branch' | 'environment',
    place: string,
    words: string[],
    at: number,
  ) =>
    database.store.write(async (tx) => {
      const key = await tx.todos.sessionKey(sessionId(id))
      if (key === undefined) throw new Error('no session')
      await tx.record.addMentions([{ sessionKey: key, source, place, words, at }])
    })
  /** As when a worker reports its run. */
  const isConversationOf = (id: string, task: TaskId) =>
    database.store.write(async (tx) => {
      const row = await tx.tasks.task(task)
      if (row !== undefined) await tx.tasks.updateTask(row.key, { lastSessionId: sessionId(id) })
    })
  const links = async (id: string) =>
    (await lab.client.links.ofSession(id, { dir: lab.dir })).issues.map(
      ({ id: issue, evidence }) => `${issue} ${evidence.map(({ source }) => source).join(' ')}`,
    )
  const sessionsOf = async (id: IssueId) =>
    (await lab.client.links.ofIssue(id, { dir: lab.dir })).sessions.map((one) => one.session.id as string)

  test('a session is linked by a person, who may take it back', async () => {
    const { client, dir, issue } = lab
    const [id, one] = [await session(), await issue('One')]
    expect(await client.links.link(id, one.id, { dir, actor: 'ann' })).toMatchObject({
      isNew: true,
      issue: { id: one.id },
    })
    expect(await client.links.link(id, one.id, { dir, actor: 'ann' })).toMatchObject({ isNew: false })
    expect(await links(id)).toEqual([`${one.id} person`])
    expect(await sessionsOf(one.id)).toEqual([id])
    const { history } = await client.issues.history(one.id, { dir })
    expect(history.filter(({ event }) => event === 'session_linked')).toMatchObject([
      { by: 'ann', new: { sessionId: id } },
    ])
    expect(await client.links.unlink(id, one.id, { dir })).toEqual({ issueIds: [one.id] })
    expect(await client.links.unlinkAll(id, { dir })).toEqual({ issueIds: [] })
    expect([await links(id), await sessionsOf(one.id)]).toEqual([[], []])
  })

  test('a session that was never recorded may be linked, by its whole id alone', async () => {
    const { client, dir, issue } = lab
    const [id, one] = [newSession(), await issue('Early')]
    await client.links.link(id, one.id, { dir })
    expect(await links(id)).toEqual([`${one.id} person`])
    expect((await failureOf(client.links.link('no-such', one.id, { dir }))).code).toBe('not_found')
    expect((await failureOf(client.links.link(id, 'ld-nothing', { dir }))).code).toBe('not_found')
  })

  test('a claim links, also once the issue is closed, and gives way to open work', async () => {
    const { client, dir, issue } = lab
    const [id, first, second] = [await session(), await issue('First'), await issue('Second')]
    const at = { dir, sessionId: sessionId(id) }
    await client.issues.claim(first.id, at)
    expect(await links(id)).toEqual([`${first.id} claim`])
    await client.issues.close(first.id, at)
    await client.issues.claim(second.id, at)
    expect(await links(id)).toEqual([`${second.id} claim`, `${first.id} claim`])
    expect(await sessionsOf(first.id)).toEqual([id])
  })

  test('a prompt or branch links when it names one issue, and the environment always', async () => {
    const { issue } = lab
    const [id, a, b, c] = [await session(), await issue('A'), await issue('B'), await issue('C')]
    await mention(id, 'prompt', 'p1', [a.id, b.id], 1_000)
    expect(await links(id)).toEqual([])
    await mention(id, 'branch', 'feature/x', [a.id], 1_500)
    await mention(id, 'prompt', 'p2', [b.id, 'no-issue'], 2_000)
    expect(await links(id)).toEqual([`${b.id} prompt`, `${a.id} branch`])
    await mention(id, 'environment', '', [c.id], 10)
    expect(await links(id)).toEqual([`${c.id} environment`, `${b.id} prompt`, `${a.id} branch`])
    expect(await sessionsOf(b.id)).toEqual([id])
    await lab.client.links.unlink(id, b.id, { dir: lab.dir })
    expect(await links(id)).toEqual([`${c.id} environment`, `${a.id} branch`])
    await mention(id, 'prompt', 'p3', [b.id], Date.now() + 60_000)
    expect(await links(id)).toEqual([`${c.id} environment`, `${b.id} prompt`, `${a.id} branch`])
    const { todos } = database.store
    const view = { now: Date.now(), linkFrom: ISSUE_LINK_SOURCES.filter((source) => source === 'branch') }
    expect((await todos.ofSession(sessionId(id), view)).issues.map((one) => one.id)).toEqual([a.id])
  })

  test('an id that two projects have means that of the own one', async () => {
    const { client, dir } = lab
    const shared = `same-${newSession().slice(-6)}`
    await client.issues.create({ dir, title: 'Here', id: shared })
    await other.client.issues.create({ dir: other.dir, title: 'There', id: shared })
    const [here, away] = [await session(), newSession()]
    await other.hook(away, { hook_event_name: 'SessionStart', source: 'startup' })
    for (const id of [here, away]) await mention(id, 'prompt', `p-${id}`, [shared], 1_000)
    const title = async (id: string) => (await client.links.ofSession(id)).issues.map((one) => one.title)
    expect([await title(here), await title(away)]).toEqual([['Here'], ['There']])
    expect(await sessionsOf(shared as IssueId)).toEqual([here])
  })

  test('a task links the session that is its conversation', async () => {
    const { client, dir, issue } = lab
    const [id, one] = [await session(), await issue('Of a task')]
    const { task } = await client.tasks.create({ task: 'Do it', issueId: one.id, dir })
    await isConversationOf(id, task.id)
    expect(await links(id)).toEqual([`${one.id} task`])
    expect(await sessionsOf(one.id)).toEqual([id])
  })

  test('of an id that two projects have, a conversation is linked to the issue that its task means', async () => {
    const { client, dir } = lab
    const shared = `task-${newSession().slice(-6)}` as IssueId
    await client.issues.create({ dir, title: 'Here', id: shared })
    await other.client.issues.create({ dir: other.dir, title: 'There', id: shared })
    const title = async (task: { dir?: string }) => {
      const id = await session()
      await isConversationOf(id, (await client.tasks.create({ task: 'Do it', issueId: shared, ...task })).task.id)
      return (await client.links.ofSession(id)).issues.map((one) => one.title)
    }
    expect(await title({ dir: other.dir })).toEqual(['There'])
    expect(await title({})).toEqual(['Here'])
    expect(await sessionsOf(shared)).toHaveLength(1)
  })

  test('a session that looked at one issue alone is asked about it, and never linked by that', async () => {
    const { client, dir, issue } = lab
    const [id, one, two] = [await session(), await issue('Looked at'), await issue('Too')]
    await client.links.saw(id, one.id, { dir })
    await client.links.saw(id, one.id, { dir })
    expect(await client.links.ofSession(id)).toEqual({ issues: [], suggestion: { id: one.id, title: 'Looked at' } })
    await client.links.saw(id, two.id, { dir })
    expect((await client.links.ofSession(id)).suggestion).toBeNull()
  })

  test('what is kept of a session goes when it is forgotten', async () => {
    const { client, dir, sync, issue } = lab
    const [id, one] = [await session(), await issue('Stays')]
    await sync(id, [{ content: 'x', status: 'pending' }])
    await client.links.link(id, one.id, { dir })
    await client.links.saw(id, one.id, { dir })
    await client.todos.finalize(id)
    const [todo] = (await client.todos.list({ sessionId: id })).todos
    const { issue: made } = await client.todos.promote(todo?.id ?? '', { dir })
    await client.sessions.forget(id)
    expect(await database.store.links.ofSession(sessionId(id), ISSUE_LINK_SOURCES)).toEqual([])
    expect(await sessionsOf(one.id)).toEqual([])
    expect((await client.issues.get(made.id, { dir })).issue.status).toBe('open')
    expect(await database.store.write((tx) => tx.todos.promotion(todo?.id ?? ('' as never)))).toBeUndefined()
    expect((await failureOf(sync(id, [{ content: 'x', status: 'pending' }]))).code).toBe('not_found')
  })

  test('the program of hooks finds the same current issue, with what the environment says', async () => {
    const { issue, dir } = lab
    const [id, a] = [await session(), await issue('Named')]
    const drive = database.store.recall
    expect((await drive.issue(dir, sessionId(id), a.id))?.id).toBe(a.id)
    expect(await drive.issue(dir, sessionId(id), null)).toBeUndefined()
  })

  test('a transcript on disk links its session by what the person asked for', async () => {
    const { dir, issue, root, services } = lab
    const [id, one] = [newSession(), await issue('Asked for')]
    const folder = join(root, 'claude', 'projects', '-p')
    mkdirSync(folder, { recursive: true })
    const line = {
      parentUuid: null,
      isSidechain: false,
      userType: 'external',
      cwd: dir,
      sessionId: id,
      version: '2.1.328',
      gitBranch: 'main',
      type: 'user',
      message: { role: 'user', content: `please fix ${one.id} now` },
      uuid: crypto.randomUUID(),
      timestamp: new Date().toISOString(),
    }
    appendFileSync(join(folder, `${id}.jsonl`), `${JSON.stringify(line)}\n`)
    await services.importPaths([join(folder, `${id}.jsonl`)])
    expect(await links(id)).toEqual([`${one.id} prompt`])
  })
})
