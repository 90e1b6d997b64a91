import { describe, expect, test } from 'bun:test'
import { onEachDatabase } from '../store-contract/databases'
import { Crew, callerOf, OPERATOR, refused } from './crew'

onEachDatabase((database) => {
  const crew = () => new Crew(database.store)
  const begun = async (c: Crew, name: string) => {
    const worker = await c.worker(name, { capabilities: [name] })
    const task = await c.create({ requiredCapabilities: [name] })
    const given = await worker.take()
    return { worker, task, given, mine: callerOf(given, worker) }
  }

  describe('the first final state', () => {
    test('wins: the same again is answered as before, another is a conflict', async () => {
      const c = crew()
      const { worker, task, given, mine } = await begun(c, 'first')
      const done = await c.service.finish(mine, task.id, { status: 'completed', output: 'result' })
      expect(done).toMatchObject({ status: 'completed', output: 'result', finishedBy: 'agent' })
      expect(await c.service.finish(mine, task.id, { status: 'completed', output: 'result' })).toEqual(done)
      expect(await c.service.finish(mine, task.id, { status: 'completed' })).toEqual(done)
      for (const other of [
        { status: 'failed' as const, failureReason: 'no' },
        { status: 'completed' as const, output: 'other' },
      ])
        expect(await refused(c.service.finish(mine, task.id, other))).toMatchObject({
          code: 'conflict',
          details: { status: 'completed' },
        })
      await worker.end(given, 'failed', { failureClass: 'crash', costUsd: 0.25 })
      expect(await c.task(task.id)).toMatchObject({ status: 'completed', output: 'result', costUsd: 0.25 })
      expect(await c.attempts(task.id)).toMatchObject([{ outcome: 'failed', isLive: false, costUsd: 0.25 }])
      for (const again of [
        () => c.service.retry(OPERATOR, task.id, {}),
        () => c.service.cancel(OPERATOR, task.id, {}),
        () => c.service.patch(OPERATOR, task.id, { title: 'x' }),
        () => c.service.progress(OPERATOR, task.id, { progress: 'x' }),
      ])
        expect((await refused(again())).code).toBe('conflict')
    })

    test('is the runner’s when the agent said nothing, and an end told twice is one end', async () => {
      const c = crew()
      const { worker, task, given } = await begun(c, 'runner')
      const ended = await worker.end(given, 'completed', { output: 'text', costUsd: 1, numTurns: 3 })
      expect(ended).toMatchObject({ isLive: false, outcome: 'completed', costUsd: 1, numTurns: 3, exitCode: 0 })
      expect(await worker.end(given, 'completed', { output: 'text', costUsd: 1 })).toEqual(ended)
      expect((await refused(worker.end(given, 'failed'))).code).toBe('lease_lost')
      expect(await c.task(task.id)).toMatchObject({ finishedBy: 'runner', output: 'text', costUsd: 1 })
    })

    test('by a claim without a worker ends its attempt as well', async () => {
      const c = crew()
      const worker = await c.worker('hand')
      const task = await c.create()
      const given = await c.service.claim(worker.caller, task.id, {})
      expect(given).toMatchObject({ generation: 1, leaseMs: 900_000 })
      await c.service.setConversation(worker.caller, task.id, crypto.randomUUID())
      await c.service.progress(worker.caller, task.id, { progress: 'half' })
      await c.service.finish(worker.caller, task.id, { status: 'failed', failureReason: 'no way' })
      expect(await c.task(task.id)).toMatchObject({
        status: 'failed',
        failureClass: 'agent',
        failureReason: 'no way',
        progress: 'half',
      })
      expect(await c.attempts(task.id)).toMatchObject([
        { isLive: false, outcome: 'failed', conversation: { rung: 'fresh' } },
      ])
    })

    test('may be said by a person of a task that nobody began; a run is stopped by it', async () => {
      const c = crew()
      const idle = await c.create({ status: 'backlog' })
      expect(await c.service.finish(OPERATOR, idle.id, { status: 'completed' })).toMatchObject({ finishedBy: 'person' })
      const { worker, task, given } = await begun(c, 'person')
      await c.service.finish(OPERATOR, task.id, { status: 'completed' })
      expect((await worker.poll()).commands).toMatchObject([{ kind: 'cancel', attemptId: given.attemptId }])
    })
  })

  describe('cancel', () => {
    test('is final at once; what the run still says is refused, its end is taken', async () => {
      const c = crew()
      const { worker, task, given, mine } = await begun(c, 'cancel')
      expect(await c.service.cancel(OPERATOR, task.id, { reason: 'wrong' })).toMatchObject({
        status: 'cancelled',
        reason: 'cancelled by operator: wrong',
      })
      expect((await refused(c.service.progress(mine, task.id, { progress: 'x' }))).code).toBe('lease_lost')
      expect((await refused(c.service.finish(mine, task.id, { status: 'completed' }))).code).toBe('lease_lost')
      expect((await worker.poll()).commands).toEqual([
        { kind: 'cancel', attemptId: given.attemptId, reason: 'cancelled by operator: wrong' },
      ])
      expect(await c.attempts(task.id)).toMatchObject([{ isLive: true }])
      await worker.end(given, 'cancelled')
      expect(await c.attempts(task.id)).toMatchObject([{ isLive: false, outcome: 'cancelled' }])
      expect((await c.service.cancel(OPERATOR, task.id, {})).status).toBe('cancelled')
    })

    test('is over with the lease when the worker says nothing, however often it polls', async () => {
      const c = crew()
      const { worker, task } = await begun(c, 'mute')
      await c.service.sweep()
      await c.service.cancel(OPERATOR, task.id, {})
      for (let turn = 0; turn < 4; turn++) {
        await c.pass(4_000)
        await worker.poll()
      }
      expect(await c.attempts(task.id)).toMatchObject([{ isLive: false, outcome: 'cancelled' }])
    })
  })

  describe('pause', () => {
    test('follows the run, and resume continues the same conversation', async () => {
      const c = crew()
      const { worker, task, given } = await begun(c, 'pause')
      const conversation = await worker.converse(given)
      expect(await c.service.pause(OPERATOR, task.id, {})).toMatchObject({
        status: 'in_progress',
        reason: 'is being paused by operator',
      })
      await worker.end(given, 'paused')
      expect(await c.task(task.id)).toMatchObject({ status: 'paused', pausedBy: 'person', agentId: worker.id })
      await c.service.sweep()
      await c.pass(60_000)
      expect((await c.task(task.id)).status).toBe('paused')
      await worker.poll()
      await c.service.resume(OPERATOR, task.id)
      expect((await worker.take()).conversation).toMatchObject({ kind: 'own', sessionId: conversation })
    })

    test('that is taken back before the run has stopped lets it go on at once', async () => {
      const c = crew()
      const { worker, task, given } = await begun(c, 'unpause')
      await c.service.pause(OPERATOR, task.id, {})
      await worker.poll()
      await c.service.resume(OPERATOR, task.id)
      await worker.end(given, 'paused')
      expect((await worker.take()).generation).toBe(2)
      expect((await refused(c.service.resume(OPERATOR, task.id))).code).toBe('conflict')
    })

    test('of a task that nobody runs holds it where it is', async () => {
      const c = crew()
      const on = await c.create()
      const task = await c.create({ dependsOn: [on.id] })
      expect(await c.service.pause(OPERATOR, task.id, {})).toMatchObject({ status: 'paused', waitingFor: null })
      await c.service.finish(OPERATOR, on.id, { status: 'completed' })
      expect(await c.service.resume(OPERATOR, task.id)).toMatchObject({ status: 'unassigned' })
      const shelved = await c.create({ status: 'backlog' })
      expect((await refused(c.service.pause(OPERATOR, shelved.id, {}))).code).toBe('conflict')
    })

    test('by a usage limit ends at its time, and its agent gets nothing before', async () => {
      const c = crew()
      const { worker, task, given } = await begun(c, 'limit')
      await c.service.sweep()
      const resetAt = new Date(c.now + 60_000).toISOString()
      await worker.end(given, 'failed', { failureClass: 'usage_limit', resetAt })
      expect(await c.task(task.id)).toMatchObject({ status: 'paused', pausedBy: 'limit', notBefore: resetAt })
      await c.create({ requiredCapabilities: ['limit'] })
      expect((await worker.poll({ capacity: 2 })).assignments).toEqual([])
      for (let turn = 0; turn < 14; turn++) {
        await c.pass(5_000)
        await worker.poll()
      }
      const { assignments } = await worker.poll({ capacity: 2 })
      expect(assignments.map((one) => [one.task.id, one.generation])).toContainEqual([task.id, 2])
      expect(assignments).toHaveLength(2)
    })
  })

  describe('retry', () => {
    test('begins a new attempt of the same task, with all tries', async () => {
      const c = crew()
      const { worker, task, given } = await begun(c, 'retry')
      await worker.end(given, 'failed', { failureClass: 'login', reason: 'not logged in' })
      expect(await c.task(task.id)).toMatchObject({
        status: 'failed',
        failureClass: 'login',
        failureReason: 'not logged in',
      })
      const again = await c.service.retry(OPERATOR, task.id, { reason: 'logged in' })
      expect(again).toMatchObject({
        status: 'pending',
        agentId: worker.id,
        failureReason: null,
        reason: 'tried again by operator: logged in; waits for its agent',
      })
      expect((await worker.take()).generation).toBe(2)
    })

    test('waits for a run that is still ending', async () => {
      const c = crew()
      const { worker, task, given } = await begun(c, 'ending')
      await c.service.cancel(OPERATOR, task.id, {})
      expect(await c.service.retry(OPERATOR, task.id, {})).toMatchObject({ status: 'pending', waitingFor: 'retry' })
      expect((await worker.poll({ capacity: 1 })).assignments).toEqual([])
      await worker.end(given, 'cancelled')
      expect((await worker.take()).generation).toBe(2)
    })

    test('after failures waits longer each time, and stops at the last try', async () => {
      const c = crew()
      const { worker, task, given } = await begun(c, 'backoff')
      await c.service.sweep()
      let run = given
      const waits: (number | null)[] = []
      for (let turn = 1; turn <= 3; turn++) {
        await worker.end(run, 'failed', { failureClass: 'crash' })
        const { notBefore } = await c.task(task.id)
        waits.push(notBefore === null ? null : Date.parse(notBefore) - c.now)
        if (turn === 3) break
        await c.pass(5_000)
        run = await worker.take()
      }
      expect(waits).toEqual([1_000, 2_000, null])
      expect(await c.task(task.id)).toMatchObject({ status: 'failed', failureClass: 'crash', attemptCount: 3 })
    })
  })

  test('release gives an assignment back, and stops a run first', async () => {
    const c = crew()
    const { worker, task, given } = await begun(c, 'release')
    expect(await c.service.release(OPERATOR, task.id, {})).toMatchObject({ status: 'in_progress' })
    expect((await worker.poll()).commands).toMatchObject([{ kind: 'cancel' }])
    await worker.end(given, 'cancelled')
    expect(await c.task(task.id)).toMatchObject({ status: 'unassigned', agentId: null })
    const mine = await c.create({ agentId: 'release' })
    expect(await c.service.release(worker.caller, mine.id, {})).toMatchObject({ status: 'unassigned' })
    expect((await refused(c.service.release(OPERATOR, mine.id, {}))).code).toBe('conflict')
  })

  test('a question is answered once, or by its default at its deadline, or withdrawn with its run', async () => {
    const c = crew()
    const { worker, task, given } = await begun(c, 'asks')
    await c.service.sweep()
    const ask = (toolUseId: string) =>
      c.service.ask(worker.caller, given.attemptId, {
        toolUseId: toolUseId as never,
        toolName: 'Bash',
        input: { command: 'x'.repeat(30_000) },
        description: null,
        default: 'deny',
        deadlineMs: 5_000,
      })
    const first = await ask('toolu_1')
    expect(first).toMatchObject({ status: 'open', isCut: true, taskId: task.id })
    expect((await ask('toolu_1')).id).toBe(first.id)
    expect((await refused(c.service.answer(worker.caller, first.id, { behavior: 'allow' }))).code).toBe('forbidden')
    expect(await c.service.answer(OPERATOR, first.id, { behavior: 'allow', message: 'ok' })).toMatchObject({
      status: 'answered',
      answer: { behavior: 'allow', message: 'ok' },
    })
    expect((await c.service.answer(OPERATOR, first.id, { behavior: 'allow', message: 'ok' })).status).toBe('answered')
    expect((await refused(c.service.answer(OPERATOR, first.id, { behavior: 'deny' }))).code).toBe('conflict')
    const second = await ask('toolu_2')
    await c.pass(6_000)
    expect(await c.store.tasks.findQuestion(second.id)).toMatchObject({
      status: 'expired',
      answer: { behavior: 'deny' },
    })
    const third = await ask('toolu_3')
    await worker.end(given, 'completed')
    expect(await c.store.tasks.findQuestion(third.id)).toMatchObject({ status: 'withdrawn' })
    expect((await refused(ask('toolu_4'))).code).toBe('lease_lost')
  })
})
