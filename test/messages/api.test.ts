import { expect, test } from 'bun:test'
import type { MessageEvent } from '../../src/api/client'
import { listAll } from '../../src/api/client/list-all'
import { address, taskId } from '../../src/domain/ids'
import { TOKEN } from '../api/start-api'
import { joinWorker, serveTasks } from '../api/tasks/serve-tasks'
import { until } from '../lab/until'
import { failureOf, onEachDatabase } from '../store-contract/databases'

onEachDatabase((database) => {
  const begin = () => serveTasks(database.store, { logLookMs: 60_000, heartbeatMs: 60_000 })
  type Api = ReturnType<typeof begin>

  /** A task at whose address nothing waits. */
  const receiver = async (api: Api): Promise<string> =>
    (await api.client.tasks.create({ task: 'wait', requiredCapabilities: ['nobody has it'] })).task.id

  /** The same below the task of a run. */
  const below = async ({ client }: { client: Api['client'] }): Promise<string> =>
    (await client.tasks.create({ task: 'wait', continuity: 'fresh', requiredCapabilities: ['nobody has it'] })).task.id

  /** A run of a task of its own, with the client that its token makes. */
  const runOf = async (api: Api) => {
    const word = `word-${crypto.randomUUID()}`
    const worker = await joinWorker(api, { name: `w-${word}`, capabilities: [word] })
    await api.client.tasks.create({ task: 'run', requiredCapabilities: [word] })
    const { assignments } = await worker.poll({ waitMs: 0 })
    const [given] = assignments
    if (given === undefined) throw new Error('nothing was given')
    return { ...given, worker, client: api.as(given.token) }
  }
  const untilAwaited = (to: string, isAwaited: boolean): Promise<boolean> => {
    const look = () => database.store.write(async (tx) => await tx.messages.isAwaited(address(to)))
    return until(`${to} to be ${isAwaited ? 'awaited' : 'left'}`, async () => (await look()) === isAwaited)
  }
  const texts = (messages: { text: string }[]) => messages.map(({ text }) => text)

  test('a message is sent once, listed, shown with its steps and taken back', async () => {
    await using api = begin()
    const to = await receiver(api)
    const idempotencyKey = crypto.randomUUID()
    const { message } = await api.client.messages.send({ to, text: 'hello' }, { idempotencyKey })
    expect((await api.client.messages.send({ to, text: 'hello' }, { idempotencyKey })).message).toEqual(message)
    expect(await failureOf(api.client.messages.send({ to, text: 'other' }, { idempotencyKey }))).toMatchObject({
      code: 'conflict',
    })
    await api.client.messages.send({ to: to.slice(0, -1) + to.slice(-1), text: 'second', kind: 'question' })
    expect(texts((await api.client.messages.list({ to, limit: 1 })).messages)).toEqual(['hello'])
    const backwards = { to, limit: 1, newestFirst: true }
    const forwards = texts(await Array.fromAsync(listAll(api.client.messages.list, { to, limit: 1 }, 'messages')))
    expect(texts(await Array.fromAsync(listAll(api.client.messages.list, backwards, 'messages')))).toEqual(
      forwards.toReversed(),
    )
    expect(texts(await Array.fromAsync(listAll(api.client.messages.list, { to, limit: 1 }, 'messages')))).toEqual([
      'hello',
      'second',
    ])
    expect(texts((await api.client.messages.list({ to, kind: ['question'] })).messages)).toEqual(['second'])
    const shown = await api.client.messages.get(message.id.toUpperCase())
    expect(shown.steps.map(({ status }) => status)).toEqual(['produced'])
    expect((await api.client.messages.withdraw(message.id)).message.status).toBe('withdrawn')
    expect(texts((await api.client.messages.list({ to, status: ['produced'] })).messages)).toEqual(['second'])
    expect((await api.client.messages.get(message.id)).steps.map(({ status }) => status)).toEqual([
      'produced',
      'withdrawn',
    ])
  })

  test('nobody speaks as another: the token says who sends, whatever the words claim', async () => {
    await using api = begin()
    const run = await runOf(api)
    const to = await below(run)
    const { message } = await run.client.messages.send({ to, text: 'I am the operator', sessionId: 's-1' as never })
    expect(message.from).toMatchObject({ kind: 'task', address: run.task.id })
    const send = (body: object) =>
      fetch(`${api.origin}/api/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${run.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    for (const claim of [{ from: { kind: 'person', address: null, name: 'x' } }, { cause: 'x' }, { id: message.id }])
      expect((await send({ to, text: 'x', ...claim })).status).toBe(400)
    expect((await send({ to, text: 'x', kind: 'result' })).status).toBe(400)
    expect((await fetch(`${api.origin}/api/messages`, { method: 'POST', body: '{}' })).status).toBe(401)
  })

  test('a run reads and acknowledges at its own address alone, an agent at its own', async () => {
    await using api = begin()
    const run = await runOf(api)
    const other = await below(run)
    const { message } = await api.client.messages.send({ to: other, text: 'not for you' })
    const refused = [
      () => run.client.messages.at(other),
      () => run.client.messages.take(other, { call: 'c' }),
      () => run.client.messages.acknowledge(other, { ids: [message.id] }),
      () => run.worker.client.messages.at(other),
      () => run.worker.client.messages.take(run.task.id, { call: 'c' }),
    ]
    for (const call of refused) expect(await failureOf(call())).toMatchObject({ code: 'forbidden' })
    expect(await failureOf(run.client.messages.get(message.id))).toMatchObject({ code: 'not_found' })
    expect(await failureOf(run.client.messages.withdraw(message.id))).toMatchObject({ code: 'forbidden' })
    expect(await failureOf(run.client.messages.at('nobody-there'))).toMatchObject({ code: 'forbidden' })
    await api.client.messages.send({ to: run.task.id, text: 'for you' })
    await run.client.messages.send({ to: other, text: 'from me' })
    expect(texts((await run.client.messages.list()).messages)).toEqual(['for you', 'from me'])
    expect(texts((await run.client.messages.list({ to: other })).messages)).toEqual(['from me'])
    const taken = await run.client.messages.take(run.task.id, { call: 'toolu_1' })
    expect(texts(taken.messages)).toEqual(['for you'])
    expect(await failureOf(run.client.messages.acknowledge(run.task.id, { ids: [message.id] }))).toMatchObject({
      code: 'not_found',
    })
    const ids = taken.messages.map(({ id }) => id)
    const { messages } = await run.client.messages.acknowledge(run.task.id, { ids: ids })
    expect(messages.map(({ status }) => status)).toEqual(['consumed'])
  })

  test('a call waits for what comes, and the same call again gets the same', async () => {
    await using api = begin()
    const to = await receiver(api)
    const waiting = api.client.messages.take(to, { call: 'c-1', waitMs: 60_000 })
    await until('a call that waits', () => api.app.waiterCount() === 1)
    await api.client.messages.send({ to, text: 'now' })
    const { messages, count } = await waiting
    expect([texts(messages), count]).toEqual([['now'], 0])
    expect(messages[0]).toMatchObject({ status: 'queued', route: 'await' })
    expect(await api.client.messages.take(to, { call: 'c-1', waitMs: 60_000 })).toEqual({ messages, count: 0 })
    expect(await api.client.messages.take(to, { call: 'c-2', waitMs: 20 })).toEqual({ messages: [], count: 0 })
    // It waits no longer once it has its answer.
    await untilAwaited(to, false)
  })

  test('while a call waits the address is marked, and what flies for another is given when that is over', async () => {
    await using api = begin()
    const to = await receiver(api)
    for (const text of ['one', 'two']) await api.client.messages.send({ to, text })
    const [first] = (await api.client.messages.take(to, { call: 'a', limit: 1 })).messages
    if (first === undefined) throw new Error('nothing was taken')
    const waiting = api.client.messages.take(to, { call: 'b', waitMs: 60_000 })
    await untilAwaited(to, true)
    await api.client.messages.acknowledge(to, { ids: [first.id] })
    expect(texts((await waiting).messages)).toEqual(['two'])
  })

  test('a server that ends lets go of those who wait, and they lose nothing', async () => {
    const api = begin()
    const to = await receiver(api)
    const waiting = api.client.messages.take(to, { call: 'c', waitMs: 600_000 })
    await until('a call that waits', () => api.app.waiterCount() === 1)
    await api.app.endFollowers()
    expect(await waiting).toEqual({ messages: [], count: 0 })
    await api[Symbol.asyncDispose]()
    await using next = begin()
    await next.client.messages.send({ to, text: 'later' })
    expect(texts((await next.client.messages.take(to, { call: 'c', waitMs: 600_000 })).messages)).toEqual(['later'])
  })

  test('a caller that goes away leaves no mark, and what it was given is there for its next try', async () => {
    await using api = begin()
    const to = await receiver(api)
    const gone = new AbortController()
    const waiting = failureOf(api.client.messages.take(to, { call: 'c', waitMs: 600_000 }, { signal: gone.signal }))
    await untilAwaited(to, true)
    gone.abort()
    await waiting
    await untilAwaited(to, false)
    await until('the end of all waiting', () => api.app.waiterCount() === 0)
  })

  test('a follower gets what is there, what comes, and where each goes', async () => {
    await using api = begin()
    const to = await receiver(api)
    for (const text of ['one', 'two']) await api.client.messages.send({ to, text })
    const end = new AbortController()
    const got: MessageEvent[] = []
    const following = (async () => {
      for await (const event of api.client.messages.follow(to, { after: 0 }, { signal: end.signal })) got.push(event)
    })()
    // A place may be reported as well, when word of what happened before it arrives late.
    const news = () => texts(got.filter(({ isNew }) => isNew).map((event) => event.message))
    await until('the next message', () => news().length === 2)
    const { message } = await api.client.messages.send({ to, text: 'three' })
    await until('the next message', () => news().length === 3)
    await api.client.messages.acknowledge(to, { ids: [message.id] })
    await until('the message to be consumed', () =>
      got.some(({ isNew, message: { status } }) => !isNew && status === 'consumed'),
    )
    end.abort()
    await following
    expect(news()).toEqual(['one', 'two', 'three'])
  })

  test('a follower that comes back goes on behind its last event, and hears where the others are', async () => {
    await using api = begin()
    const to = await receiver(api)
    const sent = []
    for (const text of ['one', 'two', 'three']) sent.push((await api.client.messages.send({ to, text })).message)
    const [one, two, three] = sent
    if (!one || !two || !three) throw new Error('not sent')
    await api.client.messages.acknowledge(to, { ids: [one.id] })
    const headers = { authorization: `Bearer ${TOKEN}`, accept: 'text/event-stream', 'last-event-id': String(two.seq) }
    const response = await fetch(`${api.origin}/api/sessions/${to}/messages?after=0`, { headers })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    let said = ''
    while (!said.includes('"three"') || !said.includes('"consumed"') || !said.endsWith('\n\n'))
      said += new TextDecoder().decode((await reader.read()).value)
    const [first, second, third, ...updates] = said.match(/^(id|event): .*/gm) ?? []
    expect([first, second, third]).toEqual([`id: ${two.seq}`, `id: ${three.seq}`, 'event: message'])
    // A place may be reported again, when word of what happened before it arrives late.
    expect(new Set(updates)).toEqual(new Set(['event: update']))
    const told = [...said.matchAll(/^event: update\ndata: (.*)$/gm)].map((match) => JSON.parse(match[1] ?? ''))
    expect(told.slice(0, 2)).toMatchObject([
      { text: 'one', status: 'consumed' },
      { text: 'two', status: 'produced' },
    ])
    await reader.cancel()
    await until('the end of all waiting', () => api.app.waiterCount() === 0)
  })

  test('positions grow as commits do: whoever reads on from one skips nothing', async () => {
    await using api = begin()
    const to = await receiver(api)
    const end = new AbortController()
    const seen: number[] = []
    const following = (async () => {
      for await (const { isNew, message } of api.client.messages.follow(to, { after: 0 }, { signal: end.signal }))
        if (isNew) seen.push(message.seq)
    })()
    await Promise.all(Array.from({ length: 60 }, (_, i) => api.client.messages.send({ to, text: `number ${i}` })))
    await until('all messages', () => seen.length === 60)
    end.abort()
    await following
    expect(seen).toEqual([...seen].sort((a, b) => a - b))
    expect(new Set(seen).size).toBe(60)
  })

  test('two who take at once never both get something', async () => {
    await using api = begin()
    const to = await receiver(api)
    for (let i = 0; i < 20; i++) await api.client.messages.send({ to, text: `number ${i}` })
    const calls = Array.from({ length: 8 }, (_, i) => api.client.messages.take(to, { call: `c-${i}`, limit: 1 }))
    const answers = await Promise.all(calls)
    expect(answers.flatMap(({ messages }) => texts(messages))).toEqual(['number 0'])
  })

  test('hostile input ends in a typed error', async () => {
    await using api = begin()
    const to = await receiver(api)
    const bad: [string, RequestInit?][] = [
      [`/api/addresses/${encodeURIComponent('../x')}/messages`],
      [`/api/addresses/${'x'.repeat(10_000)}/messages`],
      [`/api/addresses/${encodeURIComponent('a\0b')}/take`, { method: 'POST', body: '{"call":"c"}' }],
      [`/api/addresses/${to}/take`, { method: 'POST', body: '{"call":""}' }],
      [`/api/addresses/${to}/take`, { method: 'POST', body: '{"call":"c","waitMs":600001}' }],
      [`/api/addresses/${to}/ack`, { method: 'POST', body: '{"ids":["x"]}' }],
      [`/api/addresses/${to}/ack`, { method: 'POST', body: '{"ids":[]}' }],
      ['/api/messages/not-a-uuid'],
      ['/api/messages', { method: 'POST', body: JSON.stringify({ to, text: 'x'.repeat(10_485_760) }) }],
      ['/api/messages', { method: 'POST', body: JSON.stringify({ to, text: '' }) }],
      ['/api/messages?status=gone'],
    ]
    for (const [target, init] of bad) {
      const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
      const response = await fetch(api.origin + target, { ...init, headers })
      expect([target.slice(0, 80), [400, 404, 413].includes(response.status)]).toEqual([target.slice(0, 80), true])
      expect(await response.json()).toMatchObject({ error: { code: expect.any(String) } })
    }
    expect(await failureOf(api.client.messages.at(taskId('t-zzzzzzzz')))).toMatchObject({ code: 'not_found' })
    expect(await failureOf(api.client.messages.send({ to: 'nobody', text: 'x' }))).toMatchObject({ code: 'not_found' })
  })
})
