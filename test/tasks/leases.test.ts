import { describe, expect, test } from 'bun:test'
import { onEachDatabase } from '../store-contract/databases'
import { Crew, callerOf, OPERATOR, refused } from './crew'

onEachDatabase((database) => {
  const crew = () => new Crew(database.store)
  const only = async (c: Crew, name: string) => {
    const worker = await c.worker(name, { capabilities: [name] })
    const task = await c.create({ requiredCapabilities: [name] })
    return { worker, task, given: await worker.take() }
  }

  describe('a lease', () => {
    test('is renewed by polls, and runs out without them: another worker goes on', async () => {
      const c = crew()
      const { worker, task, given } = await only(c, 'renewed')
      const other = await c.worker('renewed-2', { capabilities: ['renewed'] })
      await c.service.sweep()
      for (let turn = 0; turn < 4; turn++) {
        await c.pass(5_000)
        await worker.poll()
      }
      expect((await c.task(task.id)).status).toBe('in_progress')
      await c.pass(16_000)
      expect(await c.task(task.id)).toMatchObject({ status: 'unassigned', agentId: null })
      const again = await other.take()
      expect(again).toMatchObject({ attemptId: `${task.id}.2`, generation: 2 })
      expect((await worker.poll({ capacity: 0 })).lost).toEqual([given.attemptId])
      expect(await c.attempts(task.id)).toMatchObject([{ outcome: 'lost', isLive: false }, { isLive: true }])
    })

    test('that ran out lets its attempt write nothing more', async () => {
      const c = crew()
      const { worker, task, given } = await only(c, 'stale')
      await c.service.sweep()
      await c.pass(17_000)
      const mine = callerOf(given, worker)
      const before = await c.task(task.id)
      for (const call of [
        () => c.service.progress(mine, task.id, { progress: 'late' }),
        () => c.service.finish(mine, task.id, { status: 'completed', output: 'late' }),
        () => c.service.setConversation(mine, task.id, crypto.randomUUID()),
        () => c.service.report(worker.caller, given.attemptId, { log: [{ at: 'now', kind: 'text', text: 'late' }] }),
        () => c.service.create(mine, { task: 'late' }, null),
      ])
        expect((await refused(call())).code).toBe('lease_lost')
      const again = await (await c.worker('stale-2', { capabilities: ['stale'] })).take()
      expect((await refused(c.service.progress(mine, task.id, { progress: 'late' }))).code).toBe('lease_lost')
      expect(await c.task(task.id)).toMatchObject({ progress: before.progress, output: null, attemptCount: 2 })
      expect(again.generation).toBe(2)
    })

    test('lasts over a stall of the server, wherever in its sweep that falls', async () => {
      for (let stall = 1; ; stall++) {
        let units = 0
        let isStalling = false
        // The process stands still before its nth unit, and time goes on.
        const store = new Proxy(database.store, {
          get(target, name) {
            const value = Reflect.get(target, name)
            if (name !== 'write') return typeof value === 'function' ? value.bind(target) : value
            return (...args: Parameters<typeof target.write>) => {
              if (isStalling && ++units === stall) c.now += 20_000
              return target.write(...args)
            }
          },
        })
        const c = new Crew(store)
        const { worker, task } = await only(c, `stalled-${stall}`)
        await worker.converse([...worker.held.values()][0] as never)
        const child = await c.create({
          requiredCapabilities: [`stalled-${stall}`],
          parentTaskId: task.id,
          continuity: 'continue',
          continueNow: true,
        })
        expect(child.agentId).toBe(worker.id)
        await c.service.sweep()
        isStalling = true
        const { lost } = await c.service.sweep()
        isStalling = false
        expect({ stall, lost, status: (await c.task(task.id)).status }).toEqual({
          stall,
          lost: 0,
          status: 'in_progress',
        })
        expect({ stall, agentId: (await c.task(child.id)).agentId }).toEqual({ stall, agentId: worker.id })
        await c.service.sweep()
        expect((await c.task(task.id)).status).toBe('in_progress')
        if (units < stall) break
      }
    })

    test('lasts over a time in which nobody looked, such as sleep or an outage', async () => {
      const c = crew()
      const { worker, task } = await only(c, 'asleep')
      await c.service.sweep()
      c.now += 3_600_000
      expect((await c.service.sweep()).lost).toBe(0)
      await c.pass(10_000)
      expect((await c.task(task.id)).status).toBe('in_progress')
      expect((await worker.poll()).lost).toEqual([])
      await c.pass(16_000)
      expect((await c.task(task.id)).status).toBe('unassigned')
    })

    test('is not given again and again to workers that vanish', async () => {
      const c = crew()
      const task = await c.create({ requiredCapabilities: ['deadly'] })
      for (let turn = 1; turn <= 20; turn++) {
        const worker = await c.worker('deadly', { capabilities: ['deadly'] })
        expect(await c.task(task.id)).toMatchObject({ status: turn === 1 ? 'unassigned' : 'pending' })
        await worker.take()
      }
      await c.worker('deadly', { capabilities: ['deadly'] })
      expect(await c.task(task.id)).toMatchObject({
        status: 'failed',
        failureClass: 'lease_lost',
        failureReason: '20 workers in a row were lost while running it',
      })
    })
  })

  test('a task whose row counts fewer attempts than there are goes on behind them, and keeps nobody from other work', async () => {
    const c = crew()
    const { worker, task, given } = await only(c, 'behind')
    const forget = async (more: object = {}) =>
      c.store.write(async ({ tasks }) => {
        const row = await tasks.task(task.id)
        if (row !== undefined) await tasks.updateTask(row.key, { attemptCount: 0, ...more })
      })
    await worker.end(given, 'released')
    await forget()
    const again = await worker.take()
    expect(again).toMatchObject({ attemptId: `${task.id}.2`, generation: 2 })
    expect(await c.task(task.id)).toMatchObject({ status: 'in_progress', attemptCount: 2 })
    // One that holds it yet is waited for.
    await forget({ status: 'unassigned', agentKey: null })
    const other = await c.create({ requiredCapabilities: ['behind'] })
    const next = await c.worker('behind-2', { capabilities: ['behind'] })
    const instead = await next.take()
    expect(instead.task.id).toBe(other.id)
    await next.end(instead, 'completed')
    await worker.end(again, 'released')
    await c.pass(17_000)
    expect(await next.take()).toMatchObject({ attemptId: `${task.id}.3`, generation: 3 })
  })

  describe('a worker that is started again', () => {
    test('goes on with its tasks at once when its former process is gone', async () => {
      const c = crew()
      const { worker, task, given } = await only(c, 'again')
      const conversation = await worker.converse(given)
      const next = await c.worker('again', { capabilities: ['again'] })
      expect(next.id).toBe(worker.id)
      expect(await c.task(task.id)).toMatchObject({ status: 'pending', agentId: worker.id, assignedBy: 'affinity' })
      const again = await next.take()
      expect(again).toMatchObject({
        generation: 2,
        conversation: { kind: 'own', sessionId: conversation, hostName: 'host-1', startRung: null, whyNot: [] },
        task: { dispatchReason: 'to again, which has the conversation' },
      })
      expect((await refused(worker.poll())).code).toBe('conflict')
    })

    test('waits for the leases of a former process that may still be there', async () => {
      const c = crew()
      const { task } = await only(c, 'twin')
      const next = await c.worker('twin', { capabilities: ['twin'], isFormerGone: false })
      expect((await next.poll({ capacity: 1 })).assignments).toEqual([])
      await c.service.sweep()
      await c.pass(15_000)
      await next.poll()
      await c.pass(2_000)
      expect((await next.take()).task.id).toBe(task.id)
    })

    test('on another machine says nothing of a former process, whatever was true there before', async () => {
      const c = crew()
      const { task } = await only(c, 'moved')
      const next = await c.worker('moved', { capabilities: ['moved'], hostName: 'host-2', isFormerGone: true })
      expect((await next.poll({ capacity: 1 })).assignments).toEqual([])
      expect((await c.attempts(task.id)).map(({ isLive }) => isLive)).toEqual([true])
    })

    test('continues what its shutdown paused, and nothing that a person paused', async () => {
      const c = crew()
      const { worker, task, given } = await only(c, 'shut')
      const held = await c.create({ requiredCapabilities: ['shut'] })
      await worker.take()
      await worker.end(given, 'paused')
      expect(await c.task(task.id)).toMatchObject({ status: 'paused', pausedBy: 'shutdown' })
      await c.service.pause(OPERATOR, held.id, {})
      await worker.poll()
      await worker.end([...worker.held.values()][0] as never, 'paused')
      expect(await c.task(held.id)).toMatchObject({ status: 'paused', pausedBy: 'person' })
      const next = await c.worker('shut', { capabilities: ['shut'] })
      expect(await c.task(task.id)).toMatchObject({ status: 'pending', pausedBy: null })
      expect((await next.poll({ capacity: 5 })).assignments.map((given) => given.task.id)).toEqual([task.id])
    })

    test('that tells of its shutdown only after the next one has begun loses nothing', async () => {
      const c = crew()
      const { worker, task, given } = await only(c, 'late')
      const next = await c.worker('late', { capabilities: ['late'], isFormerGone: false })
      await worker.end(given, 'paused')
      expect((await next.take()).task.id).toBe(task.id)
    })

    test('and never comes back leaves what it had paused to others', async () => {
      const c = crew()
      const { worker, task, given } = await only(c, 'gone')
      await worker.end(given, 'paused')
      await c.service.sweep()
      const other = await c.worker('gone-2', { capabilities: ['gone'] })
      await c.pass(14_000)
      expect((await other.poll({ capacity: 1 })).assignments).toEqual([])
      await c.pass(4_000)
      expect((await other.take()).task.id).toBe(task.id)
    })

    test('and says so counts as offline at once, and a child of its task is for anybody', async () => {
      const c = crew()
      const { worker, task, given } = await only(c, 'left')
      await worker.converse(given)
      await worker.end(given, 'completed')
      const capabilities = { requiredCapabilities: ['left'], parentTaskId: task.id, continuity: 'continue' as const }
      const child = await c.create(capabilities)
      expect(child).toMatchObject({ agentId: worker.id, assignedBy: 'affinity' })
      await worker.poll({ isLeaving: true })
      expect(await c.store.tasks.findAgent(worker.id)).toMatchObject({ status: 'offline' })
      expect(await c.task(child.id)).toMatchObject({ status: 'unassigned', agentId: null })
      expect((await c.create(capabilities)).agentId).toBeNull()
      await expect(worker.poll()).rejects.toMatchObject({ code: 'conflict' })
    })
  })

  describe('a poll', () => {
    test('gives an assignment again whose answer never arrived', async () => {
      const c = crew()
      const { worker, task, given } = await only(c, 'deaf')
      worker.held.clear()
      const again = await worker.take()
      expect(again).toMatchObject({ attemptId: given.attemptId, generation: 1, task: { id: task.id } })
      expect(again.token).not.toBe(given.token)
      await worker.converse(again)
      worker.held.clear()
      expect((await worker.poll({ capacity: 1 })).assignments).toEqual([])
    })

    test('tells a wish once in a while until the run has ended', async () => {
      const c = crew()
      const { worker, task, given } = await only(c, 'wished')
      await c.service.pause(OPERATOR, task.id, { reason: 'lunch' })
      const wish = { kind: 'pause', attemptId: given.attemptId, reason: 'paused by operator: lunch' } as const
      expect((await worker.poll()).commands).toEqual([wish])
      expect((await worker.poll()).commands).toEqual([])
      c.now += 3_000
      expect((await worker.poll()).commands).toEqual([wish])
    })

    test('takes no more than the worker can begin, highest priority first', async () => {
      const c = crew()
      const worker = await c.worker('full', { capabilities: ['full'], concurrency: 2 })
      for (const priority of [10, 90, 50]) await c.create({ requiredCapabilities: ['full'], priority })
      const { assignments } = await worker.poll({ capacity: 5 })
      expect(assignments.map(({ task }) => task.priority)).toEqual([90, 50])
      expect((await worker.poll({ capacity: 0 })).assignments).toEqual([])
    })

    test('of a worker for one task takes nothing of the pool', async () => {
      const c = crew()
      const worker = await c.worker('single', { capabilities: ['single'] })
      await c.create({ requiredCapabilities: ['single'] })
      const mine = await c.create({ requiredCapabilities: ['single'], agentId: 'single' })
      const { assignments } = await worker.poll({ capacity: 5, isAssignedOnly: true })
      expect(assignments.map(({ task }) => task.id)).toEqual([mine.id])
    })

    test('hands out inputs and answers for its own runs', async () => {
      const c = crew()
      const { worker, task, given } = await only(c, 'spoken')
      const { uuid } = await c.service.input(OPERATOR, task.id, { text: 'hurry', urgency: 'now' })
      const question = await c.service.ask(worker.caller, given.attemptId, {
        toolUseId: 'toolu_1' as never,
        toolName: 'Bash',
        input: { command: 'ls' },
        description: null,
        default: 'deny',
        deadlineMs: 60_000,
      })
      await c.service.answer(OPERATOR, question.id, { behavior: 'allow' })
      expect((await worker.poll()).commands).toEqual([
        { kind: 'answer', attemptId: given.attemptId, questionId: question.id, behavior: 'allow', message: null },
        { kind: 'input', attemptId: given.attemptId, uuid, text: 'hurry', urgency: 'now' },
      ])
      const taken = { taken: [{ questionId: question.id }], inputs: [{ uuid, status: 'sent' as const }] }
      await c.service.report(worker.caller, given.attemptId, taken)
      c.now += 10_000
      expect((await worker.poll()).commands).toEqual([])
    })
  })
})
