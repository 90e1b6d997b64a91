import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { emptyRepository } from '../../lab/empty-repository'
import { onEachDatabase } from '../../store-contract/databases'
import { joinWorker, serveTasks } from '../tasks/serve-tasks'

/** A project's folder that goes with the test. */
function project() {
  const dir = mkdtempSync('/tmp/ld-api-issues-')
  emptyRepository(dir)
  return {
    dir,
    file: () => readFileSync(join(dir, '.lodeline/issues.jsonl'), 'utf8'),
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  }
}

async function refused(call: Promise<unknown>): Promise<{ code: string; hint?: string; details?: unknown }> {
  try {
    await call
  } catch (thrown) {
    return thrown as { code: string }
  }
  throw new Error('it was not refused')
}

onEachDatabase((database) => {
  test('an issue lives from its creation to its end, and every answer has it in the same shape', async () => {
    await using api = serveTasks(database.store)
    using at = project()
    const scope = { dir: at.dir, actor: 'ann' }
    const { issues } = api.client
    const { issue: epic } = await issues.create({ ...scope, title: 'All of it', issueType: 'epic' })
    const { issue: child } = await issues.create({
      ...scope,
      title: 'First part',
      parentId: epic.id,
      priority: 1,
      labels: ['ui'],
    })
    expect(child.id).toBe(`${epic.id}.1` as typeof child.id)
    const { issue: later } = await issues.create({
      ...scope,
      title: 'Second',
      dependencies: [{ dependsOnId: child.id }],
    })
    expect((await issues.ready(scope)).issues.map(({ id }) => id)).toEqual([child.id, epic.id])
    expect((await issues.blocked(scope)).issues).toMatchObject([{ id: later.id, blockedBy: [child.id] }])
    expect(await issues.explain(later.id, scope)).toMatchObject({ isReady: false, reasons: [{ kind: 'blocked-by' }] })
    const session = '11111111-2222-4333-8444-555555555555' as never
    const claimed = await issues.claim(child.id, { ...scope, sessionId: session })
    expect(claimed.issue).toMatchObject({ status: 'in_progress', assignee: 'ann', activeTaskSession: session })
    expect(claimed.issue.claim).toMatchObject({ holder: 'ann', sessionId: session, state: 'unknown' })
    expect((await refused(issues.claim(child.id, { dir: at.dir, actor: 'bob' }))).code).toBe('conflict')
    expect((await refused(issues.close(later.id, scope))).details).toMatchObject({ blockers: [child.id] })
    expect((await refused(issues.close(epic.id, scope))).details).toMatchObject({ children: [child.id] })
    const closed = await issues.close(child.id, { ...scope, reason: 'done well', sessionId: session })
    expect(closed.issue).toMatchObject({
      status: 'closed',
      closeReason: 'done well',
      closedBySession: session,
      claim: null,
    })
    expect((await issues.ready(scope)).issues.map(({ id }) => id)).toContain(later.id)
    expect((await issues.epics(scope)).epics).toMatchObject([{ totalChildren: 1, isEligibleForClose: true }])
    expect((await issues.reopen(child.id, scope)).issue).toMatchObject({ status: 'open', closedAt: null })
    const { comment, issue } = await issues.comment(child.id, { ...scope, text: 'look again' })
    expect(issue.comments).toEqual([comment])
    const shown = await issues.get(epic.id, scope)
    expect(shown.children.map(({ id }) => id)).toEqual([child.id])
    expect(shown.path).toEndWith('.lodeline/issues.jsonl')
    const listed = await issues.list({ ...scope, text: 'SECOND' })
    expect(listed).toMatchObject({ issues: [{ id: later.id }], total: 1, isTruncated: false })
    const { history } = await issues.history(child.id, scope)
    expect(history.map(({ event }) => event)).toEqual(['commented', 'reopened', 'closed', 'claimed', 'created'])
    expect((await issues.stats(scope)).total).toBe(3)
    expect((await issues.labels(scope)).labels).toEqual([{ label: 'ui', count: 1 }])
    expect((await issues.tree(later.id, scope)).nodes.map(({ id, depth }) => [id, depth])).toEqual([
      [later.id, 0],
      [child.id, 1],
      [epic.id, 2],
    ])
    expect(await issues.export(scope)).toBe(at.file())
  })

  test('a type may be a name that every object has', async () => {
    await using api = serveTasks(database.store)
    using at = project()
    const scope = { dir: at.dir, actor: 'ann' }
    const { issues } = api.client
    for (const issueType of ['__proto__', '__proto__', 'constructor']) {
      const { issue } = await issues.create({ ...scope, title: 'it', issueType })
      const { issue: other } = await issues.create({ ...scope, title: 'other', issueType: 'bug' })
      await issues.addDependency(issue.id, { ...scope, dependsOnId: other.id, type: issueType })
      expect((await issues.get(issue.id, scope)).issue.dependencies).toMatchObject([{ type: issueType }])
    }
    const { byType } = await issues.stats(scope)
    expect(Object.entries(byType).sort()).toEqual([
      ['__proto__', 2],
      ['bug', 3],
      ['constructor', 1],
    ])
  })

  test('who edits what somebody else has changed is told, and nothing is lost', async () => {
    await using api = serveTasks(database.store)
    using at = project()
    const scope = { dir: at.dir, actor: 'ann' }
    const { issues } = api.client
    const { issue: seen } = await issues.create({ ...scope, title: 'it', description: 'first' })
    const { issue: theirs } = await issues.update(seen.id, { ...scope, description: 'theirs' })
    const mine = { ...scope, description: 'mine', ifUpdatedAt: seen.updatedAt }
    const error = await refused(issues.update(seen.id, mine))
    expect(error).toMatchObject({ code: 'conflict', details: { updatedAt: theirs.updatedAt } })
    expect((await issues.get(seen.id, scope)).issue.description).toBe('theirs')
    await issues.update(seen.id, { ...mine, ifUpdatedAt: theirs.updatedAt })
    expect((await issues.get(seen.id, scope)).issue.description).toBe('mine')
  })

  test('the projects whose issues are known are listed by the folder that chooses them', async () => {
    await using api = serveTasks(database.store)
    using one = project()
    using other = project()
    const { issues } = api.client
    for (const { dir } of [one, other]) await issues.create({ dir, title: dir })
    const { trackers } = await issues.trackers({})
    for (const { dir } of [one, other]) {
      const tracker = trackers.find(({ path }) => path.startsWith(`${dir}/`))
      expect(tracker).toMatchObject({ dir })
      expect((await issues.list({ dir: tracker?.dir ?? '' })).issues.map(({ title }) => title)).toEqual([dir])
    }
    expect(trackers.map(({ dir }) => dir)).toEqual(trackers.map(({ dir }) => dir).sort())
  })

  test('circles are refused over all edges that block, parents included', async () => {
    await using api = serveTasks(database.store)
    using at = project()
    const scope = { dir: at.dir, actor: 'ann' }
    const { issues } = api.client
    for (const id of ['c-1', 'c-2', 'c-3']) await issues.create({ ...scope, id, title: id })
    await issues.addDependency('c-1', { ...scope, dependsOnId: 'c-2', type: 'waits-for' })
    await issues.addDependency('c-2', { ...scope, dependsOnId: 'c-3', type: 'parent-child' })
    expect((await refused(issues.addDependency('c-3', { ...scope, dependsOnId: 'c-1' }))).code).toBe('conflict')
    expect((await refused(issues.addDependency('c-3', { ...scope, dependsOnId: 'c-3' }))).code).toBe('invalid')
    expect((await issues.addDependency('c-3', { ...scope, dependsOnId: 'c-1', type: 'related' })).issue.id).toBe(
      'c-3' as never,
    )
    expect((await refused(issues.addDependency('c-3', { ...scope, dependsOnId: 'c-1' }))).code).toBe('conflict')
    const { issue } = await issues.removeDependency('c-3', 'c-1', scope)
    expect(issue.dependencies).toEqual([])
    expect((await issues.cycles(scope)).cycles).toEqual([])
  })

  test('ids are found by their ends, and by what nearly is one', async () => {
    await using api = serveTasks(database.store)
    using at = project()
    const { issues } = api.client
    for (const id of ['ld-abcd', 'ld-abce']) await issues.create({ dir: at.dir, id, title: id })
    expect((await issues.get('abcd', { dir: at.dir })).issue.id).toBe('ld-abcd' as never)
    expect(await refused(issues.get('abc', { dir: at.dir }))).toMatchObject({ code: 'conflict' })
    const unknown = await refused(issues.get('ld-abcx', { dir: at.dir }))
    expect(unknown).toMatchObject({ code: 'not_found', details: { nearest: ['ld-abcd', 'ld-abce'] } })
  })

  test('a create that is sent again makes one issue', async () => {
    await using api = serveTasks(database.store)
    using at = project()
    const options = { idempotencyKey: crypto.randomUUID() }
    const made = await Promise.all(
      [1, 2, 3].map(() => api.client.issues.create({ dir: at.dir, title: 'once' }, options)),
    )
    expect(new Set(made.map(({ issue }) => issue.id)).size).toBe(1)
    expect((await api.client.issues.list({ dir: at.dir })).total).toBe(1)
  })

  test('hostile input ends in an error that says what is wrong, and changes nothing', async () => {
    await using api = serveTasks(database.store)
    using at = project()
    const { issues } = api.client
    const scope = { dir: at.dir }
    await issues.create({ ...scope, id: 'h-1', title: 'it' })
    const before = at.file()
    const cases: [() => Promise<unknown>, string][] = [
      [() => issues.create({ ...scope, title: '   ' }), 'invalid'],
      [() => issues.create({ ...scope, title: 'x'.repeat(501) }), 'too_large'],
      [() => issues.create({ ...scope, title: 'x', id: '../../etc' }), 'invalid'],
      [() => issues.create({ ...scope, title: 'x', parentId: 'nope' }), 'not_found'],
      [() => issues.create({ ...scope, title: 'x', status: 'odd' }), 'invalid'],
      [() => issues.create({ ...scope, title: 'x', labels: ['a\nb'] }), 'invalid'],
      [() => issues.create({ dir: 'relative', title: 'x' }), 'invalid'],
      [() => issues.create({ dir: '/no/such/folder', title: 'x' }), 'not_found'],
      [() => issues.update('h-1', { ...scope, priority: 2, title: '' }), 'invalid'],
      [() => issues.update('h-1', { ...scope, parentId: 'h-1' }), 'invalid'],
      [() => issues.list({ ...scope, cursor: 'bm9uc2Vuc2U' }), 'invalid'],
      [() => issues.import({ ...scope, path: '/dev/zero' }), 'invalid'],
    ]
    for (const [call, code] of cases) expect((await refused(call())).code).toBe(code)
    expect(at.file()).toBe(before)
    const { issue } = await issues.create({ ...scope, title: 'nul \0 and \ud800', description: '`$(rm -rf)` \u2028' })
    expect(issue.title).toBe('nul \ufffd and \ufffd')
    expect((await issues.get(issue.id, scope)).issue.description).toBe('`$(rm -rf)` \u2028')
  })

  test('without a folder an issue is found wherever it is, and where two have it the folder is asked for', async () => {
    await using api = serveTasks(database.store)
    using one = project()
    using other = project()
    const { issues } = api.client
    await issues.create({ dir: one.dir, id: 'two-1', title: 'in one' })
    await issues.create({ dir: one.dir, id: 'one-only', title: 'in one' })
    await issues.create({ dir: other.dir, id: 'two-1', title: 'in other' })
    expect((await issues.get('one-only', {})).issue.title).toBe('in one')
    await issues.update('one-only', { priority: 0 })
    expect(one.file()).toContain('"priority":0')
    expect((await refused(issues.get('two-1', {}))).code).toBe('conflict')
    expect((await issues.get('two-1', { dir: other.dir })).issue.title).toBe('in other')
  })

  test('a run acts under its agent’s name in its own folder, and may not delete', async () => {
    await using api = serveTasks(database.store)
    using at = project()
    const { issue } = await api.client.issues.create({ dir: at.dir, title: 'to do' })
    const worker = await joinWorker(api)
    const { task } = await api.client.tasks.create({ task: 'do it', dir: at.dir, agentId: worker.id })
    const { assignments } = await worker.poll({ waitMs: 0 })
    const given = assignments.find((one) => one.task.id === task.id)
    const run = api.as(given?.token ?? '')
    const { issue: claimed } = await run.issues.claim(issue.id, { actor: 'somebody else' })
    expect(claimed.claim).toMatchObject({ holder: worker.join.name, agentId: worker.id, state: 'alive' })
    expect((await refused(run.issues.delete(issue.id, { confirm: true }))).code).toBe('forbidden')
    expect((await refused(run.issues.sync({}))).code).toBe('forbidden')
    expect((await run.issues.close(issue.id, {})).issue).toMatchObject({ status: 'closed' })
  })

  test('epics made for tasks are issues', async () => {
    await using api = serveTasks(database.store)
    const { epic } = await api.client.epics.create({ title: 'Big' })
    expect((await api.client.issues.get(epic.id, {})).issue).toMatchObject({ issueType: 'epic', title: 'Big' })
    await api.client.issues.update(epic.id, { title: 'Bigger' })
    expect((await api.client.epics.get(epic.id)).epic.title).toBe('Bigger')
  })
})
