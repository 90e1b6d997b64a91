import type { Page } from 'playwright-core'
import type { Figure } from '../common/figure'
import type { Server } from '../common/lode'
import { round, spread } from '../common/measure'
import { FeedClient } from '../record/processes/feed-client'
import { LiveWriter } from './live-writer'
import { openHuge, tabState } from './open-page'

const SESSIONS = 20
const EVENTS_PER_SECOND = 1_000
const SECONDS = 60
const PULSES = 100
/** A tab is flat when it holds no more than this after the minute, in MB. */
const GROWTH_MB = 5

/** What an agent says just now, on a page that is looked at; and an hour's events in a minute. */
export const liveFigure: Figure = {
  name: 'live',
  target: 'event to pixel p50 < 100 ms; memory of the tab flat over 1,000 live events/s for a minute',
  async measure(bench) {
    const huge = await openHuge(bench)
    try {
      const writer = new LiveWriter(huge.claudeRoot, SESSIONS)
      await writer.run({ perSecond: 200, seconds: 1 })
      const watched = writer.sessions[0] ?? ''
      await recorded(huge.server, watched)
      const page = await huge.newPage()
      await page.goto(`${huge.server.url}/sessions/${watched}`)
      await page.evaluate(`benchmark.until('[data-testid=session-row]')`)
      const heard: number[] = []
      const feed = await FeedClient.open(huge.server, (entry, at) => {
        if (entry.kind === 'events.recorded' && entry.sessionId === watched) heard.push(performance.timeOrigin + at)
      })
      const eventToPixel = await pulses(page, writer, watched, heard)
      feed.close()
      bench.note(`event to pixel: p50 ${eventToPixel.p50Ms} ms`)
      const memory: Record<string, Awaited<ReturnType<typeof measureMemory>>> = {}
      for (const path of ['/', '/tree', `/sessions/${watched}`]) {
        memory[path.replace(watched, ':id')] = await measureMemory(page, `${huge.server.url}${path}`, writer)
        bench.note(`memory of ${path}: ${JSON.stringify(memory[path.replace(watched, ':id')])}`)
      }
      return {
        ok:
          eventToPixel.count === PULSES &&
          eventToPixel.p50Ms < 100 &&
          Object.values(memory).every(({ growthMb }) => growthMb < GROWTH_MB),
        values: { eventToPixel, memory },
        // Another reader of the feed, in the same moments: no page can show what it has not heard of.
        limit: { toFeedP50Ms: eventToPixel.toFeedP50Ms, browser: huge.chromium.binary.version },
      }
    } finally {
      await huge.stop()
    }
  },
}

/** Waits until the server knows the session. */
async function recorded(server: Server, session: string): Promise<void> {
  for (const end = performance.now() + 60_000; ; await Bun.sleep(100)) {
    const found = await server.get(`/api/sessions/${session}`).catch((error: unknown) => error)
    if (!(found instanceof Error)) return
    if (performance.now() > end) throw found
  }
}

/** One line at a time, until it is seen. */
async function pulses(page: Page, writer: LiveWriter, session: string, heard: number[]) {
  await page.evaluate('benchmark.watch()')
  const frame: number[] = []
  const mutation: number[] = []
  const fed: number[] = []
  let missed = 0
  for (let at = 0; at < PULSES; at++) {
    const token = `pulse-${at.toString(36)}x${Math.floor(Math.random() * 1e9).toString(36)}`
    heard.length = 0
    const writtenAt = writer.say(session, `${token}.`)
    const seen = await waitFor(page, token)
    if (seen) {
      frame.push(seen.frame - writtenAt)
      mutation.push(seen.mutation - writtenAt)
      if (heard[0] !== undefined) fed.push(heard[0] - writtenAt)
    } else missed++
    // So that not every one falls on the same moment of something that comes around.
    await Bun.sleep(40 + 7 * (at % 17))
  }
  const { p50Ms, p99Ms, maxMs } = spread(frame)
  const p95Ms = round(Float64Array.from(frame).sort()[Math.floor(frame.length * 0.95)] ?? 0)
  return {
    count: frame.length,
    missed,
    p50Ms,
    p95Ms,
    p99Ms,
    maxMs,
    toMutationP50Ms: spread(mutation).p50Ms,
    toFeedP50Ms: spread(fed).p50Ms,
  }
}

async function waitFor(page: Page, token: string): Promise<{ mutation: number; frame: number } | null> {
  const end = performance.now() + 5_000
  while (performance.now() < end) {
    const seen = await page.evaluate<{ mutation: number; frame: number | null } | null>(
      `benchmark.seen[${JSON.stringify(token)}] ?? null`,
    )
    if (seen?.frame) return { mutation: seen.mutation, frame: seen.frame }
    await Bun.sleep(10)
  }
  return null
}

/** A tab that is looked at while much happens, before and after. */
async function measureMemory(page: Page, url: string, writer: LiveWriter) {
  await page.goto(url)
  await page.waitForTimeout(1_000)
  const cdp = await page.context().newCDPSession(page)
  // Once round before: what is made at the first event and kept is no growth.
  await writer.run({ perSecond: EVENTS_PER_SECOND, seconds: 5 })
  await page.waitForTimeout(1_000)
  const before = await tabState(cdp)
  await page.evaluate('benchmark.startFrames()')
  const written = await writer.run({ perSecond: EVENTS_PER_SECOND, seconds: SECONDS })
  const frames = Float64Array.from(await page.evaluate<number[]>('benchmark.stopFrames()')).sort()
  await page.waitForTimeout(2_000)
  const after = await tabState(cdp)
  await cdp.detach()
  return {
    events: written,
    growthMb: Math.round((after.heapMb - before.heapMb) * 100) / 100,
    before,
    after,
    frameP95Ms: round(frames[Math.floor(frames.length * 0.95)] ?? 0),
  }
}
