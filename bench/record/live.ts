import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Bench, Figure } from '../common/figure'
import { prepareHome, Server } from '../common/lode'
import { round, spread } from '../common/measure'
import { Random } from '../common/random'
import { makeConversation } from './conversation'
import { FeedClient } from './processes/feed-client'

const FOLLOWED = 20
const APPENDS = 400
const LIVE_SESSIONS = 1_000
const FEED_ENTRIES = 100_000

/** Files that grow under a server that follows them, and readers of its feed. */
export const liveFigure: Figure = {
  name: 'live',
  target:
    'file growth to feed p50 < 50 ms; a server with 1,000 live sessions < 200 MB; a stalled reader costs no memory',
  async measure(bench) {
    const latency = await measureLatency(bench)
    bench.note(`growth to feed: p50 ${latency.p50Ms} ms`)
    const many = await measureMany(bench)
    bench.note(`${LIVE_SESSIONS} live sessions: ${many.peakMb} MB`)
    const stalled = await measureStalled(bench)
    return {
      ok: latency.p50Ms < 50 && many.peakMb < 200 && stalled.growthMb - stalled.growthWithoutMb < 20,
      values: { growthToFeed: latency, manySessions: many, stalledReader: stalled },
      limit: {},
    }
  },
}

/** A transcript that is followed: its lines are appended a few at a time, as the CLI does. */
class Growing {
  readonly id: string
  private readonly path: string
  private readonly lines: string[] = []
  private next = 0

  /** @param lines  how many it can grow by, at least */
  constructor(random: Random, claude: string, lines: number) {
    this.id = random.uuid()
    const folder = join(claude, 'projects', '-home-user-project')
    mkdirSync(folder, { recursive: true })
    this.path = join(folder, `${this.id}.jsonl`)
    while (this.lines.length < lines)
      this.lines.push(
        ...makeConversation(random, { session: this.id, bytes: 50_000, agent: null }).main.filter((line) =>
          line.includes('"uuid":"'),
        ),
      )
    writeFileSync(this.path, '')
    this.grow(3)
  }

  /** Appends this many lines in one write; gives `performance.now()` after it. */
  grow(count: number): number {
    const lines = this.lines.slice(this.next, this.next + count)
    if (lines.length < count) throw new Error('the session has no more lines')
    this.next += count
    appendFileSync(this.path, `${lines.join('\n')}\n`)
    return performance.now()
  }
}

async function startFollowing(bench: Bench, name: string) {
  const claude = join(bench.folder, name, 'claude')
  mkdirSync(join(claude, 'projects'), { recursive: true })
  const home = prepareHome(join(bench.folder, name, 'h'), claude)
  return { claude, server: await Server.start(bench.lode, home, 'up') }
}

async function measureLatency(bench: Bench) {
  const { claude, server } = await startFollowing(bench, 'latency')
  try {
    const random = new Random(3)
    const sessions = Array.from({ length: FOLLOWED }, () => new Growing(random, claude, 3 + (3 * APPENDS) / FOLLOWED))
    const waiting = new Map<string, (at: number) => void>()
    const client = await FeedClient.open(server, (entry, at) => {
      if (entry.kind === 'events.recorded' && entry.sessionId !== null) waiting.get(entry.sessionId)?.(at)
    })
    await recorded(server, FOLLOWED * 3)
    const times: number[] = []
    for (let turn = 0; turn < APPENDS; turn++) {
      const session = sessions[turn % FOLLOWED] as Growing
      const heard = new Promise<number>((resolve) => waiting.set(session.id, resolve))
      const writtenAt = session.grow(1 + (turn % 3))
      times.push((await withTimeout(heard, 10_000)) - writtenAt)
      waiting.delete(session.id)
      await Bun.sleep(5 + random.below(20))
    }
    client.close()
    return spread(times)
  } finally {
    await server.stop()
  }
}

