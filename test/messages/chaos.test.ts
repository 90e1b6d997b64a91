import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Client } from '../../src/api/client'
import { listAll } from '../../src/api/client/list-all'
import { type Message, markersIn } from '../../src/domain/message/message'
import { Lab } from '../lab/lab'
import type { Lode } from '../lab/lode'
import { until } from '../lab/until'

/** `LODELINE_LONG=1`: 10,000 messages over 100 addresses; else a size that ends within a minute. */
const SIZE =
  process.env.LODELINE_LONG === '1'
    ? { addresses: 100, messages: 10_000, producers: 4, receivers: 5, kills: 150, everyMs: 1_500 }
    : { addresses: 12, messages: 360, producers: 3, receivers: 3, kills: 12, everyMs: 900 }
const LIMIT_MS = process.env.LODELINE_LONG === '1' ? 1_800_000 : 240_000

for (const kind of ['sqlite', 'postgres'] as const)
  test(`${kind}: servers, producers and receivers are killed at random, and each message is read once, in order`, async () => {
    await using lab = new Lab()
    const place = lab.root
    const home = join(place, 'home')
    const folder = join(place, 'claude', 'projects', '-p')
    mkdirSync(folder, { recursive: true })
    const addresses = Array.from({ length: SIZE.addresses }, () => crypto.randomUUID())
    for (const at of addresses) writeFileSync(join(folder, `${at}.jsonl`), firstLine(at))
    const lode = lab.addLode('home', {
      claudeRoots: [join(place, 'claude')],
      databaseUrl: await lab.addDatabase(kind),
      isKilled: true,
    })
    const crew = [...producers(place, home, addresses), ...receivers(home, folder, addresses)]
    try {
      await lode.up()
      await until('all addresses to be known', async () => {
        const { sessions } = await lode.client.sessions.list({ limit: 1_000 })
        return sessions.length === SIZE.addresses
      })
      for (const one of crew) one.start()
      await wreck(lode, crew)
      await until('every message to be read', () => isAllRead(lode.client), LIMIT_MS)
      await check(lode.client, folder, addresses)
    } finally {
      for (const one of crew) await one.end()
    }
  })

/** Kills somebody, lets the others notice, and starts it again. */
async function wreck(lode: Lode, crew: Actor[]): Promise<void> {
  for (let kill = 0; kill < SIZE.kills; kill++) {
    await Bun.sleep(Math.random() * SIZE.everyMs)
    // A third of them are servers.
    if (kill % 3 === 0) {
      await lode.crash()
      await Bun.sleep(Math.random() * 200)
      await lode.up()
      continue
    }
    const one = crew[Math.floor(Math.random() * crew.length)]
    await one?.end()
    one?.start()
  }
}

async function isAllRead(client: Client): Promise<boolean> {
  for (const status of ['produced', 'queued', 'delivered'] as const)
    if ((await client.messages.list({ status: [status], limit: 1 })).messages.length > 0) return false
  return (await Array.fromAsync(listAll(client.messages.list, { limit: 1_000 }, 'messages'))).length === SIZE.messages
}

/** From both ends: what was sent is there once and consumed; what stands in the transcripts is each of them once, in its order. */
async function check(client: Client, folder: string, addresses: string[]): Promise<void> {
  const messages: Message[] = await Array.fromAsync(listAll(client.messages.list, { limit: 1_000 }, 'messages'))
  expect(messages.filter(({ status }) => status !== 'consumed')).toEqual([])
  expect(new Set(messages.map(({ text }) => text)).size).toBe(SIZE.messages)
  for (const at of addresses) {
    const lines = readFileSync(join(folder, `${at}.jsonl`), 'utf8').split('\n')
    const read = lines.flatMap((line) => markersIn(line))
    const sent = messages.filter(({ to }) => String(to) === at)
    expect(read).toEqual(sent.map(({ id }) => id))
    const steps = await client.messages.get(sent[0]?.id ?? '')
    expect(steps.steps.filter(({ status }) => status === 'consumed')).toHaveLength(1)
  }
}

const firstLine = (at: string): string =>
  `${JSON.stringify({ parentUuid: null, isSidechain: false, sessionId: at, type: 'assistant', message: { role: 'assistant', id: 'msg_0', model: 'm', content: [{ type: 'text', text: 'ready' }] }, uuid: crypto.randomUUID(), timestamp: new Date().toISOString(), cwd: '/p', version: '2.1.328' })}\n`

/** A program that may be killed and started again at any moment. */
class Actor {
  private readonly command: string[]
  private process: Bun.Subprocess<'ignore', 'ignore', 'inherit'> | undefined

  constructor(script: string, args: string[]) {
    this.command = [process.execPath, resolve(import.meta.dir, script), ...args]
  }

  start(): void {
    this.process = Bun.spawn(this.command, { stdin: 'ignore', stdout: 'ignore', stderr: 'inherit' })
  }

  async end(): Promise<void> {
    this.process?.kill('SIGKILL')
    await this.process?.exited
  }
}

function producers(place: string, home: string, addresses: string[]): Actor[] {
  const each = SIZE.messages / SIZE.producers
  return Array.from(
    { length: SIZE.producers },
    (_, i) => new Actor('chaos-producer.ts', [home, join(place, `sent-${i}`), String(i), String(each), ...addresses]),
  )
}

function receivers(home: string, folder: string, addresses: string[]): Actor[] {
  return Array.from({ length: SIZE.receivers }, (_, i) => {
    const own = addresses.filter((_address, at) => at % SIZE.receivers === i)
    return new Actor('chaos-receiver.ts', [home, folder, ...own])
  })
}
