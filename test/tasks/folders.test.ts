import { expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { address, sessionId } from '../../src/domain/ids'
import type { Caller } from '../../src/domain/task/worker-protocol'
import type { CreatePlan, CreateTask } from '../../src/engine/tasks/task-inputs'
import type { TaskService } from '../../src/engine/tasks/task-service'
import { createTaskService } from '../../src/engine/tasks/task-service'
import { recorderOn, transcript, write } from '../record/recording'
import { onEachDatabase } from '../store-contract/databases'
import { Crew, callerOf, OPERATOR, refused } from './crew'

onEachDatabase((database) => {
  const crew = () => new Crew(database.store)
  /** As a server makes tasks whose workers have no folder for those that name none. */
  const strictly = () => {
    const service = createTaskService({ store: database.store })
    return {
      /** What only nobody can do stays where it is. */
      create: (by: Caller, input: CreateTask, key: null) =>
        service.create(by, { ...input, requiredCapabilities: ['nobody'] }, key),
      createPlan: (by: Caller, { tasks }: CreatePlan, key: null) =>
        service.createPlan(by, { tasks: tasks.map((one) => ({ ...one, requiredCapabilities: ['nobody'] })) }, key),
    }
  }
  const dirOf = async (call: ReturnType<TaskService['create']>) => (await call).task.dir

  /** A task at work in `cwd`, its run and its worker. */
  async function atWork(c: Crew, name: string, cwd: string, more: { worktree?: boolean; dir?: string } = {}) {
    const worker = await c.worker(name, { capabilities: [name] })
    const task = await c.create({ requiredCapabilities: [name], dir: cwd, ...more })
    const given = await worker.take()
    const session = await worker.converse(given)
    const process = { pid: 1, startedAt: null, cwd, branch: null, base: null, cliVersion: '2.1.328' }
    await c.service.report(worker.caller, given.attemptId, { process })
    return { task, run: callerOf(given, worker), session: sessionId(session), worker, given }
  }

  test('a task of which nothing says where it is to run is refused, and the error says what to pass', async () => {
    const said = await refused(strictly().create(OPERATOR, { task: 'somewhere' }, null))
    expect(said).toMatchObject({ code: 'invalid', message: expect.stringContaining('no folder') })
    expect(said.hint).toContain('`dir`')
    expect(said.hint).toContain('worker.dir')
    expect(said.details).toEqual({ field: 'dir' })
    // A parent or session that nobody knows says nothing either.
    const unknown = { parentTaskId: 't-n0wh3re0', sessionId: sessionId(crypto.randomUUID()) }
    expect((await refused(strictly().create(OPERATOR, { task: 'somewhere', ...unknown }, null))).code).toBe('invalid')
    const plan = {
      tasks: [
        { key: 'a', task: 'here', dir: '/work/a' },
        { key: 'b', task: 'nowhere' },
      ],
    }
    expect((await refused(strictly().createPlan(OPERATOR, plan, null))).code).toBe('invalid')
  })

  test('below a parent that nobody knows a task starts fresh, says so, and tells nobody what it came to', async () => {
    const input = { task: 'alone', dir: '/work/a', parentTaskId: 't-typo1234' }
    const { task, routed } = await strictly().create(OPERATOR, input, null)
    expect(routed).toContain('is unknown')
    const service = createTaskService({ store: database.store })
    await service.finish(OPERATOR, task.id, { status: 'completed', output: 'done' })
    const { rows } = await database.store.messages.list({ to: address('t-typo1234') }, { limit: 10 })
    expect(rows).toEqual([])
  })

  test('what a run hands out runs in the folder of its own task', async () => {
    const { run } = await atWork(crew(), 'inherit', '/work/shop')
    expect(await dirOf(strictly().create(run, { task: 'a part' }, null))).toBe('/work/shop')
    expect(await dirOf(strictly().create(run, { task: 'another', dir: '/work/shop/till' }, null))).toBe(
      '/work/shop/till',
    )
    const { tasks } = await strictly().createPlan(run, { tasks: [{ key: 'a', task: 'planned' }] }, null)
    expect(tasks.map(({ dir }) => dir)).toEqual(['/work/shop'])
  })

  test('what a run in a work tree hands out runs in that tree, and what continues it finds the tree by the conversation', async () => {
    const c = crew()
    const { run, task, worker, given } = await atWork(c, 'tree', '/work/trees/t1', {
      worktree: true,
      dir: '/work/shop',
    })
    expect(await dirOf(strictly().create(run, { task: 'a part' }, null))).toBe('/work/trees/t1')
    await worker.end(given, 'completed')
    expect(await dirOf(strictly().create(OPERATOR, { task: 'go on', parentTaskId: task.id }, null))).toBeNull()
    const fresh = { task: 'beside', parentTaskId: task.id, continuity: 'fresh' as const }
    expect(await dirOf(strictly().create(OPERATOR, fresh, null))).toBe('/work/trees/t1')
  })

  test('a child runs where its parent does, begun or not, in its conversation or beside it', async () => {
    const c = crew()
    const parent = await c.create({ dir: '/work/barn' })
    const below = (more: object) => strictly().create(OPERATOR, { task: 'x', parentTaskId: parent.id, ...more }, null)
    expect(await dirOf(below({}))).toBe('/work/barn')
    expect(await dirOf(below({ continuity: 'fresh' }))).toBe('/work/barn')
    const { task: child } = await below({})
    expect(await dirOf(strictly().create(OPERATOR, { task: 'y', parentTaskId: child.id }, null))).toBe('/work/barn')
  })

  test('what a conversation asks for runs in the folder of that conversation', async () => {
    const id = sessionId(crypto.randomUUID())
    const line = {
      parentUuid: null,
      isSidechain: false,
      sessionId: id,
      type: 'user',
      message: { role: 'user', content: 'hello' },
      uuid: crypto.randomUUID(),
      timestamp: '2026-01-01T00:00:00.000Z',
      cwd: '/work/garden',
      version: '2.1.328',
    }
    const ref = transcript(mkdtempSync(join(tmpdir(), 'lode-folders-')), id)
    write(ref, `${JSON.stringify(line)}\n`)
    await recorderOn(database.store).recordFile(ref)
    expect(await dirOf(strictly().create(OPERATOR, { task: 'dig', sessionId: id }, null))).toBe('/work/garden')
    const spawned = { task: 'dig deeper', spawnedBy: { sessionId: id } }
    expect(await dirOf(strictly().create(OPERATOR, spawned, null))).toBe('/work/garden')
  })
})
