import { describe, expect, test } from 'bun:test'
import { onEachDatabase } from '../store-contract/databases'
import { Crew, OPERATOR, refused } from './crew'

onEachDatabase((database) => {
  const crew = () => new Crew(database.store)
  const two = async (c: Crew) => [await c.worker(`${c.word}-1`), await c.worker(`${c.word}-2`)] as const

  describe('an offer', () => {
    test('keeps the task for one agent, shows as offered, and is accepted', async () => {
      const c = crew()
      const [one, other] = await two(c)
      const task = await c.create()
      const offered = await c.service.offer(OPERATOR, task.id, { agentId: one.name, expiresInMs: 60_000 })
      expect(offered).toMatchObject({
        status: 'offered',
        offeredTo: one.id,
        offerExpiresAt: new Date(c.now + 60_000).toISOString(),
      })
      expect((await other.poll({ capacity: 1 })).assignments).toEqual([])
      expect((await refused(c.service.claim(other.caller, task.id, {}))).message).toContain('offered to another')
      expect((await refused(c.service.accept(other.caller, task.id, {}))).code).toBe('conflict')
      const accepted = await c.service.accept(one.caller, task.id, {})
      expect(accepted).toMatchObject({ status: 'pending', agentId: one.id, assignedBy: 'offer', offeredTo: null })
      expect(await c.service.accept(one.caller, task.id, {})).toEqual(accepted)
      expect((await one.take()).task.dispatchReason).toBe(`${one.name} had accepted it`)
    })

    test('made with the task is as good, and a poll of its agent accepts it', async () => {
      const c = crew()
      const [one, other] = await two(c)
      const task = await c.create({ offeredTo: one.name })
      expect(task.status).toBe('offered')
      expect((await other.poll({ capacity: 1 })).assignments).toEqual([])
      const given = await one.take()
      expect(given.task).toMatchObject({
        id: task.id,
        assignedBy: 'offer',
        dispatchReason: `${one.name} accepted the offer`,
      })
      expect((await c.service.accept(one.caller, task.id, {})).status).toBe('in_progress')
    })

    test('that is rejected is never given to that agent again, but to others, or when it is assigned', async () => {
      const c = crew()
      const [one, other] = await two(c)
      const task = await c.create({ offeredTo: one.name })
      expect(await c.service.reject(one.caller, task.id, { reason: 'busy' })).toMatchObject({
        status: 'unassigned',
        offeredTo: null,
        reason: `${one.name} rejected it: busy`,
      })
      expect((await c.service.reject(one.caller, task.id, {})).status).toBe('unassigned')
      expect((await one.poll({ capacity: 1 })).assignments).toEqual([])
      expect((await refused(c.service.claim(one.caller, task.id, {}))).code).toBe('conflict')
      expect((await refused(c.service.offer(OPERATOR, task.id, { agentId: one.name }))).code).toBe('conflict')
      expect((await other.take()).task.id).toBe(task.id)
      const meant = await c.create({ offeredTo: one.name })
      await c.service.reject(OPERATOR, meant.id, { agentId: one.name })
      await c.service.patch(OPERATOR, meant.id, { agentId: one.name })
      expect((await one.take()).task.id).toBe(meant.id)
    })

    test('expires by itself, and the task is for everybody again', async () => {
      const c = crew()
      const [one, other] = await two(c)
      await c.service.sweep()
      const task = await c.create({ offeredTo: one.name })
      await c.service.offer(OPERATOR, task.id, { agentId: one.name, expiresInMs: 2_000 })
      await c.pass(3_000)
      expect(await c.task(task.id)).toMatchObject({ status: 'unassigned', reason: `the offer to ${one.name} expired` })
      expect((await refused(c.service.accept(one.caller, task.id, {}))).code).toBe('conflict')
      expect((await other.take()).task.id).toBe(task.id)
    })

    test('that was accepted by an agent which is gone since is for everybody again', async () => {
      const c = crew()
      const [one] = await two(c)
      await c.service.sweep()
      const task = await c.create({ offeredTo: one.name })
      await c.service.accept(one.caller, task.id, {})
      await c.pass(20_000)
      expect(await c.task(task.id)).toMatchObject({ status: 'unassigned', reason: `${one.name} is away; queued` })
    })

    test('ends with the task, with its pause and with an assignment', async () => {
      const c = crew()
      const [one, other] = await two(c)
      const make = () => c.create({ offeredTo: one.name })
      const [cancelled, paused, assigned, shelved] = [await make(), await make(), await make(), await make()]
      await c.service.cancel(OPERATOR, cancelled.id, {})
      await c.service.pause(OPERATOR, paused.id, {})
      await c.service.patch(OPERATOR, assigned.id, { agentId: other.name })
      await c.service.patch(OPERATOR, shelved.id, { status: 'backlog' })
      for (const { id } of [cancelled, paused, assigned, shelved])
        expect(await c.task(id)).toMatchObject({ offeredTo: null, status: expect.not.stringMatching('offered') })
      for (const { id } of [cancelled, paused, assigned, shelved])
        expect((await refused(c.service.accept(one.caller, id, {}))).code).toBe('conflict')
    })

    test('goes to an agent that can do it, of a task that nobody has begun', async () => {
      const c = crew()
      const [one] = await two(c)
      const gpu = await c.create({ requiredCapabilities: ['gpu'] })
      expect((await refused(c.service.offer(OPERATOR, gpu.id, { agentId: one.name }))).code).toBe('conflict')
      const begun = await c.create()
      await one.take()
      expect((await refused(c.service.offer(OPERATOR, begun.id, { agentId: one.name }))).code).toBe('conflict')
      expect((await refused(c.service.offer(OPERATOR, gpu.id, { agentId: 'nobody' }))).code).toBe('not_found')
    })
  })

  test('an assignment that was not begun can be rejected like an offer', async () => {
    const c = crew()
    const [one] = await two(c)
    const task = await c.create({ agentId: one.name })
    expect(await c.service.reject(one.caller, task.id, {})).toMatchObject({ status: 'unassigned', agentId: null })
    expect((await one.poll({ capacity: 1 })).assignments).toEqual([])
  })
})