/** Waits until the server has recorded this many events in all. */
async function recorded(server: Server, events: number): Promise<void> {
  for (const end = performance.now() + 60_000; ; await Bun.sleep(50)) {
    let cursor = ''
    let count = 0
    do {
      const page = await server.get<{ sessions: { counts: { events: number } }[]; nextCursor: string | null }>(
        `/api/sessions?limit=1000${cursor}`,
      )
      for (const session of page.sessions) count += session.counts.events
      cursor = page.nextCursor === null ? '' : `&cursor=${encodeURIComponent(page.nextCursor)}`
    } while (cursor !== '')
    if (count >= events) return
    if (performance.now() > end) throw new Error(`${count} of ${events} events were recorded after a minute`)
  }
}

function withTimeout<T>(promise: Promise<T>, milliseconds: number): Promise<T> {
  const late = Bun.sleep(milliseconds).then(() => {
    throw new Error(`nothing came within ${milliseconds} ms`)
  })
  return Promise.race([promise, late])
}

async function measureMany(bench: Bench) {
  const { claude, server } = await startFollowing(bench, 'many')
  try {
    const beforeMb = server.state().rssMb
    const random = new Random(4)
    const sessions = Array.from({ length: LIVE_SESSIONS }, () => new Growing(random, claude, 3 + 10))
    const startedAt = performance.now()
    let lines = 3 * LIVE_SESSIONS
    // Each session grows every second, for ten seconds.
    for (let turn = 0; turn < 10; turn++)
      for (let first = 0; first < LIVE_SESSIONS; first += 20) {
        for (const session of sessions.slice(first, first + 20)) session.grow(1)
        lines += 20
        await Bun.sleep(Math.max(0, startedAt + (turn + first / LIVE_SESSIONS) * 1_000 - performance.now()))
      }
    await recorded(server, lines)
    const { peakMb, rssMb, ownMb, cpuSeconds } = server.state()
    const seconds = (performance.now() - startedAt) / 1_000
    return {
      sessions: LIVE_SESSIONS,
      beforeMb,
      peakMb,
      afterMb: rssMb,
      afterWithoutExecutableMb: ownMb,
      cpuShare: round(cpuSeconds / seconds),
    }
  } finally {
    await server.stop()
  }
}

/** Memory that 100,000 entries cost with a reader that takes them, then with one more that takes nothing. */
async function measureStalled(bench: Bench) {
  const growth: number[] = []
  for (const isStalled of [false, true]) {
    const home = prepareHome(join(bench.folder, isStalled ? 'stalled' : 'taken', 'h'))
    const server = await Server.start(bench.lode, home)
    try {
      const client = await FeedClient.open(server, () => {})
      const stalled = isStalled ? await stall(server) : undefined
      await Bun.sleep(500)
      const before = server.state()
      const writer = Bun.spawn(
        [process.execPath, join(import.meta.dir, 'processes/feed-writer.ts'), home, String(FEED_ENTRIES)],
        {
          stderr: 'inherit',
        },
      )
      if ((await writer.exited) !== 0) throw new Error('the writer of feed entries failed')
      for (const end = performance.now() + 60_000; client.count < FEED_ENTRIES; await Bun.sleep(50))
        if (performance.now() > end) throw new Error(`${client.count} of ${FEED_ENTRIES} entries came`)
      growth.push(server.state().peakMb - before.rssMb)
      stalled?.destroy()
      client.close()
    } finally {
      await server.stop()
    }
  }
  const [without = 0, withOne = 0] = growth
  return { entries: FEED_ENTRIES, growthMb: round(withOne), growthWithoutMb: round(without) }
}

/** A reader that asks for the feed from its beginning and then takes nothing. */
async function stall(server: Server) {
  const { hostname, port, host } = new URL(server.url)
  const socket = connect({ host: hostname, port: Number(port) })
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  socket.pause()
  socket.write(
    `GET /api/feed?after=0 HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${server.headers.authorization}\r\nAccept: text/event-stream\r\n\r\n`,
  )
  return socket
}
