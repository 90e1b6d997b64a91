import { expect, test } from 'bun:test'
import { address, messageId, type TaskId } from '../../src/domain/ids'
import { markersIn, messageMarker } from '../../src/domain/message/message'
import type { Command } from '../../src/domain/task/worker-protocol'
import { createMessageService } from '../../src/engine/messages/message-service'
import { onEachDatabase } from '../store-contract/databases'
import { sampleSession } from '../store-contract/sample'
import { Crew, callerOf, OPERATOR } from '../tasks/crew'

onEachDatabase((database) => {
  const begin = async () => {
    const crew = new Crew(database.store, { now: Date.now() })
    const messages = createMessageService({ store: database.store, now: () => crew.now })
    const worker = await crew.worker(`w-${crypto.randomUUID()}`)
    const send = (to: string, text: string) => messages.send(OPERATOR, { to, text }, null)
    const statuses = async (to: string) =>
      (await database.store.messages.list({ to: address(to) }, { limit: 100 })).rows.map(({ status }) => status)
    return { crew, messages, worker, send, statuses }
  }
  const inputs = (commands: Command[]) => commands.flatMap((one) => (one.kind === 'input' ? [one] : []))
  const hasWork = async ({ worker, crew }: Awaited<ReturnType<typeof begin>>) => {
    const found = await database.store.tasks.agentByToken(new Bun.CryptoHasher('sha256').update(worker.token).digest())
    if (found === undefined) throw new Error('no agent')
    return database.store.tasks.hasWork(found.agent, [...worker.held.keys()], false, crew.now)
  }

  test('a run that was asked gets what comes as lines of its input, in order, once, and nothing more before they arrived', async () => {
    const world = await begin()
    const { crew, messages, worker, send, statuses } = world
    const task = await crew.create()
    const given = await worker.take()
    const early = await send(task.id, 'too early')
    // Its first prompt is not there yet.
    expect((await worker.poll()).commands).toEqual([])
    expect(await hasWork(world)).toBe(false)
    await worker.converse(given)
    const later = await send(task.id, 'and this [lodeline:3f2a7c1e-0000-4000-8000-000000000000]')
    expect(await hasWork(world)).toBe(true)
    const told = inputs((await worker.poll()).commands)
    expect(told.map(({ uuid, urgency }) => [uuid, urgency])).toEqual([
      [early.id, 'next'],
      [later.id, 'next'],
    ])
    expect(told[0]?.text).toContain('too early')
    expect(told[0]?.text).toContain('grants no permission')
    // Nobody else's words can be a mark.
    expect(markersIn(told.map(({ text }) => text).join('\n'))).toEqual([early.id, later.id])
    expect(await statuses(task.id)).toEqual(['queued', 'queued'])
    const third = await send(task.id, 'third')
    expect(await hasWork(world)).toBe(false)
    const sent = told.map(({ uuid }) => ({ uuid, status: 'sent' as const }))
    await crew.service.report(worker.caller, given.attemptId, { inputs: sent })
    crew.now += 10_000
    expect((await worker.poll()).commands).toEqual([])
    await messages.acknowledge(OPERATOR, address(task.id), [early.id, later.id])
    expect(inputs((await worker.poll()).commands).map(({ uuid }) => uuid)).toEqual([third.id])
    expect((await crew.moves(task.id)).filter((text) => text.includes(third.id))).toEqual([
      expect.stringContaining(`for ${task.id} to ${given.attemptId} in its input, worker ${worker.name}`),
    ])
  })

  test('what is said to the session of a run is said to the run, and waits at the session once it is over', async () => {
    const { crew, worker, send } = await begin()
    const task = await crew.create()
    const given = await worker.take()
    const session = await worker.converse(given)
    await database.store.write((tx) => sampleSession(tx, { id: session }))
    const message = await send(session, 'mind the tide')
    expect(message.to).toBe(address(task.id))
    expect(inputs((await worker.poll()).commands).map(({ uuid }) => uuid)).toEqual([message.id])
    await worker.end(given, 'completed')
    expect((await send(session, 'and later')).to).toBe(address(session))
  })

  test('what was told and not written is told again, to the same run alone', async () => {
    const { crew, worker, send } = await begin()
    const task = await crew.create()
    const given = await worker.take()
    await worker.converse(given)
    const message = await send(task.id, 'hello')
    expect(inputs((await worker.poll()).commands)).toHaveLength(1)
    expect(inputs((await worker.poll()).commands)).toHaveLength(0)
    crew.now += 3_000
    expect(inputs((await worker.poll()).commands).map(({ uuid }) => uuid)).toEqual([message.id])
  })

  test('a run that waits in a call gets nothing by its input', async () => {
    const world = await begin()
    const { crew, messages, worker, send } = world
    const task = await crew.create()
    const given = await worker.take()
    await worker.converse(given)
    const caller = callerOf(given, worker)
    await messages.wait(caller, address(task.id), 'call-1', 60_000)
    const message = await send(task.id, 'hello')
    expect(await hasWork(world)).toBe(false)
    expect((await worker.poll()).commands).toEqual([])
    expect((await messages.take(caller, address(task.id), 'call-1', 10)).map(({ id }) => id)).toEqual([message.id])
  })

  test('what a run that is gone did not get comes with the first prompt of the next', async () => {
    const { crew, messages, worker, send, statuses } = await begin()
    const task = await crew.create()
    const first = await worker.take()
    await worker.converse(first)
    const message = await send(task.id, 'hello')
    await worker.poll()
    await worker.end(first, 'failed', { failureClass: 'crash' })
    await crew.pass(5_000)
    await messages.settle([{ target: first.attemptId }])
    expect(await statuses(task.id)).toEqual(['produced'])
    const second = await worker.take()
    expect(await statuses(task.id)).toEqual(['queued'])
    const prompt = await promptOf(task.id)
    expect(prompt).toContain(messageMarker(message.id))
    expect(prompt).toContain('hello')
    await worker.converse(second, 'native')
    expect((await worker.poll()).commands).toEqual([])
  })

  test('a person’s word to a run goes to its input as it is, at once, past what waits', async () => {
    const world = await begin()
    const { crew, worker, send, statuses } = world
    const task = await crew.create()
    const given = await worker.take()
    await worker.converse(given)
    await send(task.id, 'hello')
    await worker.poll()
    const { uuid } = await crew.service.input(OPERATOR, task.id, { text: 'Stop: the wrong file', urgency: 'now' })
    expect(await hasWork(world)).toBe(true)
    expect(inputs((await worker.poll()).commands)).toEqual([
      { kind: 'input', attemptId: given.attemptId, uuid, text: 'Stop: the wrong file', urgency: 'now' },
    ])
    expect(await statuses(task.id)).toEqual(['queued', 'queued'])
    await crew.service.report(worker.caller, given.attemptId, { inputs: [{ uuid, status: 'sent' }] })
    crew.now += 10_000
    expect(inputs((await worker.poll()).commands).map((one) => one.uuid)).not.toContain(uuid)
    // It is a message like any other, by the id that was given.
    expect(await database.store.messages.find(messageId(uuid))).toMatchObject({ kind: 'input', status: 'queued' })
  })

  test('a person’s word that no model saw before the crash comes with the first prompt of the next run, once', async () => {
    const { crew, messages, worker, statuses } = await begin()
    const task = await crew.create()
    const first = await worker.take()
    await worker.converse(first)
    const { uuid } = await crew.service.input(OPERATOR, task.id, { text: 'Use the third branch' })
    await worker.poll()
    const sent = { inputs: [{ uuid, status: 'sent' as const }] }
    await crew.service.report(worker.caller, first.attemptId, sent)
    await worker.end(first, 'failed', { failureClass: 'crash' })
    await crew.pass(5_000)
    await messages.settle([{ target: first.attemptId }])
    expect(await statuses(task.id)).toEqual(['produced'])
    const second = await worker.take()
    const prompt = await promptOf(task.id)
    expect(prompt).toContain(messageMarker(messageId(uuid)))
    expect(prompt.split('Use the third branch')).toHaveLength(2)
    // It is the user's word, no quote of a stranger's.
    expect(prompt).toContain('Your user sent you this')
    expect(prompt).not.toContain('not an instruction of the user')
    await worker.converse(second, 'native')
    expect((await worker.poll()).commands).toEqual([])
    expect(await statuses(task.id)).toEqual(['queued'])
  })

  test('after cancel and retry a person’s word comes as well, and without another run it is shown as unread', async () => {
    const { crew, messages, worker, statuses } = await begin()
    const task = await crew.create()
    const first = await worker.take()
    await worker.converse(first)
    await crew.service.input(OPERATOR, task.id, { text: 'Use the third branch' })
    await crew.service.cancel(OPERATOR, task.id, {})
    await worker.end(first, 'cancelled')
    await messages.settle([{ target: first.attemptId }])
    expect(await statuses(task.id)).toEqual(['produced'])
    await crew.service.retry(OPERATOR, task.id, {})
    await worker.take()
    expect(await promptOf(task.id)).toContain('Use the third branch')
  })

  test('what the model saw before the crash is not given again, nor a command of the CLI', async () => {
    const { crew, messages, worker, statuses } = await begin()
    const task = await crew.create()
    const first = await worker.take()
    await worker.converse(first)
    const seen = await crew.service.input(OPERATOR, task.id, { text: 'Use the third branch' })
    const command = await crew.service.input(OPERATOR, task.id, { text: '/compact' })
    await worker.poll()
    const sent = [seen, command].map(({ uuid }) => ({ uuid, status: 'sent' as const }))
    await crew.service.report(worker.caller, first.attemptId, { inputs: sent })
    await messages.acknowledge(OPERATOR, address(task.id), [messageId(seen.uuid)])
    await worker.end(first, 'failed', { failureClass: 'crash' })
    await crew.pass(5_000)
    await messages.settle([{ target: first.attemptId }])
    expect(await statuses(task.id)).toEqual(['consumed', 'consumed'])
    await worker.take()
    expect(await promptOf(task.id)).not.toContain('third branch')
  })

  const promptOf = async (id: TaskId) => {
    const { promptText } = await import('../../src/engine/recall/prompt')
    const task = await database.store.tasks.find(id)
    if (task === undefined) throw new Error('no task')
    return promptText(database.store, task, 'native')
  }
})
