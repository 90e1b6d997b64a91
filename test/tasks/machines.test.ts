import { expect, test } from 'bun:test'
import { createTokenService } from '../../src/engine/tokens/token-service'
import { onEachDatabase } from '../store-contract/databases'
import { Crew, OPERATOR, refused } from './crew'

const MACHINE = { platform: 'linux', arch: 'x64', cores: 8, memoryBytes: 16 * 2 ** 30, gpus: ['A'], repositories: [] }

onEachDatabase((database) => {
  const crew = () => new Crew(database.store)

  test('a task that asks for a number goes to a machine that has it, by a poll and by a claim of its own', async () => {
    const c = crew()
    const small = await c.worker(`${c.word}-small`, { machine: { ...MACHINE, cores: 2 } })
    const silent = await c.worker(`${c.word}-silent`)
    const large = await c.worker(`${c.word}-large`, { machine: MACHINE })
    const first = await c.create({ requiredCapabilities: ['cores>=8'], priority: 90 })
    const second = await c.create({ requiredCapabilities: ['gpus>=1', 'memory>=16'] })
    const third = await c.create({})
    for (const one of [silent])
      expect((await one.poll({ capacity: 9 })).assignments.map(({ task }) => task.id)).toEqual([third.id])
    expect(await c.service.claim(small.caller, null, {})).toMatchObject({ task: { id: second.id } })
    expect(await c.service.claim(large.caller, null, {})).toMatchObject({ task: { id: first.id } })
    expect((await refused(c.create({ requiredCapabilities: ['cores>8'] }))).message).toContain('cores>8')
    await c.create({ requiredCapabilities: ['cores>=64'] })
    const untaken = await c.store.overview.untaken(c.now, [])
    const group = untaken.find(({ requiredCapabilities }) => requiredCapabilities.includes(c.word))
    expect(group?.missing).toContain('cores>=64')
  })

  test('a draining machine takes nothing new and keeps what it runs, over its next start', async () => {
    const c = crew()
    const name = `${c.word}-a`
    const a = await c.worker(name)
    const parent = await c.create()
    const given = await a.take()
    await a.converse(given)
    expect(await c.service.drainMachine(OPERATOR, name)).toMatchObject({
      drainingSince: expect.any(String),
      running: 1,
    })
    const task = await c.create()
    expect((await a.poll({ capacity: 5 })).assignments).toEqual([])
    expect((await refused(c.service.claim(a.caller, task.id, {}))).message).toContain('takes no new tasks')
    const renewed = await a.poll({ capacity: 5 })
    expect([renewed.lost, renewed.renewed]).toEqual([[], [given.attemptId]])
    // Its child would be its own; another takes it.
    const child = await c.create({ parentTaskId: parent.id })
    await a.end(given, 'completed')
    const b = await c.worker(`${c.word}-b`, { hostName: 'host-2' })
    const taken = [await b.take(), await b.take()].map(({ task: { id } }) => id).sort()
    expect(taken).toEqual([task.id, child.id].sort())
    const again = await c.worker(name)
    const later = await c.create()
    expect((await again.poll({ capacity: 5 })).assignments).toEqual([])
    expect(await c.service.resumeMachine(OPERATOR, name)).toMatchObject({ drainingSince: null })
    expect((await again.take()).task.id).toBe(later.id)
    expect((await refused(c.service.drainMachine(OPERATOR, 'nobody'))).code).toBe('not_found')
  })

  test('a worker that is to restart says so, takes tasks until then, and is as usual with its next start', async () => {
    const c = crew()
    const name = `${c.word}-due`
    const restartAskedAt = new Date(c.now).toISOString()
    const due = await c.worker(name, { restartAskedAt })
    const machine = async () => (await c.store.tasks.agents()).find((agent) => agent.name === name)
    expect(await machine()).toMatchObject({ restartAskedAt })
    await c.create()
    await due.take()
    await c.worker(name)
    expect(await machine()).toMatchObject({ restartAskedAt: null })
  })

  test('a removed machine has no access and no tasks, is not listed, and may come again', async () => {
    const c = crew()
    const tokens = createTokenService({ store: database.store, now: () => c.now })
    const name = `${c.word}-gone`
    const a = await c.worker(name)
    expect((await refused(tokens.removeMachine(OPERATOR, name))).message).toContain('would join again')
    await a.poll({ isLeaving: true })
    await tokens.removeMachine(OPERATOR, name)
    const listed = async () => (await c.store.tasks.agents()).filter((agent) => agent.name === name)
    expect(await listed()).toEqual([])
    expect((await refused(c.service.drainMachine(OPERATOR, name))).code).toBe('not_found')
    await c.worker(name)
    expect(await listed()).toMatchObject([{ name }])
  })

  test('two installations of one host name do not take the name from one another', async () => {
    const c = crew()
    const hostname = `${c.word}-host`
    const join = (hostName: string) => c.worker(hostname, { isNameOfHost: true, hostName, isFormerGone: false })
    const nameOf = async (id: string) => (await c.store.tasks.findAgent(id))?.name
    const [one, two] = [await join('aaaaaaaa-1'), await join('bbbbbbbb-2')]
    expect([await nameOf(one.id), await nameOf(two.id)]).toEqual([hostname, `${hostname}-bbbbbb`])
    // Both go on, and each has its name again after its next start.
    for (const worker of [one, two]) await worker.poll()
    expect((await join('bbbbbbbb-2')).id).toBe(two.id)
    expect((await join('aaaaaaaa-1')).id).toBe(one.id)
    // A name that a person chose is one identity wherever it is.
    expect((await c.worker(hostname, { hostName: 'cccccccc-3' })).id).toBe(one.id)
    // The name of one that is away is free.
    await c.pass(60_000)
    expect((await join('dddddddd-4')).id).toBe(one.id)
  })
})
