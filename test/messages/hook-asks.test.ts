/** What a server gives a hook that asks, on each database: once, in order, and again when it got lost on its way. */
import { afterAll, expect, test } from 'bun:test'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startMessageUpkeep } from '../../src/app/delivery/message-upkeep'
import { offerMail } from '../../src/app/delivery/offer-mail'
import { createRecordEngine } from '../../src/app/threads/record-engine'
import { loadConfig } from '../../src/config/load'
import { address, type MessageId } from '../../src/domain/ids'
import { createMessageService } from '../../src/engine/messages/message-service'
import { silentLogger } from '../../src/util/log'
import { startOf } from '../../src/util/process/process-tree'
import { until } from '../lab/until'
import { HOST } from '../record/recording'
import { onEachDatabase } from '../store-contract/databases'
import { OPERATOR } from '../tasks/crew'

const root = mkdtempSync('/tmp/ld-asks-')
afterAll(() => rmSync(root, { recursive: true, force: true }))

const CLI = `${process.pid}@${startOf(process.pid)?.split('@')[0]}`
const LIVING = new AbortController().signal

onEachDatabase((database) => {
  /** A session that receives something, and its hook. @param ago  how long ago it happens, in milliseconds */
  const begin = async (ago = 0) => {
    const { store } = database
    const messages = createMessageService({ store, now: () => Date.now() - ago })
    const session = crypto.randomUUID()
    const at = address(session)
    const transcript = join(root, `${session}.jsonl`)
    writeFileSync(transcript, '')
    await store.write(async ({ record }) => {
      await record.session('claude-code', session as never, await record.host(HOST.name, HOST.hostname))
    })
    const send = async (text: string, kind: 'message' | 'question' = 'question') =>
      (await messages.send(OPERATOR, { to: session, text, kind }, null)).id
    const give = offerMail({ store, messages, host: HOST })
    const ask = async (more: Partial<Parameters<typeof give>[2]> = {}, signal = LIVING): Promise<MessageId[]> => {
      const asking = { route: 'hook', cli: CLI, transcript, size: 0, room: 4_000, onlyWaking: false, ...more } as const
      return (await give(OPERATOR, at, asking, signal)).messages.map(({ id }) => id)
    }
    const status = async (id: MessageId) => (await store.messages.find(id))?.status
    const line = (type: string, more: object) => appendFileSync(transcript, `${JSON.stringify({ type, ...more })}\n`)
    const landed = (id: MessageId) => line('attachment', { content: `see [lodeline:${id}]` })
    return { store, messages, at, send, ask, status, line, landed }
  }

  test('of many that ask at once one is given all, and nothing more while that is on its way', async () => {
    const { store, messages, at, send, ask, landed, status } = await begin()
    const ids = [await send('one'), await send('two')]
    const calls = [0, 1, 2].map((n) =>
      messages.take(OPERATOR, at, `call-${n}`, 9).then((rows) => rows.map(({ id }) => id)),
    )
    const given = await Promise.all([ask(), ask(), ask({ route: 'rewake' }), ...calls])
    expect(given.filter(({ length }) => length > 0)).toEqual([ids])
    await messages.settle((await store.messages.flights(10)).filter(({ to }) => to === at))

    expect(await ask()).toEqual(ids)
    const later = await send('three')
    expect(await ask()).toEqual([])
    // The transcript has them, though nobody recorded it.
    for (const id of ids) landed(id)
    expect(await ask()).toEqual([later])
    expect(await Promise.all(ids.map(status))).toEqual(['delivered', 'delivered'])
  })

  test('nothing is given to who can not read it, or need not go on for it', async () => {
    const { messages, at, send, ask, status } = await begin()
    const word = await send('by the way', 'message')
    expect(await ask({ onlyWaking: true })).toEqual([])
    expect(await ask({ cli: '4194303@1' })).toEqual([])
    await messages.wait(OPERATOR, at, 'call', 60_000)
    expect(await ask()).toEqual([])
    await messages.wait(OPERATOR, at, 'call', 0)
    expect(await ask({}, AbortSignal.abort())).toEqual([])
    expect(await status(word)).toBe('produced')
    const question = await send('which?')
    const long = await send('x'.repeat(9_000))
    expect(await ask({ onlyWaking: true, room: 800 })).toEqual([word, question])
    expect(await status(long)).toBe('produced')
  })

  test('what a living process lost is given again, by the server of its machine', async () => {
    const { store, messages, send, ask, status, line } = await begin(60_000)
    const id = await send('which?')
    expect(await ask()).toEqual([id])
    const home = join(root, 'home')
    const settings = { 'agents.claude-code.homes': [root] }
    const config = loadConfig({ env: { HOME: root }, cwd: root, flags: { home, settings } })
    const engine = createRecordEngine(store, HOST)
    const stop = startMessageUpkeep({ store, messages, engine, config, host: HOST, log: silentLogger })
    try {
      // A person spoke again, and was answered.
      line('user', { timestamp: new Date().toISOString(), message: { content: 'another prompt' } })
      line('assistant', {})
      await until('its way back', async () => (await status(id)) === 'produced')
    } finally {
      await stop()
    }
    expect(await ask()).toEqual([id])
  })
})
