/** What a worker hears of its leases, and which caller may end them. */
import { expect, test } from 'bun:test'
import { createTaskService } from '../../src/engine/tasks/task-service'
import { onEachDatabase } from '../store-contract/databases'
import { Crew, OPERATOR } from './crew'

const MINUTE: { ms: number; serverInstance: string | null } = { ms: 60_000, serverInstance: 'one' }

onEachDatabase((database) => {
  test('a poll names the leases that it renewed: not that of an attempt that is lost, nor of one that is to be cancelled', async () => {
    const c = new Crew(database.store, { lease: MINUTE })
    const worker = await c.worker('terms')
    const [kept, cancelled] = [await c.create(), await c.create()]
    const answer = await worker.poll({ capacity: 2 })
    const [first, second] = answer.assignments
    expect(answer).toMatchObject({ renewed: [], leaseMs: 60_000, serverInstance: 'one' })
    expect([first?.leaseMs, second?.leaseMs]).toEqual([60_000, 60_000])
    await c.service.cancel(OPERATOR, cancelled.id, {})
    const ghost = { id: `${kept.id}.7` as never, generation: 7 }
    const attempts = answer.assignments.map(({ attemptId: id, generation }) => ({ id, generation }))
    const next = await worker.poll({ capacity: 0, attempts: [...attempts, ghost] })
    expect(next.renewed).toEqual([`${kept.id}.1` as never])
    expect(next.lost).toEqual([ghost.id])
  })

  test('a lease that was given under another setting has the length of then', async () => {
    const c = new Crew(database.store, { lease: { ms: 20_000, serverInstance: null } })
    const worker = await c.worker('lengths')
    await c.create()
    const given = await worker.take()
    const other = createTaskService({ store: c.store, now: () => c.now, lease: MINUTE })
    const input = { bootId: worker.bootId, capacity: 0, waitMs: 0, attempts: [{ id: given.attemptId, generation: 1 }] }
    expect(await other.poll(worker.caller, worker.id, input)).toMatchObject({
      renewed: [given.attemptId],
      leaseMs: 20_000,
      serverInstance: 'one',
    })
    expect(await other.poll(worker.caller, worker.id, { ...input, attempts: [] })).toMatchObject({ leaseMs: 60_000 })
  })

  test('an attempt begins when the one before has ended, also by the clock of a server that was kept waiting or goes behind', async () => {
    const c = new Crew(database.store, { now: Date.now() + 60_000 })
    const worker = await c.worker('order')
    const task = await c.create()
    await worker.end(await worker.take(), 'released')
    await worker.take()
    const [first, second] = (await c.attempts(task.id)).toSorted((a, b) => a.number - b.number)
    expect(first?.outcome).toBe('released')
    expect(Date.parse(second?.startedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(first?.endedAt ?? ''))
  })

  test('commands without a server end no lease, however often they look', async () => {
    const c = new Crew(database.store)
    const worker = await c.worker('still')
    const task = await c.create()
    await worker.take()
    const command = createTaskService({
      store: c.store,
      now: () => c.now,
      lease: { ms: 15_000, serverInstance: null, isStill: true },
    })
    for (let second = 0; second < 120; second++) {
      c.now += 1_000
      await command.sweep()
    }
    expect((await c.task(task.id)).status).toBe('in_progress')
  })

  test('the start of the one server of a database gives each lease its full length, however short it was gone', async () => {
    const c = new Crew(database.store)
    const worker = await c.worker('start')
    const task = await c.create()
    await worker.take()
    await c.service.sweep()
    await c.pass(12_000)
    // Killed, and there again before anybody could tell.
    await c.service.renewAll()
    await c.pass(14_000)
    expect((await c.task(task.id)).status).toBe('in_progress')
    await c.pass(3_000)
    expect((await c.task(task.id)).status).toBe('unassigned')
  })
})
