import { expect, test } from 'bun:test'
import { address, messageId, sessionId, type TaskId } from '../../src/domain/ids'
import { messageIdOf } from '../../src/engine/mail/move-message'
import { createMessageService } from '../../src/engine/messages/message-service'
import { failureOf, onEachDatabase } from '../store-contract/databases'
import { Crew, callerOf, OPERATOR } from '../tasks/crew'

onEachDatabase((database) => {
  const begin = () => {
    const crew = new Crew(database.store)
    const messages = createMessageService({ store: database.store, now: () => crew.now })
    const at = async (to: string) =>
      (await database.store.messages.list({ to: address(to) }, { limit: 100 })).rows.map(({ kind, status, text }) => ({
        kind,
        status,
        text,
      }))
    return { crew, messages, at }
  }
  const session = () => sessionId(crypto.randomUUID())

  test('a task that ends tells the session that asked, once', async () => {
    const { crew, at } = begin()
    const asker = session()
    const task = await crew.create({ sessionId: asker, title: 'Build it' })
    await crew.service.finish(OPERATOR, task.id, { status: 'completed', output: 'built' })
    await crew.service.finish(OPERATOR, task.id, { status: 'completed', output: 'built' })
    const found = await at(asker)
    expect(found).toMatchObject([{ kind: 'result', status: 'produced' }])
    expect(found[0]?.text).toContain('"Build it" completed')
    expect(found[0]?.text).toContain('built')
  })

  test('what a run spawns tells its task, whatever attempt it is in', async () => {
    const { crew, at } = begin()
    const parent = await crew.create()
    const worker = await crew.worker(`w-${crypto.randomUUID()}`)
    const run = callerOf(await worker.take(), worker)
    const child = await crew.create({ title: 'Part' }, run)
    await crew.service.cancel(OPERATOR, child.id, { reason: 'no need' })
    expect(await at(parent.id)).toMatchObject([{ kind: 'result', status: 'produced' }])
  })

  test('only the newest status waits, and results stay', async () => {
    const { crew, at } = begin()
    const asker = session()
    const task = await crew.create({ sessionId: asker })
    for (const progress of ['one', 'two', 'three']) {
      crew.now += 1_000
      await crew.service.progress(OPERATOR, task.id, { progress })
    }
    expect((await at(asker)).map(({ status }) => status)).toEqual(['superseded', 'superseded', 'produced'])
  })

  test('one carrier at a time, and the same one again gets the same', async () => {
    const { crew, messages } = begin()
    const to = await receiver(crew)
    for (const text of ['a', 'b', 'c']) await messages.send(OPERATOR, { to, text }, null)
    const first = await messages.take(OPERATOR, address(to), 'call-1', 2)
    expect(first.map(({ text }) => text)).toEqual(['a', 'b'])
    expect(await messages.take(OPERATOR, address(to), 'call-2', 2)).toEqual([])
    expect((await messages.take(OPERATOR, address(to), 'call-1', 2)).map(({ text }) => text)).toEqual(['a', 'b'])
    expect((await messages.flights()).filter(({ target }) => target === 'call-1')).toMatchObject([
      { target: 'call-1', route: 'await' },
    ])
    await messages.settle([{ target: 'call-1' }])
    expect((await messages.take(OPERATOR, address(to), 'call-2', 3)).map(({ text }) => text)).toEqual(['a', 'b', 'c'])
    const ids = (await database.store.messages.list({ to: address(to) }, { limit: 10 })).rows.map(({ id }) => id)
    await messages.acknowledge(OPERATOR, address(to), ids)
    await messages.settle([{ target: 'call-2' }])
    expect(await messages.take(OPERATOR, address(to), 'call-3', 3)).toEqual([])
  })

  test('says by which way a message came that was read before anybody was told who gave it', async () => {
    const { crew, messages } = begin()
    const to = await receiver(crew)
    const { id } = await messages.send(OPERATOR, { to, text: 'a' }, null)
    const at = address(to)
    await messages.acknowledge(OPERATOR, at, [id])
    expect(await database.store.messages.find(id)).toMatchObject({ status: 'consumed', route: null })
    for (const route of ['rewake', 'hook'] as const)
      expect(await messages.launch(OPERATOR, at, { route, target: `host ${route}` }, [id])).toEqual([])
    expect(await database.store.messages.find(id)).toMatchObject({ status: 'consumed', route: 'rewake' })
  })

  test('the same request is one message, and its id follows from its cause', async () => {
    const { crew, messages } = begin()
    const to = await receiver(crew)
    const key = crypto.randomUUID()
    const sent = await messages.send(OPERATOR, { to, text: 'hello' }, key)
    expect(await messages.send(OPERATOR, { to, text: 'hello' }, key)).toEqual(sent)
    expect(sent.id).toBe(messageIdOf(sent.to, sent.cause))
    expect(sent.from).toEqual({ kind: 'person', address: null, name: 'a person' })
  })

  test('says who nobody is, and stops two that answer one another for ever', async () => {
    const { crew, messages } = begin()
    const to = await receiver(crew)
    for (const bad of ['nobody-at-all', '../x', 'a\u0000b', 'x'.repeat(10_000), ''])
      expect(['not_found', 'invalid']).toContain(
        String((await failureOf(messages.send(OPERATOR, { to: bad, text: 'hi' }, null))).code),
      )
    expect(await failureOf(messages.send(OPERATOR, { to, text: 'x'.repeat(200_001) }, null))).toMatchObject({
      code: 'too_large',
      details: { limit: 200_000 },
    })
    let last = await messages.send(OPERATOR, { to, text: 'thanks' }, null)
    const answer = () => messages.send(OPERATOR, { to, text: 'thanks', replyTo: last.id }, null)
    for (let turn = 0; turn < 50; turn++) last = await answer()
    expect(await failureOf(answer())).toMatchObject({ code: 'too_large' })
    expect(await failureOf(messages.withdraw(OPERATOR, messageId(crypto.randomUUID())))).toMatchObject({
      code: 'not_found',
    })
  })

  const receiver = async (crew: Crew): Promise<TaskId> => (await crew.create()).id
})
