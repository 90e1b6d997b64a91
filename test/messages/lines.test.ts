import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { address, type MessageId, sessionId } from '../../src/domain/ids'
import { messageMarker } from '../../src/domain/message/message'
import { createMessageService } from '../../src/engine/messages/message-service'
import { recorderOn, transcript, write } from '../record/recording'
import { onEachDatabase } from '../store-contract/databases'
import { Crew, OPERATOR } from '../tasks/crew'

interface Line {
  type: 'user' | 'assistant' | 'attachment'
  uuid: string
  parent: string | null
  content: unknown
}

/** A transcript of these lines, a second apart. */
const written = (session: string, lines: Line[]): string =>
  lines
    .map(({ type, uuid, parent, content }, at) => {
      const body =
        type === 'attachment'
          ? { attachment: content }
          : { message: { role: type, content, ...(type === 'assistant' && { id: `msg_${at}`, model: 'm' }) } }
      const timestamp = new Date(1_700_000_000_000 + at * 1_000).toISOString()
      return `${JSON.stringify({ parentUuid: parent, isSidechain: false, sessionId: session, type, ...body, uuid, timestamp, cwd: '/p', version: '2.1.328' })}\n`
    })
    .join('')

const text = (words: string) => [{ type: 'text', text: words }]

onEachDatabase((database) => {
  const root = mkdtempSync(join(tmpdir(), 'lode-lines-'))
  const begin = async () => {
    const session = sessionId(crypto.randomUUID())
    const crew = new Crew(database.store)
    const messages = createMessageService({ store: database.store, now: () => crew.now })
    const task = await crew.create({ sessionId: session })
    await crew.service.finish(OPERATOR, task.id, { status: 'completed', output: 'done' })
    const [message] = (await database.store.messages.list({ to: address(session) }, { limit: 10 })).rows
    if (message === undefined) throw new Error('no message')
    const ref = transcript(root, session)
    const record = async (lines: Line[]) => {
      write(ref, written(session, lines))
      await recorderOn(database.store).recordFile(ref)
      await messages.settle([])
      return (await database.store.messages.find(message.id))?.status
    }
    return { session, message, record }
  }
  const [a, b, c, d] = [0, 1, 2, 3].map(() => crypto.randomUUID()) as [string, string, string, string]
  const user = (uuid: string, parent: string | null, content: unknown): Line => ({
    type: 'user',
    uuid,
    parent,
    content,
  })
  const model = (uuid: string, parent: string | null, words: string): Line => ({
    type: 'assistant',
    uuid,
    parent,
    content: text(words),
  })

  /** A task that a worker takes, and what is recorded of its conversation. */
  const run = async () => {
    const session = sessionId(crypto.randomUUID())
    const crew = new Crew(database.store, { now: Date.now() })
    const messages = createMessageService({ store: database.store, now: () => crew.now })
    const task = await crew.create()
    const worker = await crew.worker(`w-${crypto.randomUUID()}`)
    const ref = transcript(root, session)
    const record = async (lines: Line[]) => {
      write(ref, written(session, lines))
      await recorderOn(database.store).recordFile(ref)
      await messages.settle([])
    }
    const statusOf = async (id: MessageId) => (await database.store.messages.find(id))?.status
    return { session, crew, messages, task, worker, record, statusOf }
  }
  test('who completed has read what its conversation held, though the record does not show it yet: one run more at most', async () => {
    const { session, task, crew, messages, worker, statusOf, record } = await run()
    // What came to a run that did not complete comes with the first prompt of the next.
    const message = await messages.send(OPERATOR, { to: task.id, text: 'mind the gap' }, null)
    const first = await worker.take()
    await worker.converse(first, 'fresh', session)
    await worker.poll()
    await worker.end(first, 'failed', { failureClass: 'crash' })
    await crew.pass(5_000)
    await messages.settle([{ target: first.attemptId }])
    const second = await worker.take()
    await worker.converse(second, 'native', session)
    // The record stands still behind the line that carries it.
    await record([user(a, null, `see ${messageMarker(message.id)}`)])
    expect(await statusOf(message.id)).toBe('delivered')
    await worker.end(second, 'completed', { output: 'read it' })
    expect(await statusOf(message.id)).toBe('consumed')
    expect((await database.store.tasks.find(task.id))?.status).toBe('completed')
  })

  test('what came into the conversation of a run by another way is read by the next run at the latest', async () => {
    const { session, task, messages, worker, statusOf, record } = await run()
    const first = await worker.take()
    await worker.converse(first, 'fresh', session)
    const message = await messages.send(OPERATOR, { to: task.id, text: 'mind the gap' }, null)
    await worker.poll()
    await record([user(a, null, `see ${messageMarker(message.id)}`)])
    await worker.end(first, 'completed')
    // It may have come after the last turn.
    expect(await statusOf(message.id)).toBe('delivered')
    const second = await worker.take()
    await worker.converse(second, 'native', session)
    await worker.end(second, 'completed', { output: 'read it' })
    expect(await statusOf(message.id)).toBe('consumed')
    expect((await database.store.tasks.find(task.id))?.status).toBe('completed')
  })

  test('a marker in a line delivers, and the model going on consumes', async () => {
    const { message, record } = await begin()
    const lines = [user(a, null, `see ${messageMarker(message.id)}`)]
    expect(await record(lines)).toBe('delivered')
    expect(await record([...lines, model(b, a, 'I see')])).toBe('consumed')
  })

  test('a line whose own uuid is that of the message carries it, and so does one that names it as its source', async () => {
    const first = await begin()
    expect(await first.record([user(first.message.id, null, 'hello'), model(b, first.message.id, 'yes')])).toBe(
      'consumed',
    )
    const second = await begin()
    const queued = { type: 'queued_command', prompt: 'hello', source_uuid: second.message.id, commandMode: 'prompt' }
    expect(
      await second.record([
        user(a, null, 'begin'),
        { type: 'attachment', uuid: b, parent: a, content: queued },
        model(c, b, 'yes'),
      ]),
    ).toBe('consumed')
  })

  test('the model on another branch has not read it', async () => {
    const { message, record } = await begin()
    const lines = [
      user(a, null, 'begin'),
      user(b, a, `see ${messageMarker(message.id)}`),
      model(c, a, 'on another branch'),
    ]
    expect(await record(lines)).toBe('delivered')
    expect(await record([...lines, model(d, b, 'here')])).toBe('consumed')
  })

  test("the model's own words, and lines of another session, carry nothing", async () => {
    const own = await begin()
    expect(await own.record([user(a, null, 'begin'), model(b, a, messageMarker(own.message.id))])).toBe('produced')
    const other = await begin()
    await own.record([user(a, null, messageMarker(other.message.id)), model(b, a, 'what is this')])
    expect((await database.store.messages.find(other.message.id))?.status).toBe('produced')
  })

  test('a marker far into a long answer of a tool is found', async () => {
    const { message, record } = await begin()
    const call = { type: 'tool_use', id: 'toolu_1', name: 'mcp__lodeline__await-tasks', input: {} }
    const answer = [
      { type: 'tool_result', tool_use_id: 'toolu_1', content: `${'x'.repeat(50_000)} ${messageMarker(message.id)}` },
    ]
    const lines = [user(a, null, 'begin'), { type: 'assistant' as const, uuid: b, parent: a, content: [call] }]
    expect(await record([...lines, user(c, b, answer)])).toBe('delivered')
    expect(await record([...lines, user(c, b, answer), model(d, c, 'good')])).toBe('consumed')
    rmSync(root, { recursive: true, force: true })
  })
})
