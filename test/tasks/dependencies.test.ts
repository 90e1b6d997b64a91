import { describe, expect, test } from 'bun:test'
import type { TaskId } from '../../src/domain/ids'
import { onEachDatabase } from '../store-contract/databases'
import { Crew, OPERATOR, refused } from './crew'

onEachDatabase((database) => {
  const crew = () => new Crew(database.store)
  const complete = (c: Crew, id: TaskId) => c.service.finish(OPERATOR, id, { status: 'completed' })
  const failTask = (c: Crew, id: TaskId) => c.service.finish(OPERATOR, id, { status: 'failed', failureReason: 'no' })
  const statusOf = async (c: Crew, ...ids: TaskId[]) =>
    await Promise.all(ids.map(async (id) => (await c.task(id)).status))

  describe('a task that depends on others', () => {
    test('is for nobody before the last of them is completed', async () => {
      const c = crew()
      const worker = await c.worker('deps')
      const [a, b] = [await c.create({ status: 'backlog' }), await c.create({ status: 'backlog' })]
      const task = await c.create({ dependsOn: [a.id, b.id, a.id] })
      expect(task).toMatchObject({
        status: 'pending',
        waitingFor: 'dependency',
        reason: 'created by operator; waits for its dependencies, 2 unfinished',
      })
      expect([...task.dependsOn].sort()).toEqual([a.id, b.id].sort())
      await complete(c, a.id)
      expect((await worker.poll({ capacity: 1 })).assignments).toEqual([])
      expect((await refused(c.service.claim(worker.caller, task.id, {}))).message).toContain('waits for a task')
      await complete(c, b.id)
      expect(await c.task(task.id)).toMatchObject({
        status: 'unassigned',
        reason: `its dependency ${b.id} completed; queued`,
      })
      expect((await worker.take()).task.id).toBe(task.id)
    })

    test('on completed ones is free at once', async () => {
      const c = crew()
      const a = await c.create()
      await complete(c, a.id)
      expect(await c.create({ dependsOn: [a.id] })).toMatchObject({ status: 'unassigned', waitingFor: null })
    })

    test('fails with them, transitively and with the reason, unless it is to wait', async () => {
      const c = crew()
      const a = await c.create()
      const b = await c.create({ dependsOn: [a.id] })
      const d = await c.create({ dependsOn: [b.id], status: 'backlog' })
      const waits = await c.create({ dependsOn: [a.id], onDependencyFailure: 'wait' })
      await failTask(c, a.id)
      expect(await c.task(b.id)).toMatchObject({
        status: 'failed',
        failureClass: 'dependency_failed',
        failureReason: `its dependency ${a.id} failed`,
        finishedBy: 'system',
      })
      expect(await c.task(d.id)).toMatchObject({
        status: 'failed',
        failureReason: `its dependency ${b.id} failed`,
      })
      expect(await c.task(waits.id)).toMatchObject({ status: 'pending', waitingFor: 'dependency' })
      const late = await c.create({ dependsOn: [a.id] })
      expect(late).toMatchObject({ status: 'failed', failureClass: 'dependency_failed' })
    })

    test('on a cancelled one fails with that, and its own completed children do not', async () => {
      const c = crew()
      const a = await c.create()
      const done = await c.create()
      await complete(c, done.id)
      const b = await c.create({ dependsOn: [a.id, done.id] })
      await c.service.cancel(OPERATOR, a.id, {})
      expect(await c.task(b.id)).toMatchObject({ failureReason: `its dependency ${a.id} was cancelled` })
      expect((await c.task(done.id)).status).toBe('completed')
    })

    test('comes back when what it failed by is tried again, and not while another of them is failed', async () => {
      const c = crew()
      const [a, other] = [await c.create(), await c.create()]
      const b = await c.create({ dependsOn: [a.id] })
      const d = await c.create({ dependsOn: [b.id, a.id] })
      const both = await c.create({ dependsOn: [a.id, other.id] })
      await failTask(c, a.id)
      await failTask(c, other.id)
      expect(await statusOf(c, b.id, d.id, both.id)).toEqual(['failed', 'failed', 'failed'])
      await c.service.retry(OPERATOR, a.id, {})
      expect(await statusOf(c, a.id, b.id, d.id, both.id)).toEqual(['unassigned', 'pending', 'pending', 'failed'])
      await c.service.retry(OPERATOR, other.id, {})
      expect((await c.task(both.id)).status).toBe('pending')
      expect((await c.moves(d.id)).map((line) => line.split(':')[0])).toEqual([
        'created -> pending',
        'pending -> failed',
        'failed -> pending',
      ])
      for (const id of [a.id, other.id, b.id]) await complete(c, id)
      expect(await statusOf(c, d.id, both.id)).toEqual(['unassigned', 'unassigned'])
    })

    test('is never failed by a retry of what it depends on, and stays failed for a reason of its own', async () => {
      const c = crew()
      const a = await c.create()
      const b = await c.create({ dependsOn: [a.id] })
      await failTask(c, b.id)
      await failTask(c, a.id)
      await c.service.retry(OPERATOR, a.id, {})
      expect(await c.task(b.id)).toMatchObject({ status: 'failed', failureClass: 'agent' })
      await complete(c, a.id)
      expect(await c.service.retry(OPERATOR, b.id, {})).toMatchObject({ status: 'unassigned' })
    })

    test('that is tried again before them waits for them', async () => {
      const c = crew()
      const a = await c.create()
      const b = await c.create({ dependsOn: [a.id] })
      await failTask(c, a.id)
      expect(await c.service.retry(OPERATOR, b.id, {})).toMatchObject({ status: 'pending', waitingFor: 'dependency' })
      expect(await c.service.patch(OPERATOR, b.id, { dependsOn: [] })).toMatchObject({
        status: 'unassigned',
        dependsOn: [],
      })
    })
  })

  describe('changed dependencies', () => {
    test('can not form a circle of any length, nor name the task itself, and a refused change changes nothing', async () => {
      const c = crew()
      const a = await c.create()
      const b = await c.create({ dependsOn: [a.id] })
      const d = await c.create({ dependsOn: [b.id] })
      const before = await c.task(a.id)
      for (const on of [a.id, b.id, d.id])
        expect(await refused(c.service.patch(OPERATOR, a.id, { title: 'new', dependsOn: [on] }))).toMatchObject({
          code: 'invalid',
          details: { field: 'dependsOn' },
        })
      expect((await refused(c.service.patch(OPERATOR, a.id, { dependsOn: ['t-zzzzzzzz'] }))).code).toBe('not_found')
      expect(await c.task(a.id)).toEqual(before)
    })

    test('made at the same time can not close a circle together', async () => {
      const c = crew()
      for (let turn = 0; turn < 5; turn++) {
        const [a, b] = [await c.create(), await c.create()]
        const d = await c.create({ dependsOn: [b.id] })
        const [e] = [await c.create({ dependsOn: [a.id] })]
        const made = await Promise.allSettled([
          c.service.patch(OPERATOR, a.id, { dependsOn: [d.id] }),
          c.service.patch(OPERATOR, b.id, { dependsOn: [e.id] }),
        ])
        expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      }
    })

    test('free, hold or fail the task at once', async () => {
      const c = crew()
      const [open, failed] = [await c.create(), await c.create()]
      await failTask(c, failed.id)
      const task = await c.create()
      expect(await c.service.patch(OPERATOR, task.id, { dependsOn: [open.id] })).toMatchObject({
        status: 'pending',
        waitingFor: 'dependency',
      })
      expect(await c.service.patch(OPERATOR, task.id, { dependsOn: [] })).toMatchObject({ status: 'unassigned' })
      expect(
        await c.service.patch(OPERATOR, task.id, { dependsOn: [failed.id], onDependencyFailure: 'wait' }),
      ).toMatchObject({ status: 'pending' })
      expect(
        await c.service.patch(OPERATOR, task.id, { dependsOn: [failed.id, open.id], onDependencyFailure: 'fail' }),
      ).toMatchObject({ status: 'failed', failureClass: 'dependency_failed' })
    })

    test('are refused while the task is in progress', async () => {
      const c = crew()
      const worker = await c.worker('settled')
      const other = await c.create({ status: 'backlog' })
      const task = await c.create()
      await worker.take()
      for (const patch of [
        { dependsOn: [other.id] },
        { task: 'x' },
        { agentId: null },
        { dir: '/x' },
        { status: 'backlog' as const },
      ])
        expect((await refused(c.service.patch(OPERATOR, task.id, patch))).code).toBe('conflict')
      expect(
        await c.service.patch(OPERATOR, task.id, { title: 'new', priority: 9, tags: [], epicId: null }),
      ).toMatchObject({
        title: 'new',
        priority: 9,
      })
    })
  })
})
