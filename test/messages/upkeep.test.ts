import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { startMessageUpkeep } from '../../src/app/delivery/message-upkeep'
import { createRecordEngine } from '../../src/app/threads/record-engine'
import { loadConfig } from '../../src/config/load'
import { address, messageId, sessionId } from '../../src/domain/ids'
import { messageMarker } from '../../src/domain/message/message'
import { createMessageService } from '../../src/engine/messages/message-service'
import { silentLogger } from '../../src/util/log'
import { startOf } from '../../src/util/process/process-tree'
import { until } from '../lab/until'
import { HOST, transcript, write } from '../record/recording'
import { onEachDatabase } from '../store-contract/databases'
import { Crew, callerOf, OPERATOR } from '../tasks/crew'

const root = mkdtempSync('/tmp/ld-upkeep-')
afterAll(() => rmSync(root, { recursive: true, force: true }))

onEachDatabase((database) => {
  /** A session with one message at its address, and the upkeep over its file. Lines are a second apart, a minute before now. */
  const begin = async () => {
    const { store } = database
    const session = sessionId(crypto.randomUUID())
    const ref = transcript(root, session)
    const home = join(root, 'home')
    const config = loadConfig({
      env: { HOME: root },
      cwd: root,
      flags: { home, settings: { 'agents.claude-code.homes': [root] } },
    })
    const engine = createRecordEngine(store, HOST)
    const crew = new Crew(store, { now: Date.now() })
    const messages = createMessageService({ store })
    const began = Date.now() - 60_000
    let text = ''
    let count = 0
    let parent: string | null = null
    const add = (type: 'user' | 'assistant' | 'system', more: object): void => {
      const uuid = crypto.randomUUID()
      const timestamp = new Date(began + count++ * 1_000).toISOString()
      text += `${JSON.stringify({ parentUuid: parent, isSidechain: false, sessionId: session, type, ...more, uuid, timestamp, cwd: '/p', version: '2.1.328' })}\n`
      parent = uuid
      write(ref, text)
    }
    const say = (type: 'user' | 'assistant', content: unknown) =>
      add(type, { message: { role: type, content, ...(type === 'assistant' && { id: `msg_${count}`, model: 'm' }) } })
    const record = () => engine.recordFile(ref)
    say('user', 'begin')
    await record()
    const { id } = await messages.send(OPERATOR, { to: session, text: 'hello' }, null)
    const upkeep = (host = HOST) => startMessageUpkeep({ store, messages, engine, config, host, log: silentLogger })
    const becomes = async (status: string): Promise<void> => {
      await until(`it to be ${status}`, async () => (await store.messages.find(id))?.status === status)
    }
    const status = async () => (await store.messages.find(id))?.status
    return { session, id, crew, messages, add, say, record, upkeep, becomes, status }
  }
  /** Longer than upkeep rests between two looks: that it left something as it was has no event to wait for. */
  const later = () => Bun.sleep(1_200)

  test('what a process took and left nowhere comes back when it is gone, and not before', async () => {
    const { session, messages, upkeep, becomes, status } = await begin()
    const child = Bun.spawn(['sleep', '60'])
    await messages.take(OPERATOR, address(session), `${HOST.name} ${child.pid} ${startOf(child.pid)} 1`, 5)
    const stop = upkeep()
    try {
      await later()
      expect(await status()).toBe('queued')
      child.kill('SIGKILL')
      await child.exited
      await becomes('produced')
    } finally {
      child.kill('SIGKILL')
      await stop()
    }
  })

  test("what a process of another machine took is that machine's to bring back, also where no file of it is known yet", async () => {
    const { session, messages, upkeep, becomes, status } = await begin()
    const other = { name: 'f'.repeat(32), hostname: 'other' }
    // A session of the other machine that has written nothing yet.
    const silent = sessionId(crypto.randomUUID())
    await database.store.write(async ({ record }) => {
      await record.session('claude-code', silent, await record.host(other.name, other.hostname))
    })
    const sent = await messages.send(OPERATOR, { to: silent, text: 'hello' }, null)
    const statusOfSent = async () => (await database.store.messages.find(sent.id))?.status
    // No process here has this pid, which says nothing of the other machine.
    await messages.take(OPERATOR, address(silent), `${other.name} 999999 1@boot`, 5)
    await messages.take(OPERATOR, address(session), `${HOST.name} 999999 1@boot`, 5)
    expect([await statusOfSent(), await status()]).toEqual(['queued', 'queued'])
    const stop = upkeep()
    try {
      // One look judges both; the other machine's was in flight before.
      await becomes('produced')
      expect(await statusOfSent()).toBe('queued')
    } finally {
      await stop()
    }
    const stopOther = upkeep(other)
    try {
      await until('its way back', async () => (await statusOfSent()) === 'produced')
    } finally {
      await stopOther()
    }
  })

  test('a run that was lost on another machine keeps what it took until something of its end is known', async () => {
    const { crew, messages, upkeep, becomes, session } = await begin()
    const task = await crew.create()
    const worker = await crew.worker(`w-${crypto.randomUUID()}`)
    const given = await worker.take()
    await worker.converse(given)
    const sent = await messages.send(OPERATOR, { to: task.id, text: 'hello' }, null)
    await messages.take(callerOf(given, worker), address(task.id), 'toolu_1', 5)
    const find = async () => (await database.store.messages.find(sent.id))?.status
    await crew.pass(60_000)
    expect((await crew.attempts(task.id))[0]).toMatchObject({ outcome: 'lost', hostName: 'host-1' })
    await messages.take(OPERATOR, address(session), `${HOST.name} 999999 1@boot`, 5)
    const stop = upkeep()
    try {
      await becomes('produced')
      expect(await find()).toBe('queued')
    } finally {
      await stop()
    }
  })

  test('a transcript that goes on where a worker was lost is read first: what it holds is not given twice', async () => {
    const { crew, messages, upkeep, becomes, session: own } = await begin()
    const task = await crew.create({ retryPolicy: { maximumAttempts: 3, initialIntervalMs: 1, maximumIntervalMs: 1 } })
    const find = async (id: string) => (await database.store.messages.find(messageId(id)))?.status
    const worker = await crew.worker(`w-${crypto.randomUUID()}`)
    const first = await worker.take()
    const session = sessionId(await worker.converse(first))
    const sent = await messages.send(OPERATOR, { to: task.id, text: 'hello' }, null)
    await worker.poll()
    expect(await find(sent.id)).toBe('queued')
    // The CLI wrote it down, and its worker died before it sent that.
    const other = { name: 'host-1', hostname: 'box' }
    const ref = transcript(root, session)
    const line = (more: object) =>
      `${JSON.stringify({ parentUuid: null, isSidechain: false, sessionId: session, type: 'user', timestamp: new Date().toISOString(), cwd: '/p', version: '2.1.328', uuid: crypto.randomUUID(), ...more })}\n`
    const begun = line({ message: { role: 'user', content: 'begin' } })
    const told = begun + line({ message: { role: 'user', content: messageMarker(sent.id) } })
    const elsewhere = createRecordEngine(database.store, other)
    write(ref, begun)
    await elsewhere.recordFile(ref)
    await crew.pass(60_000)
    const next = await crew.worker(`w-${crypto.randomUUID()}`)
    const second = await next.take()
    const goesOn = { rung: 'native' as const, sessionId: session, resumedSessionId: session, forked: false }
    const transcriptBytes = Buffer.byteLength(told)
    await crew.service.report(next.caller, second.attemptId, {
      conversation: { ...goesOn, forkPoint: null, whyNot: [], transcriptBytes },
      process: { pid: 1, startedAt: null, cwd: '/p', branch: null, base: null, cliVersion: null },
    })
    const look = async () => {
      await messages.take(OPERATOR, address(own), `${HOST.name} 999999 1@boot`, 5)
      await becomes('produced')
    }
    const stop = upkeep()
    try {
      await look()
      expect(await find(sent.id)).toBe('queued')
      write(ref, told)
      await elsewhere.recordFile(ref)
      await until('it to be there', async () => (await find(sent.id)) === 'delivered')
      const steps = await database.store.messages.steps(sent.id)
      expect(steps.map(({ status }) => status)).toEqual(['produced', 'queued', 'delivered'])
    } finally {
      await stop()
    }
  })

  test('what was delivered in a conversation that a task could not go on with is offered again', async () => {
    const { crew, messages, upkeep } = await begin()
    const task = await crew.create({ retryPolicy: { maximumAttempts: 3, initialIntervalMs: 1, maximumIntervalMs: 1 } })
    const find = async (id: string) => (await database.store.messages.find(messageId(id)))?.status
    const engine = createRecordEngine(database.store, { name: 'host-1', hostname: 'box' })
    const began = Date.now() - 60_000
    const line = (session: string, at: number, role: 'user' | 'assistant', content: unknown) =>
      `${JSON.stringify({ parentUuid: null, isSidechain: false, sessionId: session, type: role, message: { role, content, ...(role === 'assistant' && { id: `msg_${at}`, model: 'm' }) }, timestamp: new Date(began + at).toISOString(), cwd: '/p', version: '2.1.328', uuid: crypto.randomUUID() })}\n`
    const worker = await crew.worker(`w-${crypto.randomUUID()}`)
    const first = await worker.take()
    const left = sessionId(await worker.converse(first))
    const sent = await messages.send(OPERATOR, { to: task.id, text: 'hello' }, null)
    write(transcript(root, left), line(left, 0, 'user', messageMarker(sent.id)))
    await engine.recordFile(transcript(root, left))
    const stop = upkeep()
    try {
      await until('it to be delivered', async () => (await find(sent.id)) === 'delivered')
      await worker.end(first, 'failed', { failureClass: 'crash', reason: 'killed' } as never)
      await crew.pass(2_000)
      const session = sessionId(await worker.converse(await worker.take(), 'preamble'))
      const begun =
        line(session, 20_000, 'user', 'a summary') +
        line(session, 21_000, 'assistant', [{ type: 'text', text: 'Going on.' }])
      write(transcript(root, session), begun)
      await engine.recordFile(transcript(root, session))
      await until('its way back', async () => (await find(sent.id)) !== 'delivered')
      expect((await database.store.messages.steps(sent.id)).map(({ status }) => status)).toEqual([
        'produced',
        'delivered',
        'produced',
      ])
    } finally {
      await stop()
    }
  })

  test('what a process took for two conversations comes back in each by what is in its own file', async () => {
    const both = [await begin(), await begin()].sort((a, b) => (a.session < b.session ? -1 : 1))
    const [silent, written] = both as [(typeof both)[0], (typeof both)[0]]
    for (const { messages, session } of both)
      await messages.take(OPERATOR, address(session), `${HOST.name} 999999 1@twice`, 5)
    written.say('user', messageMarker(written.id))
    const stop = silent.upkeep()
    try {
      await silent.becomes('produced')
      await written.becomes('delivered')
      const steps = await database.store.messages.steps(written.id)
      expect(steps.map(({ status }) => status)).toEqual(['produced', 'queued', 'delivered'])
    } finally {
      await stop()
    }
  })

  test('what a process wrote down before it was gone is read there, though nobody told of the file', async () => {
    const { session, id, messages, say, upkeep, becomes } = await begin()
    await messages.take(OPERATOR, address(session), `${HOST.name} 999999 1@gone`, 5)
    say('user', messageMarker(id))
    const stop = upkeep()
    try {
      await becomes('delivered')
    } finally {
      await stop()
    }
  })

  test('a tool call is over with its answer: a message that is not in it comes back, one that is stays', async () => {
    for (const isThere of [false, true]) {
      const { session, id, messages, say, record, upkeep, becomes } = await begin()
      await messages.take(OPERATOR, address(session), 'toolu_42', 5)
      say('assistant', [{ type: 'tool_use', id: 'toolu_42', name: 'await-tasks', input: {} }])
      const stop = upkeep()
      try {
        say('user', [
          { type: 'tool_result', tool_use_id: 'toolu_42', content: isThere ? messageMarker(id) : 'nothing' },
        ])
        await record()
        await becomes(isThere ? 'delivered' : 'produced')
      } finally {
        await stop()
      }
    }
  })

  test('a run that is over gives back what its transcript does not hold; one that lives keeps it', async () => {
    const { crew, messages, upkeep } = await begin()
    const task = await crew.create()
    const worker = await crew.worker(`w-${crypto.randomUUID()}`)
    const given = await worker.take()
    await worker.converse(given)
    const sent = await messages.send(OPERATOR, { to: task.id, text: 'hello' }, null)
    await messages.take(callerOf(given, worker), address(task.id), 'toolu_1', 5)
    const stop = upkeep()
    const find = async () => (await database.store.messages.find(sent.id))?.status
    try {
      await later()
      expect(await find()).toBe('queued')
      await worker.end(given, 'failed', { failureClass: 'permanent', reason: 'it fell' } as never)
      await until('its way back', async () => (await find()) === 'produced')
    } finally {
      await stop()
    }
  })

  test('a compaction before the model went on: offered again; after it: never', async () => {
    for (const isRead of [false, true]) {
      const { id, add, say, record, upkeep, becomes } = await begin()
      const stop = upkeep()
      try {
        say('user', messageMarker(id))
        await record()
        await becomes('delivered')
        if (isRead) say('assistant', [{ type: 'text', text: 'I see' }])
        add('system', { subtype: 'compact_boundary', content: 'Conversation compacted' })
        await record()
        await becomes(isRead ? 'consumed' : 'produced')
      } finally {
        await stop()
      }
    }
  })

  test('a call that says nothing of itself keeps what it has for ten minutes', async () => {
    const { session, messages, upkeep, status } = await begin()
    await messages.take(OPERATOR, address(session), 'some call', 5)
    const stop = upkeep()
    await later()
    await stop()
    expect(await status()).toBe('queued')
    const back = createMessageService({ store: database.store, now: () => Date.now() - 11 * 60_000 })
    const other = await begin()
    await back.take(OPERATOR, address(other.session), 'some other call', 5)
    const again = other.upkeep()
    try {
      await other.becomes('produced')
    } finally {
      await again()
    }
  })
})
