import { describe, expect, test } from 'bun:test'
import { onEachDatabase } from '../store-contract/databases'
import { Crew, callerOf, OPERATOR, refused } from './crew'

onEachDatabase((database) => {
  const crew = () => new Crew(database.store)
  const code = async (call: Promise<unknown>) => (await refused(call)).code

  describe('a run', () => {
    test('may touch its own task and those that it made, and no other', async () => {
      const c = crew()
      const worker = await c.worker(`${c.word}-w`)
      const own = await c.create()
      const given = await worker.take()
      const mine = callerOf(given, worker)
      const foreign = await c.create({ status: 'backlog' })
      const child = await c.create({ status: 'backlog' }, mine)
      expect((await c.service.progress(mine, own.id, { progress: 'on' })).progress).toBe('on')
      expect((await c.service.cancel(mine, child.id, {})).status).toBe('cancelled')
      const before = await c.task(foreign.id)
      for (const call of [
        () => c.service.progress(mine, foreign.id, { progress: 'x' }),
        () => c.service.finish(mine, foreign.id, { status: 'completed' }),
        () => c.service.setConversation(mine, foreign.id, crypto.randomUUID()),
        () => c.service.cancel(mine, foreign.id, {}),
        () => c.service.pause(mine, foreign.id, {}),
        () => c.service.retry(mine, foreign.id, {}),
        () => c.service.patch(mine, foreign.id, { title: 'x' }),
        () => c.service.offer(mine, foreign.id, { agentId: worker.name }),
        () => c.service.release(mine, foreign.id, {}),
        () => c.service.input(mine, foreign.id, { text: 'x' }),
        () => c.service.claim(mine, foreign.id, {}),
        () => c.service.accept(mine, foreign.id, {}),
        () => c.service.cancel(mine, own.id, {}),
        () => c.service.createEpic(mine, { title: 'x' }, null),
        () => c.service.poll(mine, worker.id, { bootId: worker.bootId, capacity: 1, attempts: [], waitMs: 0 }),
        () => c.service.report(mine, `${foreign.id}.1` as never, {}),
      ])
        expect(await code(call())).toBe('forbidden')
      expect(await c.task(foreign.id)).toEqual(before)
    })
  })

  describe('a worker', () => {
    test('may work on its own tasks and direct those that it made', async () => {
      const c = crew()
      const [worker, other] = [await c.worker(`${c.word}-w`), await c.worker(`${c.word}-o`)]
      const task = await c.create()
      const given = await worker.take()
      const made = await c.create({ status: 'backlog' }, worker.caller)
      expect((await c.service.cancel(worker.caller, made.id, {})).status).toBe('cancelled')
      for (const call of [
        () => c.service.progress(other.caller, task.id, { progress: 'x' }),
        () => c.service.finish(other.caller, task.id, { status: 'completed' }),
        () => c.service.report(other.caller, given.attemptId, {}),
        () => c.service.cancel(worker.caller, task.id, {}),
        () => c.service.release(other.caller, task.id, {}),
        () => c.service.poll(other.caller, worker.id, { bootId: worker.bootId, capacity: 0, attempts: [], waitMs: 0 }),
        () => c.service.claim(other.caller, null, { agentId: worker.name }),
        () => c.service.accept(other.caller, made.id, { agentId: worker.name }),
      ])
        expect(await code(call())).toBe('forbidden')
      expect((await c.service.progress(worker.caller, task.id, { progress: 'mine' })).progress).toBe('mine')
    })
  })

  describe('a lead', () => {
    test('may direct what it made and what is below that, and may not write for those who work on it', async () => {
      const c = crew()
      const lead = await c.worker(`${c.word}-l`, { kind: 'lead' })
      const worker = await c.worker(`${c.word}-w`)
      expect(lead.token.startsWith('lld_') && worker.token.startsWith('lwk_')).toBe(true)
      const task = await c.create({}, lead.caller)
      const given = await worker.take()
      const below = await c.create({ status: 'backlog' }, callerOf(given, worker))
      expect((await c.service.cancel(lead.caller, below.id, {})).status).toBe('cancelled')
      const foreign = await c.create({ status: 'backlog' })
      for (const call of [
        () => c.service.cancel(lead.caller, foreign.id, {}),
        () => c.service.pause(lead.caller, foreign.id, {}),
        () => c.service.patch(lead.caller, foreign.id, { title: 'x' }),
        () => c.service.input(lead.caller, foreign.id, { text: 'x' }),
        () => c.service.release(lead.caller, foreign.id, {}),
      ])
        expect(await code(call())).toBe('forbidden')
      expect((await c.service.pause(lead.caller, task.id, {})).reason).toContain(lead.id)
      expect(await code(c.service.progress(lead.caller, task.id, { progress: 'x' }))).toBe('forbidden')
      expect(await code(c.service.finish(lead.caller, task.id, { status: 'completed' }))).toBe('forbidden')
      expect(await code(c.service.report(lead.caller, given.attemptId, {}))).toBe('forbidden')
      expect((await c.service.createEpic(lead.caller, { title: 'x' }, null)).type).toBe('epic')
    })
  })

  describe('joining', () => {
    const input = (name: string) => ({
      name,
      kind: 'worker' as const,
      capabilities: ['b', 'a', 'a'],
      concurrency: 2,
      hostname: 'box',
      hostName: 'host-2',
      bootId: 'boot',
      isFormerGone: true,
      version: '1',
    })

    test('again under a name is the same agent with a new token', async () => {
      const c = crew()
      const first = await c.service.join(OPERATOR, input(`${c.word}-x`))
      const again = await c.service.join(OPERATOR, { ...input(`${c.word}-x`), bootId: 'next', concurrency: 5 })
      expect(first.agent).toMatchObject({ capabilities: ['a', 'b'], status: 'online', running: 0 })
      expect(first.followedRoots).toEqual([])
      expect(again.agent).toMatchObject({ id: first.agent.id, concurrency: 5 })
      expect(again.token).not.toBe(first.token)
      const hash = (token: string) => new Uint8Array(new Bun.CryptoHasher('sha256').update(token).digest())
      expect(await c.store.tasks.agentByToken(hash(first.token))).toBeUndefined()
      expect((await c.store.tasks.agentByToken(hash(again.token)))?.agent.id).toBe(first.agent.id)
    })

    test('is for operators, and for an agent as itself', async () => {
      const c = crew()
      const worker = await c.worker(`${c.word}-x`)
      const here = { ...input(worker.name), hostName: 'host-1' }
      expect((await c.service.join(worker.caller, here)).agent.id).toBe(worker.id)
      for (const wrong of [{ ...input(`${c.word}-y`) }, { ...input(worker.name), kind: 'lead' as const }])
        expect(await code(c.service.join(worker.caller, wrong))).toBe('forbidden')
      expect(await code(c.service.join(OPERATOR, { ...input(worker.name), kind: 'lead' }))).toBe('conflict')
      await c.create()
      const given = await (await c.worker(worker.name)).take()
      expect(await code(c.service.join(callerOf(given, worker), input(worker.name)))).toBe('forbidden')
    })

    test.each(['', ' ', 'a\nb', ' x', '-x', 'a-00000000', 'x'.repeat(101)])('refuses the name %p', async (name) => {
      expect(await code(crew().service.join(OPERATOR, input(name)))).toBe('invalid')
    })
  })
})
